"""Validation: what is wrong with an instruction that a typed call would write. Instructions are judged by Ave's own
table of PTX; `PtxValidationError` is what the typed matrix calls raise."""

from __future__ import annotations

import dataclasses
from typing import Any

from avelang.base.errors import AveError, AveTypeError
from avelang.base.places import here, wrong
from avelang.nvptx import nodes as n
from avelang.nvptx.check import check
from avelang.nvptx.parse import parse_body
from avelang.nvptx.printer import instruction as text_of


@dataclasses.dataclass(frozen=True)
class ValidationIssue:
    """A fault of an instruction, in words."""

    instruction: str
    message: str
    severity: str = "error"


ValidationError = ValidationIssue


class PtxValidationError(AveTypeError, ValueError):
    """An instruction that PTX, or the kernel's chip, does not have: with the code of Ave's table (S202 to S208, T201 to
    T203, U206, U207), or T241. `issues`: what is wrong; `user_frame`: (file, line) of the call."""

    issues: list[ValidationIssue]
    user_frame: tuple[str, int] | None


def invalid(parts: tuple[str, ...], why: str) -> PtxValidationError:
    """The error for an instruction of this name. The caller raises it."""
    return _of(wrong("T241", None, name=".".join(parts), why=why), ".".join(parts))


def refused(found: AveError, instruction: n.PtxInstruction) -> PtxValidationError:
    """An error of Ave's table as one of this package. The caller raises it."""
    return _of(found, text_of(instruction).strip())


def _of(found: AveError, text: str) -> PtxValidationError:
    out = PtxValidationError(*found.args)
    out.code, out.message, out.hint, out.span = found.code, found.message, found.hint, found.span or here()
    out.issues = [ValidationIssue(text, found.message)]
    out.user_frame = (out.span.file, out.span.line) if out.span is not None else None
    return out


def validate_instruction(instruction: Any) -> list[ValidationIssue]:
    """The faults that Ave's table finds in an instruction: a node of `avelang.nvptx.nodes`, or its text."""
    if isinstance(instruction, str):
        found = parse_body(instruction if instruction.rstrip().endswith(";") else f"{instruction};")
        instruction = found[0]
    why = check(instruction)
    return [] if why is None else [ValidationIssue(text_of(instruction).strip(), str(why.message))]


def validate_or_raise(instruction: Any) -> None:
    """Raises PtxValidationError for an instruction that PTX does not have."""
    issues = validate_instruction(instruction)
    if issues:
        raise invalid((issues[0].instruction,), issues[0].message)
