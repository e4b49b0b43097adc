#!/bin/bash
# accept.sh OUTDIR
# Takes what run_all.sh left in OUTDIR into the repository: the report, the table that `cuwarp-lint explain` shows, the page and
# the plot in docs/measurements/. Look at the changes and commit them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cp --no-preserve=mode "${1:?usage: accept.sh OUTDIR}/report.json" "$here/report.json"
[ -f "$1/cost.json" ] && cp --no-preserve=mode "$1/cost.json" "$here/cost.json"
python3 "$here/harness/table.py"
python3 "$here/harness/plot.py"
