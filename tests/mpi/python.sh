#!/usr/bin/env bash
# The example for mpi4py, on 1 and 3 ranks.  Ends with 77 where Python has no mpi4py, or one for another MPI.
#     tests/mpi/python.sh PYTHON MPIEXEC LIBEIGPACK_MPI
set -euo pipefail
example=$(cd "$(dirname "$0")/../.." && pwd)/bindings/python/examples/mpi_tridiagonal.py
"$1" -c 'import numpy, mpi4py' 2>/dev/null || { echo "no mpi4py and numpy in $1"; exit 77; }
seen=$("$2" -n 2 "$1" -c 'from mpi4py import MPI; MPI.COMM_WORLD.rank or print(MPI.COMM_WORLD.size)' 2>/dev/null)
seen=${seen%%$'\n'*}
[ "$seen" = 2 ] || { echo "mpi4py is made for another MPI than $2, which shows it as $seen ranks"; exit 77; }
for ranks in 1 3; do
    EIGPACK_MPI=$3 "$2" -n $ranks "$1" "$example" --order 3000 --device cpu
done
