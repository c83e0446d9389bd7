#!/usr/bin/env bash
# Everything that must hold before a commit.
#
# scripts/check.sh          layers, names, format, documents, then configure, build and test the dev preset
# scripts/check.sh --ci     the same with the ci preset: optimized, with assertions; what CI runs
# scripts/check.sh --all    --ci, then all consumers, `pip install .`, every public header by itself, asan, tsan and clang-tidy, with clang
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
}

# C and C++ files of the project, with the rows of ops (.inc); what a foreign consumer compiles (tests/install) is not among its targets.
all_files() {
  find -- * \( -name '*.[ch]pp' -o -name '*.[ch]' -o -name '*.inc' \) -not -path 'build/*' | LC_ALL=C sort
}
compiled_files() {
  all_files | grep -E '^(src|tests|examples)/.*\.cpp$' | grep -v '^tests/install/'
}

check_format() {
  echo "== clang-format"
  if ! command -v clang-format-14 >/dev/null; then
    echo "error: no clang-format-14: scripts/install_packages.sh installs it" >&2
    return 1
  fi
  all_files | xargs -r clang-format-14 --dry-run --Werror
}

# Constructs that clang 14 cannot compile with libstdc++ 12; CI builds with g++ only, which is faster.
check_portable() {
  local subrange='(unique|remove|remove_if|equal_range|partition|stable_partition|rotate|search|find_end)'
  if all_files | xargs -r grep -HnE "std::(views|source_location|format|expected|ranges::(views|$subrange\\())"; then
    echo "error: not in the portable subset of CONTRIBUTING.md" >&2
    return 1
  fi
}

check_text() {
  echo "== layers, names of attributes and files, documents, language, portable subset"
  python3 scripts/check_layers.py
  python3 scripts/check_attribute_names.py
  python3 scripts/check_families.py
  python3 scripts/count_additions.py >/dev/null
  python3 scripts/check_docs.py
  python3 scripts/check_language.py
  check_portable
  check_format
}

# A source file that no target compiles is dead, and a test in it never runs.
check_all_compiled() {
  local compiled=build/$1/compiled_files.txt file option dead=0
  { # Unity units name their sources in include lines.
    grep -o '"file": ".*"' "build/$1/compile_commands.json"
    find "build/$1" -path '*/Unity/*' -name '*.cxx' -exec grep -h '#include' {} +
  } >"$compiled"
  for file in $(compiled_files); do
    # Files that dev does not require.
    case $file in
      src/python/*) option=SHARDY_PYTHON ;;
      src/simulation/mpi/* | */mpi_*.cpp | *_mpi.cpp) option=SHARDY_MPI ;;
      *) option= ;;
    esac
    if [[ -n $option ]] && ! grep -q "^$option:.*=ON$" "build/$1/CMakeCache.txt"; then
      continue
    fi
    if ! grep -qF "/$file\"" "$compiled"; then
      echo "$file: no target compiles it"
      dead=1
    fi
  done
  return $dead
}

run_preset() {
  echo "== preset $1"
  cmake --preset "$1"
  if [[ $1 == dev || $1 == ci ]]; then # The sanitizers' leave out tests that count memory.
    check_all_compiled "$1"
  fi
  cmake --build --preset "$1"
  ctest --preset "$1"
}

# The tests compile half of the cells.
check_packages() {
  echo "== consumers with each compiler and language"
  python3 -B scripts/package_matrix.py build/ci/stage build/ci/package_matrix --all
}

# The tests link the library of the finished build.
check_pip() {
  echo "== pip install, with the library compiled by pip"
  /usr/bin/python3 -B tests/python/pip_install_test.py . -
}

# The tests run with clang under the sanitizers; without sanitizers they would find nothing more.
check_headers() {
  echo "== headers with clang"
  cmake --preset clang
  cmake --build build/clang --target all_verify_interface_header_sets
}

check_tidy() {
  echo "== clang-tidy"
  cmake --build build/clang --target shardy_api_calls # A test includes the headers that this target writes.
  scripts/tidy.py build/clang
}

case "${1:-}" in
  "")
    check_text
    run_preset dev
    ;;
  --ci)
    check_text
    run_preset ci
    ;;
  --all)
    check_text
    run_preset ci
    check_packages
    check_pip
    check_headers
    run_preset asan
    run_preset tsan
    check_tidy
    ;;
  *)
    usage >&2
    exit 2
    ;;
esac
