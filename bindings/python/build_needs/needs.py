"""How pip builds the package: scikit-build-core, after a look at what the machine lacks; what the build and the wheel need;
and the library's sources in an sdist.

A free-threaded Python links nanobind in (CMakeLists.txt), and nanobind-backend serves none; no environment marker tells one
from the other."""

import os
import re
import shutil
import sysconfig

from scikit_build_core import build

COMPILERS = {"C": ("CC", ("cc", "gcc", "clang", "icx"), "gcc"), "C++": ("CXX", ("c++", "g++", "clang++", "icpx"), "g++")}

LIBRARY, ROOT = "library", os.path.join("..", "..")
SOURCES = ("CMakeLists.txt", "LICENSE", "cmake", "include", "packaging/address", "src")


def lacking(told):
    """What CMake would not find, with Debian's name for it; ``told`` is what CMake is told, perhaps where to look."""
    for language, (variable, names, package) in COMPILERS.items():
        chosen = os.environ.get(variable, "").split()[:1]
        if not any(map(shutil.which, chosen or names)) and not re.search(r"_COMPILER\b|TOOLCHAIN", told):
            yield f"a {language} compiler" + "".join(f" ({variable} names {name})" for name in chosen), package
    if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")) and "Python_" not in told:
        yield "Python's headers (Python.h)", "python3-dev"


def demand(settings):
    """Ends with one sentence before CMake writes many."""
    found = list(lacking(told(settings)))
    if found:
        things, packages = zip(*found)
        raise SystemExit(
            f"eigpack cannot be built: this machine lacks {', '.join(things)}. Debian, Ubuntu: apt-get install {' '.join(packages)}"
        )


def told(settings):
    """What CMake is told, by the environment and by pip's settings."""
    variables = {name: value for name, value in os.environ.items() if name.startswith(("CMAKE_", "SKBUILD_CMAKE_"))}
    return f"{settings} {variables}"


def looking_first(hook):
    """The hook, after a look at the machine; without build isolation pip begins with another one."""

    def wrapped(*arguments, **named):
        demand((arguments, named))
        return hook(*arguments, **named)

    return wrapped


def with_jaxlib(hook):
    """What the build requires, and jaxlib where CMake is told EIG_JAX and no other place of the headers."""

    def wrapped(*arguments, **named):
        words = told((arguments, named))
        asked = re.search(r"EIG_JAX\b[^\w]*(:BOOL)?[^\w]*(ON|TRUE|YES|1)\b", words, re.IGNORECASE) and "EIG_XLA_INCLUDE" not in words
        return hook(*arguments, **named) + ["jaxlib"] * bool(asked)

    return wrapped


def with_library(hook):
    """The hook with the library's sources in the folder library, whence an sdist takes them."""

    def wrapped(*arguments, **named):
        if os.path.exists("PKG-INFO"):  # this is an sdist
            return hook(*arguments, **named)
        try:
            shutil.rmtree(LIBRARY, ignore_errors=True)
            os.mkdir(LIBRARY)
            for name in SOURCES:
                source, target = os.path.join(ROOT, name), os.path.join(LIBRARY, name)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                (shutil.copytree if os.path.isdir(source) else shutil.copy2)(source, target)
            return hook(*arguments, **named)
        finally:
            shutil.rmtree(LIBRARY, ignore_errors=True)

    return wrapped


for name in build.__all__:
    hook = getattr(build, name)
    if "sdist" not in name:
        hook = looking_first(hook)
    if name in ("get_requires_for_build_wheel", "get_requires_for_build_editable"):
        hook = with_jaxlib(hook)
    globals()[name] = with_library(hook) if name == "build_sdist" else hook


def root():
    return LIBRARY if os.path.exists("PKG-INFO") else ROOT


def read(name):
    with open(os.path.join(root(), name), encoding="utf-8") as file:
        return file.read()


def version():
    return ".".join(re.search(rf"^#define EIG_VERSION_{part} (\d+)$", read("include/eigpack.h"), re.MULTILINE)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def urls():
    lines = [line.split() for line in read("packaging/address").splitlines() if line[:1] not in "#"]
    home, repository = (dict(lines)[word] for word in ("home", "repository"))
    return {"Homepage": home, "Documentation": home, "Repository": repository, "Changelog": f"{repository}/blob/main/CHANGELOG.md"}


class Provider:
    """What CMake and pip learn from the same two files, and a dependency that a free-threaded Python has not.

    The extra "cuda" brings the extension with CUDA inside, a wheel of its own (packaging/wheels)."""

    def dynamic_metadata(self, settings, project):
        linked = sysconfig.get_config_var("Py_GIL_DISABLED")
        needs = ["numpy>=1.23"] + ([] if linked else ["nanobind-backend>=1.0"])
        extras = {"cuda": [f"eigpack-cuda=={version()}"], "test": ["pytest", "scipy"]}
        return {"version": version(), "urls": urls(), "dependencies": needs, "optional-dependencies": extras}
