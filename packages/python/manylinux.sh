#!/usr/bin/env bash
# Names a wheel for the oldest manylinux platform whose C library it can run with, as auditwheel finds out; indexes of packages
# take no other wheels. The wheel must bring its libraries (CUWARP_PORTABLE). Prints the name of the new file, beside the old one,
# which is removed.
#
#   packages/python/manylinux.sh cuwarp_lint-0.2.0-py3-none-linux_x86_64.whl      needs auditwheel and wheel (PyPI)
set -euo pipefail
wheel=${1:?usage: manylinux.sh WHEEL}
tag=$(auditwheel show "$wheel" | tr -d '\n' | sed -n 's/.*following platform tag: "\(manylinux_[0-9]*_[0-9]*_[a-z0-9_]*\)".*/\1/p')
if [ -z "$tag" ]; then
  echo "manylinux.sh: $wheel is consistent with no manylinux platform" >&2
  exit 1
fi
name=$(python3 -m wheel tags --remove --platform-tag "$tag" "$wheel" | tail -1)
echo "$(dirname "$wheel")/$name"
