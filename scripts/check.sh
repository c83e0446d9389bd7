#!/usr/bin/env bash
# Everything that must hold before a commit.
#
# scripts/check.sh          layers, names, format, documents, then configure, build and test the dev preset
# scripts/check.sh --ci     the same with the ci preset: optimized, with assertions; what CI runs
# scripts/check.sh --all    --ci, then clang, asan, tsan and clang-tidy; clang is what dev is, with the other compiler,
#                           and ci is of the same compiler as dev
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

# What clang 14 cannot compile with libstdc++ 12; CI builds with g++ only, so that it stays quick.
check_portable() {
  local subrange='(unique|remove|remove_if|equal_range|partition|stable_partition|rotate|search|find_end)'
  if all_files | xargs -r grep -HnE "std::(views|source_location|format|expected|ranges::(views|$subrange\\())"; then
    echo "error: not in the portable subset of CONTRIBUTING.md" >&2
    return 1
  fi
}

check_text() {
  echo "== layers, names of attributes and files, documents, portable subset"
  python3 scripts/check_layers.py
  python3 scripts/check_attribute_names.py
  python3 scripts/check_families.py
  python3 scripts/count_additions.py >/dev/null
  python3 scripts/check_docs.py
  check_portable
  check_format
}

# A source file that no target compiles is dead, and a test in it never runs.
check_all_compiled() {
  local compiled=build/$1/compiled_files.txt file dead=0
  { # Unity units name their sources in include lines.
    grep -o '"file": ".*"' "build/$1/compile_commands.json"
    find "build/$1" -path '*/Unity/*' -name '*.cxx' -exec grep -h '#include' {} +
  } >"$compiled"
  for file in $(compiled_files); do
    # The Python module is built by the presets that ask for it.
    if [[ $file == src/python/* ]] && ! grep -q '^SHARDY_PYTHON:.*=ON$' "build/$1/CMakeCache.txt"; then
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
  check_all_compiled "$1"
  cmake --build --preset "$1"
  ctest --preset "$1"
}

check_tidy() {
  echo "== clang-tidy"
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
    for preset in ci clang asan tsan; do
      run_preset "$preset"
    done
    check_tidy
    ;;
  *)
    usage >&2
    exit 2
    ;;
esac
