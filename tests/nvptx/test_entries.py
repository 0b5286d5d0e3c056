"""The entries of the instruction table: what an instruction does stands once, and every form has one."""

import re

import pytest

from avelang.nvptx import ranges
from avelang.nvptx.examples import forms
from avelang.nvptx.forms import EFFECTS, ENTRIES, FORMS, entries, entry, form, named
from avelang.nvptx.readings import entry_of, readings


def test_each_form_has_an_entry_and_each_entry_forms():
    assert {f.entry.name for group in FORMS.values() for f in group} == set(ENTRIES)
    assert sum(len(e.forms) for e in ENTRIES.values()) == sum(map(len, FORMS.values())) > 1000
    assert all(re.match(r"PTX ISA 9.0, 9\.7\.\d+", e.source) for e in ENTRIES.values())


def test_an_instruction_has_one_entry():
    """However its modifiers are read."""
    for f, env, x in forms():
        names = {g.entry.name for g, e in readings(x.parts)[0] if not g.broken(e)}
        assert names == {f.entry.name}, x.name
        assert entry_of(x.parts) is f.entry, (x.name, env)


def test_names_that_the_table_does_not_have():
    assert entry_of(("frobnicate", "b32")) is None and entry_of(("add", "fancy", "u32")) is None
    assert entry_of(("cvt", "f16", "f32")) is None  # a rounding is missing
    with pytest.raises(ValueError, match="no instruction frobnicate"):
        entry("frobnicate")
    with pytest.raises(ValueError, match="no effect is called jumps"):
        entries("frobnicate", "jumps")
    with pytest.raises(ValueError, match="two entries are called add"):
        entries("add")
    with pytest.raises(ValueError, match=r"no entry for frobnicate\.b32"):
        form("frobnicate.b32")
    assert "frobnicate" not in ENTRIES and "frobnicate" not in FORMS


def test_effects_follow_from_what_the_forms_show():
    """What accesses memory has brackets; what waits, commits or counts names the group; each effect is some
    instruction's."""
    brackets = {e.name for e in ENTRIES.values() if any(o.role in "mt" for f in e.forms for o in f.operands)}
    accessing = {e.name for e in ENTRIES.values() if e.has("read", "write")}
    by_descriptor = {"wgmma.mma_async", "wgmma.mma_async.sp"}  # their matrices are named by descriptors in registers
    assert accessing - brackets == by_descriptor
    # Hints, questions about textures, and tensor memory, which no other instruction reaches, access nothing.
    hints = ("prefetch", "prefetchu", "applypriority", "discard", "createpolicy", "cp.async.bulk.prefetch",
        "cp.async.bulk.prefetch.tensor", "txq", "suq")
    others = {e.name for e in ENTRIES.values() if e.group == "tcgen05"} | {"fence.proxy", "cp.async.mbarrier.arrive"}
    assert brackets - accessing <= {*hints, *others}
    assert all(e.group for e in ENTRIES.values() if e.has("commit", "wait", "arrive")
        and not e.has("barrier", "read", "write"))
    assert {w for e in ENTRIES.values() for w in e.effects} == set(EFFECTS)


def test_sync_and_aligned_are_words_of_the_forms():
    """What whole warps execute says .aligned, but `bar`, which means it; what waits for lanes says .sync."""
    for name in ("mma", "ldmatrix", "stmatrix", "movmatrix", "wgmma.mma_async", "wgmma.fence", "setmaxnreg",
            "tcgen05.ld"):
        assert all("aligned" in {s.name for s in f.slots} for f in entry(name).forms), name
    for name in ("shfl", "vote", "match", "redux", "elect", "bar.warp.sync"):
        assert all("sync" in {s.name for s in f.slots} for f in entry(name).forms), name
    assert [e.name for e in ENTRIES.values() if e.has("aligned")] == ["bar"]


def test_limits_of_operands_name_entries_and_words():
    for row in ranges.TABLE:
        of = [f for own in named(row.entries) for f in own.forms]
        words = {w for f in of for s in f.slots for choice in s.choices for w in choice.split(".")}
        assert all(set(word.split("|")) & words for word in row.words.split()), row
        assert any(row.operand < len(f.operands) for f in of), row
