#!/usr/bin/env bash
# Collectives on threads, then on two ranks next to MPI's own, under each MPI that is here. Some minutes.
#
# scripts/mpi_speed.sh [BUILD]     build/ci by default; `cmake --preset ci` for an optimized one
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/ci}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
cmake --build "$build" --target collective_speed
"$build/benchmarks/collective_speed"
for kind in openmpi mpich; do
  module="$build/src/tools/libshardy_mpi_$kind.so"
  plain="$build/benchmarks/libshardy_mpi_plain_$kind.so"
  if [ ! -e "$module" ] || ! command -v "mpirun.$kind" >/dev/null; then
    echo "$kind: not here"
    continue
  fi
  cmake --build "$build" --target "shardy_mpi_$kind" "shardy_mpi_plain_$kind"
  echo "$kind"
  SHARDY_MPI_MODULE="$module" "mpirun.$kind" -n 2 "$build/benchmarks/collective_speed" "$plain"
done
