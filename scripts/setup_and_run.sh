#!/usr/bin/env bash
# Installs what is missing, builds the command line and runs it: shards each example, simulates it on
# all of its devices and compares the result with an unsharded run.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install_packages.sh --tools
cmake --preset release -DSHARDY_TESTS=OFF -DSHARDY_BENCHMARKS=OFF -DCMAKE_COMPILE_WARNING_AS_ERROR=OFF
cmake --build build/release --target src/tools/all
for example in transformer moe; do
  build/release/src/tools/shardy run "examples/$example.json" --check
done
