"""Calls that compiled code repeats are of one test: others replace what such calls would launch."""

import pytest

from avelang.bridge import relaunched


@pytest.fixture(autouse=True)
def no_known_calls():
    """Forgets calls that were made before a test, and in it."""
    relaunched.forget()
    yield
    relaunched.forget()
