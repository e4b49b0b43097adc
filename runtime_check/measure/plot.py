#!/usr/bin/env python3
"""Draws the measurements as SVG: plot.py MEASURE.json [--out DIR]

Writes reduction-ladder.svg and pairs.svg into DIR (default: docs/measurements of the project). Needs nothing but Python.
"""
import argparse
import html
import json
import math
import pathlib

COLOURS = ("#9ecae1", "#6baed6", "#3182bd", "#08519c")
SLOW, FAST, ROOF, INK, GRID = "#bdbdbd", "#3182bd", "#d95f02", "#222222", "#dddddd"
FONT = "font-family='Helvetica, Arial, sans-serif'"


class Svg:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.parts = [f"<rect width='{width}' height='{height}' fill='white'/>"]

    def text(self, x, y, words, size=12, anchor="start", colour=INK, weight="normal"):
        self.parts.append(f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' text-anchor='{anchor}' fill='{colour}' "
                          f"font-weight='{weight}' {FONT}>{html.escape(words)}</text>")

    def bar(self, x, y, width, height, colour, title):
        self.parts.append(f"<rect x='{x:.1f}' y='{y:.1f}' width='{max(width, 0.5):.1f}' height='{height:.1f}' fill='{colour}'>"
                          f"<title>{html.escape(title)}</title></rect>")

    def line(self, x1, y1, x2, y2, colour=GRID, dash=""):
        dashes = f" stroke-dasharray='{dash}'" if dash else ""
        self.parts.append(f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' stroke='{colour}'{dashes}/>")

    def save(self, path):
        body = "\n".join(self.parts)
        path.write_text(f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {self.width} {self.height}' "
                        f"width='{self.width}' height='{self.height}' role='img'>\n{body}\n</svg>\n")


def machine_text(machine):
    toolkit = (machine.get("nvcc") or "").split(",")[-1].strip().removeprefix("V")
    return f"{machine['device']}, driver {machine.get('driver') or 'unknown'}, nvcc {toolkit or 'unknown'}"


def rate(record):
    return record["bytes"] / record["median_us"] / 1e6


def draw_ladder(records, machine, path):
    rows = [r for r in records if r["group"] == "ladder"]
    rungs = list(dict.fromkeys(r["name"] for r in rows))
    sizes = sorted({r["size"] for r in rows})
    sheet = (machine.get("datasheet_bytes_per_second") or 0) / 1e12
    copies = [rate(r) for r in records if r["group"] == "copy" and r["size"] == sizes[-1]]
    left, top, width, group = 130, 70, 640, 66
    height = top + group * len(rungs) + 60
    roof = max([sheet, *copies, *(rate(r) for r in rows)]) * 1.03
    svg = Svg(left + width + 70, height)
    svg.text(20, 26, "Sum of floats: bytes read per second, rung by rung", 16, weight="bold")
    svg.text(20, 46, machine_text(machine) + "; median of batches over rotating buffers", 11)
    for tick in range(int(roof) + 1):
        x = left + width * tick / roof
        svg.line(x, top, x, height - 50)
        svg.text(x, height - 34, f"{tick}", 11, "middle")
    svg.text(left + width / 2, height - 16, "TB/s", 12, "middle")
    bar = (group - 14) / len(sizes)
    for n, rung in enumerate(rungs):
        y = top + n * group + 7
        svg.text(left - 10, y + (group - 14) / 2 + 4, rung, 13, "end")
        for k, size in enumerate(sizes):
            r = next((r for r in rows if r["name"] == rung and r["size"] == size), None)
            if r is None:
                continue
            words = f"{rung}, 2^{size.bit_length() - 1} floats: {rate(r):.3f} TB/s, {r['median_us']:.2f} us"
            svg.bar(left, y + k * bar, width * rate(r) / roof, bar - 1, COLOURS[k % len(COLOURS)], words)
            svg.text(left + width * rate(r) / roof + 4, y + k * bar + bar - 3, f"{rate(r):.2f}", 9)
    for at, words in ((sheet, "data sheet"), (max(copies, default=0), "device copy")):
        if at:
            x = left + width * at / roof
            svg.line(x, top - 4, x, height - 50, ROOF, "5 3")
            svg.text(x, top - 8 if words == "data sheet" else top + 4, f"{words} {at:.2f}", 10, "end" if words != "data sheet" else "middle", ROOF)
    for k, size in enumerate(sizes):
        svg.bar(left + 10 + k * 80, height - 12, 10, 8, COLOURS[k % len(COLOURS)], "")
        svg.text(left + 24 + k * 80, height - 4, f"2^{size.bit_length() - 1}", 10)
    svg.save(path)


def draw_pairs(records, machine, path):
    groups = {}
    for r in (r for r in records if r["group"] == "pair"):
        groups.setdefault((r["name"], r["series"]), []).append(r)
    lines = sum(len(g) + 1.4 for g in groups.values())
    row, top, left, width = 15, 64, 330, 400
    svg = Svg(left + width + 110, int(top + lines * row + 46))
    most = max(g[0]["median_us"] / r["median_us"] for g in groups.values() for r in g)
    least = min(g[0]["median_us"] / r["median_us"] for g in groups.values() for r in g)
    low, high = min(0, math.floor(math.log10(least))), math.ceil(math.log10(most))
    svg.text(20, 26, "How many times as fast as the first of each group", 16, weight="bold")
    svg.text(20, 46, machine_text(machine), 11)
    for power in range(low, high + 1):
        x = left + width * (power - low) / (high - low)
        svg.line(x, top, x, svg.height - 30)
        svg.text(x, svg.height - 14, f"{10 ** power:g}", 11, "middle")
    one = left + width * (0 - low) / (high - low)
    y = top
    for (rule, series), sides in groups.items():
        svg.text(20, y + row - 3, f"{rule}: {series}", 12, weight="bold")
        y += row
        for r in sides:
            gain = sides[0]["median_us"] / r["median_us"]
            x = left + width * (math.log10(gain) - low) / (high - low)
            good = r["variant"].split(":")[0] in ("fast", "corrected")
            wrong = " (wrong result)" if r["result"] != "right" else ""
            svg.text(left - 8, y + row - 4, r["variant"] + wrong, 10, "end")
            svg.bar(min(one, x), y + 2, abs(x - one), row - 4, FAST if good else SLOW, f"{r['median_us']:.2f} us")
            svg.text(max(one, x) + 4, y + row - 4, f"{gain:.2f}", 10)
            y += row
        y += 0.4 * row
    svg.save(path)


def main():
    here = pathlib.Path(__file__).resolve()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=here.parents[2] / "docs" / "measurements")
    given = parser.parse_args()
    data = json.loads(given.input.read_text())
    draw_ladder(data["records"], data["machine"], given.out / "reduction-ladder.svg")
    draw_pairs(data["records"], data["machine"], given.out / "pairs.svg")


if __name__ == "__main__":
    main()
