"""The extension with CUDA, a package of its own (packaging/wheels), is taken where it is installed and of the same version."""

import shutil
import subprocess
import sys
from pathlib import Path

import eigpack
import pytest

PROGRAM = """
import numpy, eigpack, eigpack._numpy
from eigpack import _core
assert eigpack._core is _core is eigpack._families._core and eigpack._numpy.host_address is _core.host_address
print(_core.__file__, *eigpack.eigvalsh(numpy.diag([2.0, 1.0])))
"""


def test_version():
    assert eigpack.__version__ == eigpack._core.version


@pytest.mark.parametrize("extension, words", [(None, "holds no extension"), (b"no library", "does not load: ")])
@pytest.mark.parametrize("package", ["eigpack", "eigpack_cuda"])
def test_why_the_extension_does_not_load(tmp_path, extension, words, package):
    """One ImportError, which follows from no other package's absence."""
    shutil.copytree(Path(eigpack.__file__).parent, tmp_path / "eigpack", ignore=shutil.ignore_patterns("_core.*", "__pycache__"))
    (tmp_path / package).mkdir(exist_ok=True)
    if package == "eigpack_cuda":
        (tmp_path / package / "__init__.py").write_text(f'__version__ = "{eigpack.__version__}"\n')
    if extension:
        (tmp_path / package / Path(eigpack._core.__file__).name).write_bytes(extension)
    done = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import eigpack"], capture_output=True, text=True, cwd=tmp_path)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith(f"ImportError: {package}: ") and words in last and str(tmp_path / package) in last, done.stderr
    assert "No module named 'eigpack_cuda'" not in done.stderr


@pytest.mark.parametrize("version, taken", [(eigpack.__version__, True), ("0.0.1", False)])
def test_eigpack_cuda(beside, version, taken):
    """Here a copy of the extension without CUDA stands for it, before one that is installed."""
    own = Path(eigpack.__file__).parent / Path(eigpack._core.__file__).name
    package = beside / "eigpack_cuda"
    package.mkdir()
    shutil.copy(own, package)
    (package / "__init__.py").write_text(f'__version__ = "{version}"\n')
    program = f"import sys; sys.path[:0] = [{str(beside)!r}, {str(own.parent.parent)!r}]\n{PROGRAM}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=beside)
    place = package if taken else own.parent
    assert done.stdout.split() == [str(place / own.name), "1.0", "2.0"], done.stderr
    assert ('install both from one release' in done.stderr) == (not taken), done.stderr
