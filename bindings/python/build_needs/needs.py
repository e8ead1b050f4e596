"""How pip builds the package: scikit-build-core, after a look at what the machine lacks; what the build and the wheel need;
and the library's sources in an sdist.

A free-threaded Python links nanobind in (CMakeLists.txt), and nanobind-backend serves none; no environment marker tells one
from the other."""

import os
import re
import shutil
import subprocess
import sysconfig

import xla
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


def jax(told):
    """What CMake will make of JAX (CMakeLists.txt), as a sentence."""
    if "EIG_XLA_INCLUDE" in told or re.search(r"EIG_JAX\b[^\w]*(:\w+)?[^\w]*(ON|TRUE|YES|1)\b", told, re.IGNORECASE) or (
        not re.search(r"EIG_JAX\b[^\w]*(:\w+)?[^\w]*(OFF|FALSE|NO|0)\b", told, re.IGNORECASE) and xla.include()
    ):
        return "with JAX's transforms"
    return "without JAX's transforms (pip install jaxlib first)"


# How long the library takes to compile, by what is asked for, in units of one file (UNIT) as gcc 12 and nvcc 13 took them.
UNIT = "src/cpu/geev/geev_repair.c", ["-O3", "-std=c11", "-DEIG_BUILDING", "-DEIG_TYPE=z"]
UNITS = {"cpu": 300, "a GPU": 1050, "every GPU": 6000}
MORE = "CMAKE_ARGS=-DEIG_CUDA=ON builds for every GPU (hours)"


def cuda(told):
    """What CMake will make of CUDA (cmake/eigpack_cuda.cmake): a key of UNITS, and a sentence."""
    asked = re.search(r"EIG_CUDA\b[^\w]*(?::\w+)?[^\w]*(\w+)", told)
    asked = asked[1].upper() if asked else "AUTO"
    if asked in ("OFF", "NO", "FALSE", "0"):
        return "cpu", "without CUDA, as was asked"
    if asked != "AUTO" and "CUDA_ARCHITECTURES" not in told:
        return "every GPU", "with CUDA for every GPU, as was asked"
    if "CUDA_ARCHITECTURES" in told or "CUDAARCHS" in os.environ:
        return "a GPU", "with CUDA for the GPUs that were named"
    if not shutil.which(os.environ.get("CUDACXX") or "nvcc"):
        return "cpu", 'without CUDA, whose compiler nvcc is not here (the package eigpack-cuda needs none)'
    try:
        answer = subprocess.run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], capture_output=True, text=True)
    except OSError:
        answer = None
    if answer is None or answer.returncode or not re.search(r"\d\.\d", answer.stdout):
        return "cpu", f"without CUDA, as no GPU answers; {MORE}"
    return "a GPU", f"with CUDA for the GPUs that answer; {MORE}"


def minutes(units):
    """How long that takes here: one file is compiled, and the cores are shared with what else runs."""
    name, flags = UNIT
    includes = ["-I" + os.path.join(root(), folder) for folder in ("src", "src/numerics", "src/cpu", "include")]
    compiler = os.environ.get("CC") or next(filter(shutil.which, COMPILERS["C"][1]), "cc")
    before = os.times().children_user
    subprocess.run([*compiler.split(), *flags, *includes, "-c", os.path.join(root(), name), "-o", os.devnull], capture_output=True)
    cores = len(os.sched_getaffinity(0))
    return int(1 + units * (os.times().children_user - before) * (cores + os.getloadavg()[0]) / cores**2 / 60)


def announce(settings):
    """Says first what is built and how long that takes: to pip's log, and to the terminal, where pip shows nothing of a build."""
    words = told(settings)
    if "EIG_LIBRARY" in words:
        return
    asked, sentence = cuda(words)
    long = minutes(UNITS["cpu"] + (UNITS[asked] if asked != "cpu" else 0))
    line = f"eigpack: building takes about {long} minute{'s' * (long > 1)}, {sentence}; {jax(words)}"
    print(line, flush=True)
    try:
        with open("/dev/tty", "w") as terminal:
            terminal.write(f"\n  {line}\n")
    except OSError:  # no terminal
        pass


def announcing(hook):
    """The hook, after the line about what it builds."""

    def wrapped(*arguments, **named):
        demand((arguments, named))
        announce((arguments, named))
        return hook(*arguments, **named)

    return wrapped


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
        hook = announcing(hook) if name in ("build_wheel", "build_editable") else looking_first(hook)
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
    if "example.org" in home + repository:  # not set yet
        return {}
    return {"Homepage": home, "Documentation": home, "Repository": repository, "Changelog": f"{repository}/blob/main/CHANGELOG.md"}


class Provider:
    """What CMake and pip learn from the same two files, and a dependency that a free-threaded Python has not.

    The extra "cuda" brings the extension with CUDA inside, a wheel of its own (packaging/wheels)."""

    def dynamic_metadata(self, settings, project):
        linked = sysconfig.get_config_var("Py_GIL_DISABLED")
        needs = ["numpy>=1.23"] + ([] if linked else ["nanobind-backend>=1.0"])
        extras = {"cuda": [f"eigpack-cuda=={version()}"], "test": ["pytest", "scipy"]}
        return {"version": version(), "urls": urls(), "dependencies": needs, "optional-dependencies": extras}
