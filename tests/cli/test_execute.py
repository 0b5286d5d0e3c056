"""`ave exec`: machine code of others with arguments from the command line; `ave run --on gfx942-exec`."""

from __future__ import annotations

import json
import pathlib
import re

import ml_dtypes
import numpy as np
import pytest
from click import BadParameter
from click.testing import CliRunner

from avelang.cli.execute import argument
from avelang.cli.main import main
from cli.test_run import process

TRITON = pathlib.Path(__file__).parents[1] / "peers" / "gemm_gfx942_128x128x64_w4_s2_nk16.amdgcn"
SHAPE = ("bf16[128,64]=random", "bf16[128,64]=random", "bf16[128,128]=nan", "i32=128", "i32=128", "i32=64", "i32=64",
         "i32=64", "i32=128", "null", "null")


def ave(*args: object):
    return CliRunner().invoke(main, [str(x) for x in args])


def test_a_foreign_kernel(tmp_path):
    done = ave("exec", TRITON, "--block", 256, "--lds", 32768, "--check", "--order", "random", "--save", tmp_path,
               *SHAPE)
    assert done.exit_code == 0, done.output
    assert "gemm: " in done.output and "wave-instructions" in done.output
    a, b, c = (np.load(tmp_path / f"arg{n}.npy").view(ml_dtypes.bfloat16).astype(np.float64) for n in range(3))
    want = a @ b.T
    assert np.abs(c - want).max() <= 3e-3 * np.abs(want).max()


WRONG ="""
    .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
wrong:
    s_load_dword s2, s[0:1], 0x0
    s_mov_b32 s3, s2
    v_readlane_b32 s4, v0, 0
    v_mov_b32 v1, s4
    v_mov_b32 v2, v0
    v_readfirstlane_b32 s4, v2
    s_endpgm
    .amdhsa_kernel wrong
        .amdhsa_user_sgpr_count 2
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_kernarg_size 8
    .end_amdhsa_kernel
    .amdgpu_metadata
amdhsa.kernels:
  - .args:
      - .offset:         0
        .size:           8
        .value_kind:     global_buffer
    .name: wrong
    .end_amdgpu_metadata
"""


def test_words_of_check(tmp_path):
    file = tmp_path / "wrong.s"
    file.write_text(WRONG)
    codes = {
        ("--check",): ["X024"], ("--check", "hazards"): ["X026", "X026"],
        ("--check", "waits,hazards", "--collect"): ["X024", "X026", "X026"],
        ("--collect", "--check"): ["X024", "X026", "X026"], (): [], ("--check=races",): [],
        ("--check", "wait"): ["L034"],
    }  # fmt: skip
    for options, want in codes.items():
        done = ave("exec", file, *options, "f32[4]")
        assert re.findall(r"\[(\w\d+)\]", done.output) == want and done.exit_code == (1 if want else 0), (options,
                done.output)
        assert done.output.count("advisory: ") == ("X026" in want)


def test_bank_conflicts_are_counted():
    done = ave("exec", TRITON, "--block", 256, "--lds", 32768, "--profile", *SHAPE)
    assert done.exit_code == 0 and "LDS cycles lost to bank conflicts: " in done.output


def test_bytes_are_counted():
    done = ave("exec", TRITON, "--block", 256, "--lds", 32768, "--profile", *SHAPE)
    found = re.search(r"global memory: ([\d,]+) bytes loaded, ([\d,]+) stored, ([\d,]+) by scalar", done.output)
    assert (
        found
        and int(found[2].replace(",", "")) == 128 * 128 * 2
        and re.search(r"LDS: [1-9][\d,]* bytes read, [1-9][\d,]* written", done.output)
    )


def test_an_error_of_the_code_is_shown():
    done = ave("exec", TRITON, "--block", 256, "--lds", 32768, *SHAPE[:2], "bf16[128,64]", *SHAPE[3:])
    assert done.exit_code == 1
    assert "X022" in done.output and "buffer_store" in done.output


