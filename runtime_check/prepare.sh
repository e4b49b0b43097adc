#!/bin/bash
# prepare.sh [CUWARP-LINT] [DIR]
# Makes the skewed sources that run_all.sh builds (default: build/release/cuwarp-lint, build/skewed; about 2 MB). Needs neither
# nvcc nor a GPU, so it runs where the linter is, and its folder can be carried to a machine that has only those two.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
exec python3 "$here/harness/prepare.py" --bin "${1:-$root/build/release/cuwarp-lint}" --out "${2:-$root/build/skewed}"
