#!/bin/bash
# part.sh PART OUTDIR [ARGUMENT...]
# One of the runs that together are all of runtime_check, where nvcc and a GPU are, and how long it took:
#
#   kernels                  run_all.sh: the fixtures' hazards and what corrects them, with --cost
#   wild                     the same for runtime_check/wild (skewed sources: build/skewed-wild)
#   programs FOLDER          whole programs: what `programs.py prepare` left in FOLDER
#   compare --OPTION FOLDER  compute-sanitizer in the labelled suites of others (compare/gpu.py)
#   ladder                   the reduction ladder and the pairs
#   primitives               segmented sums, scan and histogram
#
# Leaves in OUTDIR what the part's own script leaves, and a line of seconds.csv: part, seconds with building, GPU, day. The lines are
# those of runtime_check/seconds.csv, of which `seconds.py page` makes docs/measurements/gpu-time.md.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
part=${1:?usage: part.sh PART OUTDIR [ARGUMENT...]}
out=${2:?usage: part.sh PART OUTDIR [ARGUMENT...]}
shift 2
mkdir -p "$out"
out=$(cd "$out" && pwd)
began=$SECONDS
case $part in
  kernels) "$here/run_all.sh" "$out" --no-measure --cost --seconds 530 ;;
  wild) "$here/run_all.sh" "$out" --cases "$here/wild" --skewed "$root/build/skewed-wild" --no-measure --cost --seconds 400 ;;
  programs) python3 "$here/programs/programs.py" run "${1:?programs needs a folder}" --seconds 500 && cp "$1/programs.json" "$out/" ;;
  compare) python3 "$here/compare/gpu.py" --out "$out/runs.json" "$@" ;;
  ladder) BUILD=$(mktemp -d) "$here/measure/run.sh" "$out" ;;
  primitives) BUILD=$(mktemp -d) "$here/measure/run.sh" "$out" --primitives ;;
  *) echo "part.sh: no part $part" >&2; exit 2 ;;
esac
status=$?
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1)
[ -f "$out/seconds.csv" ] || echo "part,seconds,gpu,day" >"$out/seconds.csv"
echo "$part,$((SECONDS - began)),${gpu:-none},$(date +%F)" >>"$out/seconds.csv"
tail -1 "$out/seconds.csv"
exit $status
