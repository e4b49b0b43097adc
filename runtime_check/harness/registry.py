"""The registry (runtime_check/registry.txt) as cases: which kernels run, as what shape, with which launches."""

import copy
import dataclasses
import re

from headers import FIXTURES, ROOT, Malformed, Run, read_header

REGISTRY = ROOT / "runtime_check" / "registry.txt"

# Rules of which a GPU can show nothing, and why.
NOT_FOR_A_GPU = {
    "legacy-warp-intrinsic": "the program does not compile for compute capability 7.0 and later",
    "its-opt-out": "CUDA 13, with which these runs were made, compiles for no such target any more",
    "sm6x-partial-mask": "it is about GPUs before Volta, for which CUDA 13 does not compile",
    "warp-size-assumption": "warps of NVIDIA's GPUs have 32 lanes; the rule is about those of others",
}
# Corrected kernels of which a tool reports what is none, and why that is certain (docs/internals/runtime-check.md).
FALSE_ALARMS = {
    ("missing-syncthreads/good_producer_consumer", "racecheck"):
        "PTX orders what comes before bar.arrive in front of what comes behind the bar.sync that it completes; racecheck does not"
        " follow the first",
}
# Shapes that take any n up to their grid: corrected kernels run with odd ones, too.
ANY_SIZE = {"block-reduce", "warp-reduce", "grid-reduce", "block-scan", "block-exscan", "stencil3", "broadcast", "copy",
            "histogram", "filter", "buckets", "partial-sums", "moments"}
SQUARE = {"transpose", "matmul"}
NEEDS_80 = re.compile(r"\b__reduce_(add|min|max|and|or|xor)_sync\b|\bcp\.async\b")


@dataclasses.dataclass
class Case:
    """One kernel of one file. `runs` are its launches: one for a hazard, several for what must be correct."""
    name: str
    path: object
    kernel: str
    shape: str
    runs: list
    rule: str
    role: str  # hazard, corrected or reference

    @property
    def file(self):
        return str(self.path.relative_to(FIXTURES).with_suffix(""))

    def takes_size(self):
        return self.shape in ANY_SIZE

    def is_single_block(self):
        return all(run.grid == [1] for run in self.runs)

    def needs_80(self):
        return bool(NEEDS_80.search(self.path.read_text(encoding="utf-8")))


@dataclasses.dataclass
class Entry:
    """One line of the registry."""
    rule: str
    hazard: str  # empty: none
    corrected: list
    grid: int
    n: int  # None: as the header says
    note: str
    line: int


def parse_options(text, line):
    note = ""
    if "note=" in text:
        text, note = text.split("note=", 1)
    options = {}
    for word in text.split():
        key, equals, value = word.partition("=")
        if key not in ("grid", "n") or not equals or not value.isdigit():
            raise Malformed("registry.txt:%d: %s" % (line, word))
        options[key] = int(value)
    return options, note.strip()


def qualified(rule, name):
    return name if "/" in name or not name else "%s/%s" % (rule, name)


def entries(path=REGISTRY):
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("|")]
        if len(fields) != 4:
            raise Malformed("registry.txt:%d: four fields, please" % number)
        rule, hazard, corrected, options = fields
        options, note = parse_options(options, number)
        names = [qualified(rule, name.strip()) for name in corrected.split(",") if name.strip()]
        yield Entry(rule, "" if hazard == "-" else qualified(rule, hazard), names, options.get("grid", 0), options.get("n"),
                    note, number)


def path_of(name, line):
    path = FIXTURES / (name + ".cu")
    if not path.is_file():
        raise Malformed("registry.txt:%d: there is no fixtures/%s.cu" % (line, name))
    return path


def enlarged(run, entry):
    """The launch for a GPU, which has room for more blocks than the emulation has patience."""
    run = copy.deepcopy(run)
    if entry.grid and run.grid != [1]:
        run.grid = [entry.grid]
    if entry.n is not None and run.grid != [1]:
        run.n = entry.n
    return run


def other_sizes(run):
    """The same launch with sizes that are no multiples of anything."""
    if run.shape in SQUARE:
        sizes = [run.n - 7, run.n + 1, 33]
    elif run.shape in ANY_SIZE and run.grid != [1]:
        block = run.block[0]
        sizes = [1, 31, 33, block + 1, 2 * block - 1]
    else:
        return []
    found = []
    for n in sizes:
        if n > 0:
            found.append(copy.deepcopy(run))
            found[-1].n = n
    return found


def runs_of(path, line):
    runs, _ = read_header(path.read_text(encoding="utf-8"))
    named = [run for run in runs if run.shape != "any"]
    if not named:
        raise Malformed("registry.txt:%d: %s has no cuwarp-run line with a shape that is checked" % (line, path))
    return named


def hazard_cases(entry):
    path = path_of(entry.hazard, entry.line)
    for i, run in enumerate(runs_of(path, entry.line)):
        yield Case("%s#%d" % (entry.hazard, i), path, run.kernel, run.shape, [enlarged(run, entry)], entry.rule, "hazard")


def sound_cases(entry, name):
    """One case per kernel; all its launches, large, as in the header, and of odd sizes."""
    path, by_kernel = path_of(name, entry.line), {}
    for run in runs_of(path, entry.line):
        small = other_sizes(run)
        by_kernel.setdefault((run.kernel, run.shape), []).extend([enlarged(run, entry), run, *other_sizes(run)])
    for i, ((kernel, shape), runs) in enumerate(by_kernel.items()):
        different = [run for k, run in enumerate(runs) if run not in runs[:k]]
        yield Case("%s#%d" % (name, i), path, kernel, shape, different, entry.rule, "corrected" if entry.hazard else "reference")


def load(path=REGISTRY):
    """(entries, cases by name). A corrected kernel that several hazards share is one case."""
    all_entries, cases = list(entries(path)), {}
    for entry in all_entries:
        if entry.hazard:
            for case in hazard_cases(entry):
                if case.name in cases:
                    raise Malformed("registry.txt:%d: %s is registered twice" % (entry.line, entry.hazard))
                cases[case.name] = case
        for name in entry.corrected:
            for case in sound_cases(entry, name):
                cases.setdefault(case.name, case)
    return all_entries, cases
