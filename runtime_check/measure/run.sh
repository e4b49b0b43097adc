#!/bin/bash
# runtime_check/measure/run.sh OUTDIR [--tune] [--quick] [--primitives]
# Builds cuwarp-measure with the nvcc found (CUDACXX overrides), runs the reduction ladder and the pairs on the first GPU and
# leaves in OUTDIR: measure.json (all records with the machine's description), measure.txt (tables), build.log.
# --primitives measures segmented sums, scan and histogram against CUB in place of that: primitives.json, primitives.txt.
# --tune adds the sweep over the last rung's configurations: tune.json and a table of the best. Needs nvcc 12.8 or newer,
# CMake 3.25, Python 3.9; nothing is downloaded. Takes about two minutes on an H200, three with --tune.
# BUILD names the build directory (default: OUTDIR/build); CUDAARCHS the architectures (default: the GPU's own).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: run.sh OUTDIR [--tune] [--quick] [--primitives]}
shift
mkdir -p "$out"
out=$(cd "$out" && pwd)
build=${BUILD:-$out/build}
tune=
quick=
primitives=
for word in "$@"; do
  case $word in
    --tune) tune=yes ;;
    --quick) quick=--quick ;;
    --primitives) primitives=yes ;;
    *) echo "run.sh: unknown option $word" >&2; exit 2 ;;
  esac
done
if [ -z "${CUDACXX:-}" ] && ! command -v nvcc >/dev/null; then
  if [ -x /usr/local/cuda/bin/nvcc ]; then
    export CUDACXX=/usr/local/cuda/bin/nvcc
  else
    echo "run.sh: no nvcc: put it on the PATH or name it in CUDACXX" >&2
    exit 2
  fi
fi
generator=()
command -v ninja >/dev/null && generator=(-G Ninja)
if ! { cmake -S "$here" -B "$build" "${generator[@]}" && cmake --build "$build" --parallel "${JOBS:-$(nproc)}"; } \
    >"$out/build.log" 2>&1; then
  tail -30 "$out/build.log" >&2
  exit 2
fi
if [ -n "$primitives" ]; then
  "$build/cuwarp-measure" $quick --primitives --out "$out/primitives.tsv"
  python3 "$here/report.py" "$out/primitives.tsv" --json "$out/primitives.json" | tee "$out/primitives.txt"
  rm -f "$out"/*.tsv "$out"/*.tsv.device
  exit 0
fi
"$build/cuwarp-measure" $quick --ladder --pairs --out "$out/measure.tsv"
python3 "$here/report.py" "$out/measure.tsv" --json "$out/measure.json" | tee "$out/measure.txt"
if [ -n "$tune" ]; then
  "$build/cuwarp-measure" $quick --tune --out "$out/tune.tsv"
  python3 "$here/report.py" "$out/tune.tsv" --json "$out/tune.json" | tee "$out/tune.txt"
fi
rm -f "$out"/*.tsv "$out"/*.tsv.device
