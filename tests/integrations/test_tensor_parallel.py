"""Models of Hugging Face split over two processes agree with the whole ones."""

import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers", reason="transformers is not installed: pip install transformers")
ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("family", ["Llama", "Qwen3", "Mixtral"])
def test_a_split_model_agrees_with_the_whole_one(family, tmp_path):
    program = ROOT / "tests" / "integrations" / "gloo_tensor_parallel.py"
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": paths, "GLOO_SOCKET_IFNAME": "lo"}
    ranks = [subprocess.Popen([sys.executable, str(program), str(r), "2", str(tmp_path / "store"), family], env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for r in range(2)]  # fmt: skip
    said = [p.communicate(timeout=300)[0] for p in ranks]
    assert [p.returncode for p in ranks] == [0, 0] and all("the parts agree" in s for s in said), "\n".join(said)


def test_what_is_no_model():
    from avelang.base.errors import ArgumentError
    from avelang.integrations.tensor_parallel import tensor_parallel

    with pytest.raises(ArgumentError, match="model is int"):
        tensor_parallel(3)
