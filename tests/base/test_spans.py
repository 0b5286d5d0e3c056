"""Spans: what an excerpt of a source file marks."""

from avelang.base.spans import Span


def test_an_excerpt_marks_columns_or_the_whole_line_without_its_indent(tmp_path):
    file = tmp_path / "k.py"
    file.write_text("def f():\n    größe = call(x)\n", encoding="utf-8")
    line = "2 |     größe = call(x)"
    assert Span(str(file), 2).excerpt().splitlines()[1:] == [line, "  |     ^^^^^^^^^^^^^^^"]
    at = "    größe = ".encode()
    assert Span(str(file), 2, len(at), 2, len(at) + 7).excerpt().splitlines()[1:] == [line, "  |             ^^^^^^^"]
    assert Span(str(tmp_path / "gone.py"), 1).excerpt() == ""
