#!/usr/bin/env bash
# All examples and random programs on 1, 2, 3, 4 and 8 ranks, under each MPI that is here: bit by bit
# what threads give. Some minutes; a sample runs with the tests.
#
# scripts/mpi_sweep.sh [BUILD [CASES]]     build/ci and 2000 by default
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/ci}
cases=${2:-2000}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
cmake --build "$build" --target shardy mpi_sweep
for kind in openmpi mpich; do
  module="$build/src/tools/libshardy_mpi_$kind.so"
  if [ ! -e "$module" ] || ! command -v "mpirun.$kind" >/dev/null; then
    echo "$kind: not here"
    continue
  fi
  for ranks in 1 2 3 4 8; do
    SHARDY_MPI_MODULE="$module" "mpirun.$kind" -n "$ranks" "$build/tests/mpi_sweep" "$cases" | sed "s/^/$kind: /"
  done
done
python3 tests/tools/mpi_test.py "$build/src/tools/shardy" examples --all
