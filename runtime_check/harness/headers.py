"""What the header comments of fixtures say about running their kernels; used by the harness and by tests/emu.

    // cuwarp-run: SHAPE KERNEL block=B[xBY[xBZ]] [grid=G] [n=N] [smem=BYTES]      one line per kernel worth running
    // cuwarp-emu: clean | race | violation | hang | wrong | cannot WHY             where the emulation's verdict is not the usual
"""

import dataclasses
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The folder of the kernels, each in a folder of its rule; CUWARP_CASES names another one (runtime_check/wild).
FIXTURES = pathlib.Path(os.environ.get("CUWARP_CASES") or ROOT / "fixtures").resolve()
SHAPE_HEADERS = [ROOT / "runtime_check" / "shapes" / name for name in ("base.hpp", "warps.hpp", "shapes.hpp", "kernels.hpp")]
ROW_SHAPES = ROOT / "runtime_check" / "shapes" / "rows.hpp"  # of runtime_check/wild alone
DIRECTIVE = re.compile(r"//\s*cuwarp-(run|emu):\s*(.*?)\s*$")
OPTION = re.compile(r"\s+(block|grid|n|smem)=(\S+)")


FIXED_GRID = {"sum-of-all"}  # host functions that launch as many blocks as they like


def is_wild(path):
    """Whether it is one of runtime_check/wild, whose kernels alone use ROW_SHAPES."""
    return path.resolve().is_relative_to(ROOT / "runtime_check" / "wild")


class Malformed(Exception):
    pass


def shapes():
    """The names of the drivers: functions run_SHAPE(kernel, const config &)."""
    found = set()
    for header in [*SHAPE_HEADERS, ROW_SHAPES]:
        for line in re.sub(r",\n\s+", ", ", header.read_text(encoding="utf-8")).split("\n"):
            if "const config &c) {" in line and (name := re.search(r"\bvoid run_(\w+)\(", line)):
                found.add(name[1].replace("_", "-"))
    return found


SHAPES = shapes()


def sizes(text):
    return [int(part) for part in text.split("x")]


@dataclasses.dataclass
class Run:
    shape: str
    kernel: str
    block: list
    grid: list
    n: int
    shared: int

    def call(self, around_grid=""):
        """The driver's call, in C++; `around_grid` may lessen the number of blocks, where no size asks for all of them."""
        around_grid = "" if self.n or self.shape in FIXED_GRID else around_grid
        def dim(values):
            return "dim3(%s)" % ", ".join(str(v) for v in values)
        return "::cuwarp::run_%s(%s, {%s(%s), %s, %d, %d})" % (
            self.shape.replace("-", "_"), self.kernel, around_grid, dim(self.grid), dim(self.block), self.n, self.shared)


def parse_run(text):
    options = dict(OPTION.findall(text))
    shape, _, kernel = OPTION.sub("", text).strip().partition(" ")
    if shape not in SHAPES or not kernel or "block" not in options:
        raise Malformed("cuwarp-run: %s" % text)
    return Run(shape, kernel.strip(), sizes(options["block"]), sizes(options.get("grid", "2")), int(options.get("n", 0)),
               int(options.get("smem", 0)))


def read_header(text):
    """(runs, what cuwarp-emu announces or None)"""
    runs, announced = [], None
    for line in text.split("\n"):
        if line.strip() and not line.lstrip().startswith("//"):
            break
        if found := DIRECTIVE.search(line):
            if found[1] == "run":
                runs.append(parse_run(found[2]))
            else:
                announced = found[2]
    return runs, announced
