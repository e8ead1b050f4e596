"""The faults of tests/faults/python.txt, each planted in a copy of the package: the test that it names must fail.  With
EIG_TEST_FAULTS in the environment alone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import eigpack
import pytest

pytestmark = pytest.mark.skipif("EIG_TEST_FAULTS" not in os.environ, reason="EIG_TEST_FAULTS is not set: .ci/run python plants faults")
TESTS = Path(__file__).parent
ROOT = TESTS.parent.parent.parent


def faults():
    for paragraph in (ROOT / "tests/faults/python.txt").read_text().split("\nfault: ")[1:]:
        name, *lines = paragraph.split("\n")
        keys = {}
        for line in filter(None, lines):
            key, _, value = line.partition(": ")
            keys.setdefault(key, []).append(value)
        yield pytest.param({key: "\n".join(values) for key, values in keys.items()}, id=name)


@pytest.mark.parametrize("fault", list(faults()))
def test_a_fault_is_caught(fault, beside):
    shutil.copytree(Path(eigpack.__file__).parent, beside / "eigpack")
    file = beside / "eigpack" / Path(fault["file"]).name
    text = file.read_text()
    assert text.count(fault["find"]) == 1
    file.write_text(text.replace(fault["find"], fault["put"]))
    path = os.pathsep.join(filter(None, (str(beside), os.environ.get("PYTHONPATH"))))
    program = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *fault["tests"].split()]
    done = subprocess.run(program, cwd=TESTS, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert done.returncode == 1 and "FAILED" in done.stdout, done.stdout + done.stderr  # 1: a test failed
