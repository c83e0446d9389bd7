#!/usr/bin/env bash
# Makes the pictures of the page in docs/images/ for README and docs/view.md, in light and dark. It needs chromium, chromium-driver and
# python3-selenium.
#
# scripts/page_pictures.sh [SHARDY]     SHARDY: build/release/src/tools/shardy
set -euo pipefail
cd "$(dirname "$0")/.."
/usr/bin/python3 -B scripts/page_pictures.py "${1:-build/release/src/tools/shardy}" docs/images
