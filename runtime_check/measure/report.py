#!/usr/bin/env python3
"""Turns cuwarp-measure's records into JSON and prints them as tables.

report.py RECORDS.tsv --json OUT.json   from the program's output (its .device file lies beside it)
report.py MEASURE.json                  prints the tables of a JSON file again
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys

FIELDS = ("group", "name", "series", "variant", "size", "bytes", "median_us", "low_us", "high_us", "samples", "calls", "result")
NUMBERS = {"size": int, "bytes": float, "median_us": float, "low_us": float, "high_us": float, "samples": int, "calls": int}

# Memory bandwidth by the makers' data sheets, bytes per second.
DATASHEET = {"NVIDIA H200": 4.8e12, "NVIDIA H100 80GB HBM3": 3.35e12, "NVIDIA A100-SXM4-80GB": 2.039e12}


def read_records(path):
    records = []
    for line in path.read_text().splitlines():
        record = dict(zip(FIELDS, line.split("\t"), strict=True))
        records.append({key: NUMBERS.get(key, str)(value) for key, value in record.items()})
    return records


def first_line_of(command, word=""):
    if not shutil.which(command[0]):
        return None
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    return next((line.strip() for line in lines if word in line), None)


def describe_machine(path):
    machine = dict(line.split("\t", 1) for line in path.read_text().splitlines())
    machine["driver"] = first_line_of(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"])
    machine["clocks_max"] = first_line_of(["nvidia-smi", "--query-gpu=clocks.max.sm,clocks.max.mem", "--format=csv,noheader"])
    machine["nvcc"] = first_line_of(["nvcc", "--version"], "release") or first_line_of(
        ["/usr/local/cuda/bin/nvcc", "--version"], "release")
    machine["datasheet_bytes_per_second"] = DATASHEET.get(machine["device"])
    return machine


def rate(record):
    return record["bytes"] / record["median_us"] / 1e6 if record["bytes"] else 0.0


def spread(record):
    return 100 * (record["high_us"] - record["low_us"]) / record["median_us"]


def print_ladder(records, machine, group, title):
    rows = [r for r in records if r["group"] == group]
    if not rows:
        return
    datasheet = machine.get("datasheet_bytes_per_second")
    library = {r["size"]: r["median_us"] for r in rows if r["name"] == "CUB"}
    print(f"\n{title}")
    print(f"{'size':>11} {'rung':16} {'us':>10} {'spread':>7} {'TB/s':>6} {'sheet':>6} {'x CUB':>6} {'x before':>8}  variant")
    before = {}
    for r in sorted(rows, key=lambda r: r["size"]):
        size = r["size"]
        of_sheet = f"{100e12 * rate(r) / datasheet:5.1f}%" if datasheet else "-"
        of_library = f"{library[size] / r['median_us']:6.3f}" if size in library else "-"
        step = f"{before[size] / r['median_us']:8.2f}" if size in before else " " * 8
        before[size] = r["median_us"]
        print(f"{size:>11} {r['name']:16} {r['median_us']:10.2f} {spread(r):6.1f}% {rate(r):6.3f} {of_sheet:>6} "
              f"{of_library:>6} {step}  {r['variant']}{'' if r['result'] == 'right' else '  WRONG'}")


def print_primitives(records):
    """Each beside CUB's time for the same work."""
    rows = [r for r in records if r["group"] == "primitive"]
    if rows:
        print("\nSegmented reduction, scan and histogram, calls in a row")
    library = {(r["name"], r["series"], r["size"]): r["median_us"] for r in rows if r["variant"].startswith("CUB ")}
    for r in rows:
        print(f"{r['size']:>11} {r['name']}, {r['series']:24} {r['variant']:38} {r['median_us']:10.2f} us {spread(r):5.1f}% "
              f"{rate(r):6.3f} TB/s {library[r['name'], r['series'], r['size']] / r['median_us']:7.3f} x CUB"
              f"{'' if r['result'] == 'right' else '  WRONG'}")


