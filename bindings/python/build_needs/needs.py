"""How pip builds the package: scikit-build-core, after a look at what the machine lacks; and what the wheel needs.

A free-threaded Python links nanobind in (CMakeLists.txt), and nanobind-backend serves none; no environment marker tells one
from the other."""

import os
import re
import shutil
import sysconfig

from scikit_build_core import build

COMPILERS = {"C": ("CC", ("cc", "gcc", "clang", "icx"), "gcc"), "C++": ("CXX", ("c++", "g++", "clang++", "icpx"), "g++")}


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
    variables = {name: value for name, value in os.environ.items() if name.startswith(("CMAKE_", "SKBUILD_CMAKE_"))}
    found = list(lacking(f"{settings} {variables}"))
    if found:
        things, packages = zip(*found)
        raise SystemExit(
            f"eigpack cannot be built: this machine lacks {', '.join(things)}. Debian, Ubuntu: apt-get install {' '.join(packages)}"
        )


def looking_first(hook):
    """The hook, after a look at the machine; without build isolation pip begins with another one."""

    def wrapped(*arguments, **named):
        demand((arguments, named))
        return hook(*arguments, **named)

    return wrapped


for name in build.__all__:
    hook = getattr(build, name)
    globals()[name] = hook if "sdist" in name else looking_first(hook)


class Provider:
    def dynamic_metadata(self, settings, project):
        linked = sysconfig.get_config_var("Py_GIL_DISABLED")
        return {"dependencies": ["numpy>=1.23"] + ([] if linked else ["nanobind-backend>=1.0"])}
