#!/usr/bin/env bash
# Installs the Debian packages that the build and the tests need, unless all of them are there.
#
# scripts/install_packages.sh --tools    what setup_and_run.sh needs: the command line and the library
# scripts/install_packages.sh --python   also what `pip install .` needs
# scripts/install_packages.sh            also what `check.sh --ci` needs
# scripts/install_packages.sh --all      also what `check.sh --all` needs
set -euo pipefail

tools=(
  g++ cmake ninja-build git ca-certificates pkg-config dpkg-dev
  libfmt-dev libexpected-dev libeigen3-dev nlohmann-json3-dev libcli11-dev libzip-dev
  zlib1g-dev node-d3 node-dagre-layout
)
python=(
  python3 pybind11-dev python3-dev python3-numpy python3-pip python3-setuptools python3-venv python3-wheel
)
tests=(
  clang-format-14 clang-14 python3-clang-14 doxygen catch2 libbenchmark-dev mlir-14-tools
  python3-jsonschema python3-pytest python3-scipy mypy
  libopenmpi-dev openmpi-bin libmpich-dev mpich
  coinor-cbc chromium chromium-driver python3-selenium tidy
)
all=(clang-tidy-14 libclang-rt-14-dev llvm-14-dev libmlir-14-dev)

case "${1:-}" in
  --tools) packages=("${tools[@]}") ;;
  --python) packages=("${tools[@]}" "${python[@]}") ;;
  "") packages=("${tools[@]}" "${python[@]}" "${tests[@]}") ;;
  --all) packages=("${tools[@]}" "${python[@]}" "${tests[@]}" "${all[@]}") ;;
  *)
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "error: missing packages: ${missing[*]}; install them as root" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -qq -y --no-install-recommends "${missing[@]}"
