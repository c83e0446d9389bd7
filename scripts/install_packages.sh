#!/usr/bin/env bash
# Installs the Debian packages that the build and the tests need, unless all of them are there.
#
# scripts/install_packages.sh          what `check.sh --ci` and README's commands need
# scripts/install_packages.sh --all    also what `check.sh --all` needs
set -euo pipefail

packages=(
  g++ cmake ninja-build git ca-certificates pkg-config python3 python3-jsonschema clang-format-14
  libfmt-dev libexpected-dev libeigen3-dev nlohmann-json3-dev libcli11-dev catch2 libbenchmark-dev
  mlir-14-tools
  pybind11-dev python3-dev python3-numpy python3-pytest python3-pip python3-setuptools python3-venv python3-wheel mypy
  libzip-dev dpkg-dev clang-14 python3-clang-14 doxygen
  libopenmpi-dev openmpi-bin libmpich-dev mpich
  coinor-cbc python3-scipy
  zlib1g-dev node-d3 node-dagre-layout chromium chromium-driver python3-selenium tidy
)
if [ "${1:-}" = --all ]; then
  packages+=(clang-tidy-14 libclang-rt-14-dev llvm-14-dev libmlir-14-dev)
fi

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
