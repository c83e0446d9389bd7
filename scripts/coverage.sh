#!/usr/bin/env bash
# Reports which lines of include/shardy/algebra the tests of the algebra run, and fails below 98 %.
# Needs what install_packages.sh installs: gcov comes with g++. All inline functions count, also
# those that no test ever names.
#
# scripts/coverage.sh          builds build/coverage, runs the tests, prints a table
# scripts/coverage.sh --lines  also each line that is not run
set -euo pipefail
cd "$(dirname "$0")/.."

least=98
targets=(algebra_test support_test mesh_replay sharding_replay rule_replay hlo_sharding_replay)
build=build/coverage

cmake --preset coverage >/dev/null
find "$build" -name '*.gcda' -delete
cmake --build --preset coverage --target "${targets[@]}"

# Every header once with all its inline functions: a line in no object file would not count.
for header in include/shardy/algebra/*.hpp include/shardy/algebra/detail/*.hpp; do echo "#include <${header#include/}>"; done \
  >"$build/every_header.cpp"
g++ -std=c++20 -O0 --coverage -fkeep-inline-functions -Iinclude -c "$build/every_header.cpp" \
  -o "$build/every_header.o"

"$build/tests/algebra_test" >/dev/null
"$build/tests/support_test" >/dev/null
for name in mesh sharding rule hlo_sharding; do
  "$build/tests/${name}_replay" "tests/fuzz/corpus/$name.txt" >/dev/null
done
python3 scripts/coverage_report.py "$build" include/shardy/algebra "$least" "${1:-}"