def test_too_few_arguments():
    done = ave("exec", TRITON, "--block", 256, *SHAPE[:3])
    assert done.exit_code == 1 and "X027" in done.output and "3 arguments" in done.output


def test_arguments(tmp_path):
    rng = np.random.default_rng(0)
    np.save(tmp_path / "x.npy", np.arange(6, dtype=np.uint16))
    assert argument("null", rng) is None
    assert argument("i32=0x10", rng) == 16 and argument("f16=1.5", rng).dtype == np.float16
    assert argument("f32[2,3]=range", rng).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert np.isnan(argument("f32[4]=nan", rng)).all() and (argument("i8[4]", rng) == 0).all()
    assert argument(f"{tmp_path / 'x.npy'}:bf16", rng).dtype == ml_dtypes.bfloat16
    for bad in ("i32", "i99=1", "i8=1000", "f32=x", "none.npy", "f32[2]=ones"):
        with pytest.raises(BadParameter):
            argument(bad, rng)


def test_extents_are_checked():
    assert "one to three extents" in ave("exec", TRITON, "--grid", "1,2,3,4").output


def test_a_program_runs_there(axpy):
    done = process("run", "--on", "gfx942-exec", "--check", "waits", axpy)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["y[999] = 1999.0"]
    assert "on gfx942-exec" in done.stderr


@pytest.mark.parametrize(
    "text,said",
    [("i32[4]=nan", "i32 has no nan"), ("f32[2,,3]", "neither"), ("f32[]", "neither"), ("{bad}", "bad.npy"),
     ("{odd}:f64", "odd.npy")],
)
def test_arguments_that_are_none(tmp_path, text, said):
    (tmp_path / "bad.npy").write_text("no array")
    np.save(tmp_path / "odd.npy", np.zeros(3, np.uint8))
    with pytest.raises(BadParameter, match=said):
        argument(text.format(bad=tmp_path / "bad.npy", odd=tmp_path / "odd.npy"), np.random.default_rng())


@pytest.mark.parametrize("options", [("--lds", -1), ("--threads", 0)], ids=str)
def test_numbers_are_in_range(options):
    done = ave("exec", TRITON, *options, *SHAPE)
    assert done.exit_code == 2 and "is not in the range" in done.output


def test_a_folder_that_cannot_be_made_is_said_before_anything_runs(tmp_path):
    (tmp_path / "file").touch()
    done = ave("exec", TRITON, "--block", 256, "--lds", 32768, "--save", tmp_path / "file" / "out", *SHAPE)
    assert done.exit_code == 1 and "cannot make the folder" in done.output and "wave-instructions" not in done.output


def test_an_error_of_a_command_shows_no_line_of_the_command_itself(tmp_path):
    file = tmp_path / "junk.bin"
    file.write_bytes(b"\xff\xfe\x00junk")
    done = ave("exec", file, "--grid", 1, "--block", 1)
    assert (
        done.exit_code == 1
        and "[X020]" in done.output
        and "core.py" not in done.output
        and "callback" not in done.output
    )


PEER = pathlib.Path(__file__).parents[1] / "peers" / "gemm_gfx942_128x128x64_w4_s2_nk16.amdgcn"


def test_the_model_of_a_compute_unit(ave):
    args = ["exec", PEER, "--cu", "--grid", 1, "--block", 256, "--lds", 32768, "bf16[128,512]=random",
            "bf16[128,512]=random", "bf16[128,128]", "i32=128", "i32=128", "i32=512", "i32=512", "i32=512", "i32=128",
            "null", "null"]  # fmt: skip
    result = ave(*args)
    assert result.exit_code == 0, result.stderr
    assert "by the model: 2 work-groups, 8 waves" in result.stdout and "gemm.py:" in result.stdout
    found = json.loads(ave(*args, "--json", "--blocks", 1, "--latency", 400).stdout)
    assert found["model"]["waves"] == 4 and found["model"]["timings"]["memory_latency"] == 400 and "model" in found["note"]
