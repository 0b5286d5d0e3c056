"""`ave completion ...`: a shell comes in; the script that completes `ave` there goes out, or into the place where that
shell looks for it."""

from __future__ import annotations

import pathlib
import subprocess

import click

from avelang.base import knobs
from avelang.cli.console import FAILED, fail

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_AVE_COMPLETE"
MARK = "# completion of ave"


@click.group()
def completion() -> None:
    """Complete commands, options, chips and files of `ave` by the Tab key; `ave completion install` sets it up."""


def script(shell: str) -> str:
    """The text that a shell reads to complete `ave`, by click. For bash the version of the shell is not asked: the text
    is the same for all that have it (4.4 and newer)."""
    from click.shell_completion import BashComplete, get_completion_class

    main = click.get_current_context().find_root().command
    made = get_completion_class(shell)
    assert made is not None
    if made is BashComplete:
        complete = BashComplete(main, {}, "ave", VARIABLE)
        return complete.source_template % complete.source_vars()
    return made(main, {}, "ave", VARIABLE).source()


def _printer(shell: str) -> click.Command:
    @click.command(shell, help=f"Print the script for {shell}.")
    def command() -> None:
        click.echo(script(shell))

    return command


for _shell in SHELLS:
    completion.add_command(_printer(_shell))


def place(shell: str, home: pathlib.Path) -> pathlib.Path:
    """The file in which a user's completion of `ave` stands: a folder in which bash-completion and fish look of
    themselves; for zsh one that ~/.zshrc must name."""
    return {
        "bash": home / ".local/share/bash-completion/completions/ave",
        "zsh": home / ".zfunc/_ave",
        "fish": home / ".config/fish/completions/ave.fish",
    }[shell]


@completion.command()
@click.argument("shell", required=False, type=click.Choice(SHELLS))
def install(shell: str | None) -> None:
    """Write the script where SHELL (default: that of the variable SHELL) looks for it; doing it again changes nothing.

    bash: ~/.local/share/bash-completion/completions/ave, which the package bash-completion reads; where that package
    is not there, a line in ~/.bashrc. zsh: ~/.zfunc/_ave, and lines in ~/.zshrc. fish:
    ~/.config/fish/completions/ave.fish."""
    named = shell or pathlib.PurePath(knobs.shell()).name
    if named not in SHELLS:
        raise click.UsageError(f"the variable SHELL is {knobs.shell()!r}; name the shell: {', '.join(SHELLS)}")
    home = pathlib.Path.home()
    file = place(named, home)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        text = script(named) + "\n"
        same = file.exists() and file.read_text() == text
        if not same:
            file.write_text(text)
        click.echo(f"{'as it was' if same else 'wrote'} {file}")
        for rc, line in _lines(named, home, file):
            text = rc.read_text() if rc.exists() else ""
            if MARK not in text:
                rc.write_text(f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{line}  {MARK}\n")
                click.echo(f"added a line to {rc}")
    except OSError as exc:
        fail(f"cannot write {exc.filename or file}: {exc.strerror}", status=FAILED)
    click.echo("open a new shell to have it")


def _lines(shell: str, home: pathlib.Path, file: pathlib.Path) -> list[tuple[pathlib.Path, str]]:
    """Lines that a startup file needs, by file."""
    if shell == "zsh":
        return [(home / ".zshrc", "fpath=(~/.zfunc $fpath); autoload -Uz compinit && compinit")]
    if shell == "bash" and not _has_bash_completion():
        return [(home / ".bashrc", f"source {file}")]
    return []


def _has_bash_completion() -> bool:
    """True where an interactive bash loads the package bash-completion."""
    command = ["bash", "-ic", "declare -F _completion_loader _comp_load"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return "_comp" in done.stdout
