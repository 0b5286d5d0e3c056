"""Kernels by their names of before they had folders: the same modules."""

from __future__ import annotations

import importlib
import pickle

import pytest

import avelang_kernels
from avelang_kernels import FORMER


@pytest.mark.parametrize("folder", FORMER)
def test_former_names_are_the_same_modules(folder):
    for name in FORMER[folder]:
        module = importlib.import_module(f"avelang_kernels.{folder}.{name}")
        assert importlib.import_module(f"avelang_kernels.{name}") is module
        assert getattr(avelang_kernels, name) is module
        assert module.__name__ == module.__spec__.name == f"avelang_kernels.{folder}.{name}"


def test_a_former_name_imports_a_kernel_that_pickles():
    from avelang_kernels.mfma_gemm import mfma_gemm  # type: ignore

    assert pickle.loads(pickle.dumps(mfma_gemm)) is mfma_gemm


def test_other_names_are_not_found():
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("avelang_kernels.no_such_kernel")
