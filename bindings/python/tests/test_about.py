"""show_config and test."""

import sys

import eigpack
import numpy as np
import pytest
from conftest import DEVICE
from eigpack import _about


def test_show_config(capsys):
    told = eigpack.show_config("dicts")
    assert told["version"] == eigpack.__version__ and told["extension"] == eigpack._core.__file__
    assert told["cpu"] == eigpack.describe("cpu") and told["libraries"]["numpy"] == np.__version__
    assert told["jax targets"].startswith("built with" if eigpack._core.jax_targets() else "not built")
    try:
        assert told["cuda"] == eigpack.describe("cuda")
    except eigpack.DeviceError as error:
        assert told["cuda"] == str(error)
    assert eigpack.show_config() is None
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"version:     {eigpack.__version__}" and f"numpy {np.__version__}" in lines[-1] and len(lines) == len(told)
    with pytest.raises(ValueError, match="mode is 'text'"):
        eigpack.show_config("text")


def test_libraries_are_not_imported():
    absent = [name for name in _about.PEERS if name not in sys.modules]
    eigpack.show_config("dicts")
    assert not any(name in sys.modules for name in absent)


def test_the_test_passes(capsys):
    assert eigpack.test(DEVICE) is True
    assert capsys.readouterr().out == ""
    assert eigpack.test(DEVICE, verbose=True)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4 * (2 * 7 + 2 * 4) and all(line.startswith("ok") for line in lines)


@pytest.mark.parametrize("name", ["eigh", "eigvalsh", "eig", "eigvals", "eigh_tridiagonal", "eigvalsh_tridiagonal", "sturm_count"])
def test_the_test_sees_what_is_wrong(monkeypatch, capsys, name):
    right = getattr(eigpack, name)

    def wrong(*arrays, **options):
        result = right(*arrays, **options)
        if name == "eigvalsh_tridiagonal":
            return eigpack.Bounds(result.upper * 1.1 + 1, result.lower, result.upper)
        if isinstance(result, tuple):
            return type(result)(result[0], result[1] * 1.001)
        return result + 1

    monkeypatch.setattr(eigpack, name, wrong)
    assert eigpack.test(DEVICE) is False
    assert f"WRONG {name} " in capsys.readouterr().out
    with pytest.raises(TypeError, match="verbose"):
        eigpack.test(DEVICE, verbose=1)
