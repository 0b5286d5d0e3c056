"""The command line, run in this process."""

import pytest
from click.testing import CliRunner


@pytest.fixture
def ave():
    def run(*args):
        from avelang.cli.main import main

        return CliRunner().invoke(main, [str(a) for a in args])

    return run
