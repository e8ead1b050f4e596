"""python -m eigpack script.py: the script, with NumPy's and SciPy's functions by eigpack."""

import sys

import eigpack
from eigpack._switch import run

sys.exit(run("eigpack", sys.argv[1:], eigpack.patch_numpy, eigpack.routed))
