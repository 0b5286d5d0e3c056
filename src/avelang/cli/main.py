"""The group of commands. Each command's module imports what it needs when it runs, so that `ave --help` is quick."""

from __future__ import annotations

import click

from avelang.base.version import VERSION
from avelang.cli.build import build
from avelang.cli.cache import cache
from avelang.cli.compile import compile_command
from avelang.cli.completion import completion
from avelang.cli.console import Commands, no_color
from avelang.cli.debug import debug
from avelang.cli.demo import demo
from avelang.cli.doctor import doctor
from avelang.cli.execute import exec_command
from avelang.cli.explain import explain
from avelang.cli.inspect import inspect_command
from avelang.cli.intrinsics import intrinsics
from avelang.cli.judge import judge_command
from avelang.cli.lsp import lsp_command
from avelang.cli.new import new
from avelang.cli.ptx import ptx
from avelang.cli.puzzle import puzzle
from avelang.cli.reduce import reduce_command
from avelang.cli.report import report_command
from avelang.cli.run import run
from avelang.cli.show import show
from avelang.cli.trace_command import trace_command
from avelang.cli.tune import tune


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="ave")
@no_color
def main() -> None:
    """Ave: a language in Python for matrix kernels, and its compiler."""


for _command in (new, run, debug, compile_command, build, report_command, inspect_command, exec_command, demo, doctor,
                 intrinsics, explain, show, cache, ptx, tune, trace_command, judge_command, reduce_command, completion,
                 puzzle, lsp_command):
    main.add_command(_command)


if __name__ == "__main__":
    main()
