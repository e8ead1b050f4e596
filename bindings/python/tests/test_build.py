"""What pip says where the machine lacks something that the build needs: one sentence before CMake writes many."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("scikit_build_core", reason="scikit-build-core is not here: the wheel was not built in this venv")
PACKAGE = Path(__file__).parent.parent


def call(hook, prepare="pass", **variables):
    """What a hook of the build writes before it ends, in an environment of these variables."""
    program = f"import sys, sysconfig; sys.path.insert(0, 'build_needs'); import needs; {prepare}; print(needs.{hook})"
    done = subprocess.run([sys.executable, "-c", program], cwd=PACKAGE, env=variables, capture_output=True, text=True)
    return done.returncode, done.stderr, done.stdout


HERE = {"PATH": os.environ["PATH"]}
NOWHERE = {"PATH": "/nonexistent"}
WITHOUT_HEADERS = "sysconfig.get_path = lambda name: '/nonexistent'"
BEGIN = "eigpack cannot be built: this machine lacks "


@pytest.mark.parametrize("hook", ["get_requires_for_build_wheel()", "build_wheel('x')", "prepare_metadata_for_build_wheel('x')"])
def test_what_is_missing_is_told(hook):
    told = call(hook, WITHOUT_HEADERS, **NOWHERE)
    lacks = "a C compiler, a C++ compiler, Python's headers (Python.h). Debian, Ubuntu: apt-get install gcc g++ python3-dev\n"
    assert told == (1, BEGIN + lacks, "")


def test_what_is_there_is_not_told():
    hook = "get_requires_for_build_wheel()"
    assert call(hook, **HERE)[0] == 0
    assert call(hook, WITHOUT_HEADERS, **HERE)[1] == BEGIN + "Python's headers (Python.h). Debian, Ubuntu: apt-get install python3-dev\n"
    assert "a C++ compiler (CXX names /no/g++). " in call(hook, CXX="/no/g++ -m64", **HERE)[1]
    assert call(hook, WITHOUT_HEADERS, CMAKE_ARGS="-DPython_INCLUDE_DIR=/x", **HERE)[0] == 0
    assert call(hook, CMAKE_ARGS="-DCMAKE_C_COMPILER=/x/cc -DCMAKE_CXX_COMPILER=/x/c++", **NOWHERE)[0] == 0
    assert call(hook, CMAKE_ARGS="-DCMAKE_C_COMPILER_LAUNCHER=ccache", **NOWHERE)[0] == 1
    assert call("get_requires_for_build_sdist()", WITHOUT_HEADERS, **NOWHERE)[0] == 0


def test_pip_shows_the_sentence():
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps", "--no-build-isolation", str(PACKAGE)]
    done = subprocess.run(pip, env=NOWHERE, cwd="/", capture_output=True, text=True)
    assert done.returncode != 0
    assert BEGIN + "a C compiler, a C++ compiler" in done.stderr and "CMake" not in done.stderr + done.stdout
