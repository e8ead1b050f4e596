"""What pip says where the machine lacks something that the build needs: one sentence before CMake writes many."""

import os
import subprocess
import sys
import tarfile
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


def test_jaxlib_is_required_where_jax_is_asked_for():
    hook = "get_requires_for_build_wheel()"
    for told in ("-DEIG_JAX=ON", "-DX=1 -DEIG_JAX:BOOL=on -DY=2", "-DEIG_JAX=1"):
        assert "'jaxlib'" in call(hook, CMAKE_ARGS=told, **HERE)[2]
    assert "'jaxlib'" in call("get_requires_for_build_wheel({'cmake.define.EIG_JAX': 'ON'})", **HERE)[2]
    for told in ("", "-DEIG_JAX=OFF", "-DEIG_JAX=OFF -DEIG_CUDA=ON", "-DEIG_JAX=ON -DEIG_XLA_INCLUDE=/x"):
        assert "jaxlib" not in call(hook, CMAKE_ARGS=told, **HERE)[2], told


def test_jax_is_built_in_where_its_headers_are(tmp_path):
    header = tmp_path / "jaxlib/include/xla/ffi/api/ffi.h"
    find = f"import xla; needs.found = xla.include(['/nonexistent', {str(tmp_path)!r}])"
    assert call("found", find, **HERE)[2] == "\n"
    header.parent.mkdir(parents=True)
    header.touch()
    assert call("found", find, **HERE)[2] == f"{tmp_path}/jaxlib/include\n"
    here, nowhere = "needs.xla.include = lambda: '/x'", "needs.xla.include = lambda: ''"
    for told, where in (("", here), ("-DEIG_JAX=ON", nowhere), ("-DEIG_XLA_INCLUDE=/x", nowhere), ("-DEIG_JAX=AUTO", here)):
        assert call(f"jax({told!r})", where, **HERE)[2].startswith("with JAX"), told
    for told, where in (("", nowhere), ("-DEIG_JAX=OFF", here), ("-DEIG_JAX:BOOL=0", here), ("-DEIG_JAX=AUTO", nowhere)):
        assert call(f"jax({told!r})", where, **HERE)[2].startswith("without JAX"), told
    assert call("announce(())", f"needs.UNITS = dict.fromkeys(needs.UNITS, 0); {here}", CMAKE_ARGS="-DEIG_CUDA=OFF", **HERE)[2].startswith(
        "eigpack: building takes about 1 minute, without CUDA, as was asked; with JAX's transforms\n"
    )


def test_what_is_built_is_told(tmp_path):
    """The sentence about CUDA, by what is asked for, whether nvcc is here and whether a GPU answers."""
    for name, text in (("nvcc", "#!/bin/sh\n"), ("nvidia-smi", "#!/bin/sh\n[ -z \"$MUTE\" ] && echo 9.0\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    nothing, all_of_it = {"PATH": "/nonexistent"}, {"PATH": f"{tmp_path}:/bin:/usr/bin"}
    cases = [
        ({}, nothing, "cpu without CUDA, whose compiler nvcc is not here"),
        ({}, all_of_it, "a GPU with CUDA for the GPUs that answer; CMAKE_ARGS=-DEIG_CUDA=ON"),
        ({"MUTE": "1"}, all_of_it, "cpu without CUDA, as no GPU answers; CMAKE_ARGS=-DEIG_CUDA=ON"),
        ({"CMAKE_ARGS": "-DEIG_CUDA=OFF"}, all_of_it, "cpu without CUDA, as was asked"),
        ({"CMAKE_ARGS": "-DEIG_CUDA:STRING=ON -DX=1"}, nothing, "every GPU with CUDA for every GPU"),
        ({"CMAKE_ARGS": "-DCMAKE_CUDA_ARCHITECTURES=80"}, nothing, "a GPU with CUDA for the GPUs that were named"),
    ]
    for variables, here, want in cases:
        said = call("cuda(needs.told(()))", "needs.cuda = (lambda f: lambda x: ' '.join(f(x)))(needs.cuda)", **here, **variables)
        assert said[2].startswith(want), (variables, said)


def test_how_long_it_takes_is_told():
    program = "needs.UNITS = dict.fromkeys(needs.UNITS, {0})"
    assert " about 1 minute, without CUDA, as was asked" in call("announce(())", program.format(0), CMAKE_ARGS="-DEIG_CUDA=OFF", **HERE)[2]
    assert " minutes, without CUDA" in call("announce(())", program.format(10**6), CMAKE_ARGS="-DEIG_CUDA=OFF", **HERE)[2]
    assert call("announce(())", "pass", CMAKE_ARGS="-DEIG_LIBRARY=/x.a", **HERE)[2] == "None\n"


def test_sdist(tmp_path):
    """It holds the library's sources, leaves none behind, and builds another one like itself."""
    names = []
    source = PACKAGE
    for k in range(2):
        done = subprocess.run(
            [sys.executable, "-c", "import sys; sys.path.insert(0, 'build_needs'); import needs; print(needs.build_sdist(sys.argv[1]))", str(tmp_path / str(k))],
            cwd=source, env=NOWHERE, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        with tarfile.open(tmp_path / str(k) / done.stdout.split()[-1]) as archive:
            names.append({name for name in archive.getnames() if not name.endswith("PKG-INFO")})
            archive.extractall(tmp_path, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        source = tmp_path / done.stdout.split()[-1].removesuffix(".tar.gz")
    assert not (PACKAGE / "library").exists()
    for name in ("library/CMakeLists.txt", "library/include/eigpack.h", "library/src/heev.c", "library/LICENSE", "src/module.cpp", "eigpack/py.typed"):
        assert f"{source.name}/{name}" in names[0], name
    assert names[0] == names[1]


def test_pip_shows_the_sentence():
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps", "--no-build-isolation", str(PACKAGE)]
    done = subprocess.run(pip, env=NOWHERE, cwd="/", capture_output=True, text=True)
    assert done.returncode != 0
    assert BEGIN + "a C compiler, a C++ compiler" in done.stderr and "CMake" not in done.stderr + done.stdout
