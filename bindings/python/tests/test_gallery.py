"""The gallery's scripts run, small; each checks its own numbers, and its picture has no background, for light and dark pages."""

import pathlib
import subprocess
import sys

import pytest

image = pytest.importorskip("matplotlib.image")
SCRIPTS = sorted((pathlib.Path(__file__).parents[3] / "docs/gallery").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_script(script, tmp_path):
    picture = tmp_path / "picture.png"
    subprocess.run([sys.executable, script, "--small", picture], check=True, timeout=60)
    assert picture.stat().st_size > 5000
    assert image.imread(picture)[0, 0, 3] == 0


def test_there_are_scripts():
    assert len(SCRIPTS) >= 5