def print_copies(records):
    rows = [r for r in records if r["group"] == "copy"]
    if rows:
        print("\nCopies (bytes read and written)")
    for r in rows:
        print(f"{r['size']:>11} {r['variant']:16} {r['median_us']:10.2f} {spread(r):6.1f}% {rate(r):6.3f} TB/s"
              f"{'' if r['result'] == 'right' else '  WRONG'}")


def print_pairs(records):
    pairs = [r for r in records if r["group"] == "pair"]
    if pairs:
        print("\nPairs (how many times faster than the first side)")
    first = {}
    for r in pairs:
        key = (r["name"], r["series"])
        if key not in first:
            first[key] = r["median_us"]
            print(f"{r['name']}: {r['series']}, {r['size']} elements")
        print(f"  {r['variant']:62} {r['median_us']:11.2f} us {spread(r):5.1f}% {first[key] / r['median_us']:8.2f}"
              f"{f'{rate(r):8.3f} TB/s' if r['bytes'] else ''}{'' if r['result'] == 'right' else '  WRONG'}")


def print_tuning(records, count=12):
    for size in sorted({r["size"] for r in records if r["group"] == "tune"}):
        rows = sorted((r for r in records if r["group"] == "tune" and r["size"] == size), key=lambda r: r["median_us"])
        wrong = sum(r["result"] != "right" for r in rows)
        print(f"\nBest of {len(rows)} configurations at {size} floats ({wrong} wrong)")
        for r in rows[:count] + [r for r in rows[count:] if "bulk" in r["variant"]][:2]:
            print(f"  {r['variant']:44} {r['median_us']:10.2f} us {spread(r):5.1f}% {rate(r):6.3f} TB/s")


def print_best_everywhere(records, count=12):
    """Forms (without the grid) by their worst loss against the best at any size."""
    rows = [r for r in records if r["group"] == "tune" and r["result"] == "right"]
    best = {}
    of_form = {}
    for r in rows:
        form = r["variant"].rsplit("/", 2)[0]
        best[r["size"]] = min(best.get(r["size"], r["median_us"]), r["median_us"])
        sizes = of_form.setdefault(form, {})
        sizes[r["size"]] = min(sizes.get(r["size"], r["median_us"]), r["median_us"])
    loss = {form: max(sizes[s] / best[s] for s in sizes) for form, sizes in of_form.items() if len(sizes) == len(best)}
    if loss:
        print("\nForms by their worst time over the best at that size")
    for form in sorted(loss, key=loss.get)[:count]:
        print(f"  {form:36} {loss[form]:6.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    given = parser.parse_args()
    if given.input.suffix == ".json":
        result = json.loads(given.input.read_text())
    else:
        machine = describe_machine(given.input.with_name(given.input.name + ".device"))
        result = {"version": 1, "machine": machine, "records": read_records(given.input)}
    if given.json:
        lines = ",\n".join("  " + json.dumps(r) for r in result["records"])
        head = json.dumps({"version": 1, "machine": result["machine"]}, indent=1)
        given.json.write_text(head[:-2] + ',\n "records": [\n' + lines + "\n ]\n}\n")
    print("  ".join(f"{key}: {value}" for key, value in result["machine"].items() if value is not None))
    records = result["records"]
    print_ladder(records, result["machine"], "ladder", "Reduction ladder, calls in a row")
    print_ladder(records, result["machine"], "alone", "Reduction ladder, one call alone")
    print_ladder(records, result["machine"], "one buffer", "One buffer read again and again, calls in a row")
    print_primitives(records)
    print_copies(records)
    print_pairs(records)
    print_tuning(records)
    print_best_everywhere(records)
    return 1 if any(r["result"] != "right" and not r["variant"].startswith("hazard") for r in records) else 0


if __name__ == "__main__":
    sys.exit(main())
