#!/bin/bash
# run_all.sh OUTDIR [--cases DIR] [--skewed DIR] [--no-measure] [--cost] [--seconds N] [--resume REPORT]
# All of runtime_check on this machine within ten minutes (16 cores, one H200): builds the drivers, runs every check on every
# registered kernel, measures the ladder and the pairs, and leaves in OUTDIR
#
#   report.json        the verdicts (commit it as runtime_check/report.json)
#   report.txt         the table
#   measure.json, measure.txt
#   cost.json          with --cost: the time of corrected kernels over that of the hazards (harness/cost.py)
#   logs.tar.gz        what every process printed, and the build's output
#
# Needs nvcc 12.8 or newer (PATH or CUDACXX), CMake 3.25, ninja, Python 3.9, a GPU, and compute-sanitizer for its checks; no
# linter, no network. --cases is the folder of the kernels (default: fixtures; the other one is runtime_check/wild, whose report
# is committed as runtime_check/wild/report.json). --skewed is the folder of prepare.sh (default: build/skewed beside this folder), made on a machine that has
# the linter. --seconds is the time for all of it (default 570): checks that would begin later are left out and told as missing.
# --resume: a report.json of this machine that the time cut short; only what it lacks is run. CUDAARCHS: architectures (default:
# the GPU's own). The measurements have the GPU for themselves, beside them only compilers run.
# Exit status: that of confirm.py: 0 all as it must be, 1 a corrected kernel failed or a hazard has no verdict, 2 could not run.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: run_all.sh OUTDIR [--cases DIR] [--skewed DIR] [--no-measure] [--cost] [--seconds N] [--resume REPORT]}
shift
skewed=$(dirname "$here")/build/skewed
measure=yes
cost=
resume=()
seconds=570
while [ $# -gt 0 ]; do
  case $1 in
    --cases) export CUWARP_CASES=$(realpath "$2"); shift 2 ;;
    --skewed) skewed=$2; shift 2 ;;
    --seconds) seconds=$2; shift 2 ;;
    --cost) cost=yes; shift ;;
    --no-measure) measure=; shift ;;
    --resume) resume=(--resume "$(realpath "$2")"); shift 2 ;;
    *) echo "run_all.sh: unknown option $1" >&2; exit 2 ;;
  esac
done
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=${BUILD:-$(mktemp -d)}
logs=$work/logs
mkdir -p "$logs"
began=$SECONDS
if [ -z "${CUDACXX:-}" ]; then
  if command -v nvcc >/dev/null; then export CUDACXX=$(command -v nvcc)
  elif [ -x /usr/local/cuda/bin/nvcc ]; then export CUDACXX=/usr/local/cuda/bin/nvcc
  else echo "run_all.sh: no nvcc: put it on the PATH or name it in CUDACXX" >&2; exit 2
  fi
fi
if [ -z "${CUDAARCHS:-}" ]; then
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -1 | tr -d '. ')
  if [ -z "$capability" ]; then
    echo "run_all.sh: no GPU: nvidia-smi lists none; runtime_check needs one of compute capability 7.5 or later" >&2
    exit 2
  fi
  [ "$capability" != 90 ] || capability=90a # with what only this generation has
  export CUDAARCHS=$capability-real
fi
options=()
claims=()
if [ -d "$skewed" ]; then
  options+=("-DCUWARP_SKEWED_SOURCES=$(cd "$skewed" && pwd)")
  [ -f "$skewed/claims.json" ] && claims=(--claims "$skewed/claims.json")
else
  echo "run_all.sh: no skewed sources in $skewed: run prepare.sh where the linter is; going on without" >&2
fi

# A unit that does not compile costs its own cases only; they are told as missing.
build_checks() {
  cmake -S "$here" -B "$work/build" -G Ninja "${options[@]}" >"$logs/build.txt" 2>&1 || { tail -20 "$logs/build.txt" >&2; return 2; }
  ninja -C "$work/build" -k 0 >>"$logs/build.txt" 2>&1 || grep -A8 FAILED "$logs/build.txt" | head -60
  echo "checks built behind $((SECONDS - began)) s"
}
build_checks &
building=$!

if [ -n "$measure" ]; then
  BUILD=$work/measure "$here/measure/run.sh" "$out/measure" >"$logs/measure.txt" 2>&1 || tail -5 "$logs/measure.txt"
  cp "$out/measure/measure.json" "$out/measure/measure.txt" "$out/" 2>/dev/null
  rm -rf "$out/measure"
  echo "measured behind $((SECONDS - began)) s"
fi
wait "$building" || exit 2

left=$((seconds - (SECONDS - began) - 30))
[ -n "$cost" ] && left=$((left * 6 / 10))
python3 "$here/harness/confirm.py" --build "$work/build" "${claims[@]}" "${resume[@]}" --logs "$logs" \
  --deadline "$left" --report "$out/report.json" >"$out/report.txt" 2>"$logs/confirm.txt"
status=$?
cat "$logs/confirm.txt"
if [ -n "$cost" ]; then
  left=$((seconds - (SECONDS - began) - 15))
  python3 "$here/harness/cost.py" --build "$work/build" --deadline "$left" --report "$out/cost.json" 2>&1 | tee "$logs/cost.txt"
fi
tail -40 "$out/report.txt"
tar -C "$work" -czf "$out/logs.tar.gz" logs
echo "all in $((SECONDS - began)) s, exit status $status"
[ -n "${BUILD:-}" ] || rm -rf "$work"
exit $status
