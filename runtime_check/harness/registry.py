"""The registered fixtures as cases: which kernels run on a GPU, as what shape, with which launches.

A fixture registers itself with a comment line, its last one:

    // cuwarp-gpu: RULE corrected=NAME[,NAME…] [grid=N] [n=N] [note=…]      a hazard, and the fixtures that correct it
    // cuwarp-gpu: reference [grid=N] [n=N]                                 a kernel of which there is no wrong version

NAME is a fixture without .cu, of the same folder if it names none. The kernels in them, their shapes and sizes are those of their
`cuwarp-run:` lines; grid= and n= are for the GPU only, which has room for more blocks than the emulation has patience. note= is
what is worth knowing.
"""

import copy
import dataclasses
import re

from headers import FIXTURES, ROOT, Malformed, Run, read_header

RULES = re.compile(r'^CW_RULE\(\w+, "([\w-]+)"', re.M)
DIRECTIVE = re.compile(r"^// cuwarp-gpu: *(.*?) *$", re.M)

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
    ("mbarrier-misuse/good_one_arrives_for_each_warp", "racecheck"):
        "each warp's lanes come before its first lane's arrival by __syncwarp(), and behind its wait by another; racecheck does not"
        " follow the order through two kinds of barriers",
}
# Shapes that take any n up to their grid: corrected kernels run with odd ones, too.
ANY_SIZE = {"block-reduce", "warp-reduce", "grid-reduce", "block-scan", "block-exscan", "stencil3", "broadcast", "copy",
            "histogram", "filter", "buckets", "partial-sums", "moments"}
SQUARE = {"transpose", "matmul"}
NEEDS_80 = re.compile(r"\b__reduce_(add|min|max|and|or|xor)_sync\b|\bcp\.async\b")
ARGUMENTS = re.compile(r"^// cuwarp-args:.*--arch (?:sm_)?(\d+)", re.M)  # a fixture that is linted for an architecture needs it
NEEDS_90 = re.compile(r"\bcp\.async\.bulk\b|\bfence\.proxy\.async\b|\bcuda::ptx::")
OF_ONE_ARCHITECTURE = re.compile(r"\bwgmma\.")  # instructions of sm_90a that no later architecture has


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

    def is_of_one_architecture(self):
        """Does it compile for sm_90a only?"""
        return bool(OF_ONE_ARCHITECTURE.search(self.path.read_text(encoding="utf-8")))

    def least_architecture(self):
        """The first one for which the file compiles."""
        text = self.path.read_text(encoding="utf-8")
        asked = ARGUMENTS.search(text)
        needed = 90 if NEEDS_90.search(text) else 80 if NEEDS_80.search(text) else 0
        return max(needed, int(asked[1]) if asked else 0)


@dataclasses.dataclass
class Entry:
    """One registered fixture."""
    rule: str
    hazard: str  # empty: none
    corrected: list
    grid: int
    n: int  # None: as the header says
    note: str
    place: str  # for messages


def qualified(folder, name):
    return name if "/" in name else "%s/%s" % (folder, name)


def shown_path(path):
    """As it is told: from the root of the repository, where it is in there."""
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


def entry_of(path, text):
    """The entry that a directive's text makes in a file."""
    folder, name, place = path.parent.name, "%s/%s" % (path.parent.name, path.stem), shown_path(path)
    text, _, note = text.partition("note=")
    what, *words = text.split() or [""]
    options = {}
    for word in words:
        key, equals, value = word.partition("=")
        if key not in ("corrected", "grid", "n") or not value or (key != "corrected" and not value.isdigit()):
            raise Malformed("%s: cuwarp-gpu: %s" % (place, word))
        options[key] = value
    corrected = [qualified(folder, other) for other in options.get("corrected", "").split(",") if other]
    if (what == "reference") == bool(corrected):
        raise Malformed("%s: cuwarp-gpu: a hazard has fixtures that correct it, a reference has none" % place)
    size = int(options["n"]) if "n" in options else None
    if what == "reference":
        return Entry(folder, "", [name], int(options.get("grid", 0)), size, note.strip(), place)
    return Entry(what, name, corrected, int(options.get("grid", 0)), size, note.strip(), place)


def entries(fixtures=FIXTURES):
    """In the order of the rules, then of the files; those of folders that are no rule's last."""
    order = {name: k for k, name in enumerate(RULES.findall((ROOT / "rules" / "rules.def").read_text(encoding="utf-8")))}
    paths = sorted(fixtures.glob("*/*.cu"), key=lambda p: (order.get(p.parent.name, len(order)), str(p)))
    for path in paths:
        found = DIRECTIVE.findall(path.read_text(encoding="utf-8"))
        if len(found) > 1:
            raise Malformed("%s has two cuwarp-gpu lines" % path)
        if found:
            yield entry_of(path, found[0])


def path_of(name, place):
    path = FIXTURES / (name + ".cu")
    if not path.is_file():
        raise Malformed("%s: there is no %s" % (place, shown_path(path)))
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


def runs_of(path, place):
    runs, _ = read_header(path.read_text(encoding="utf-8"))
    named = [run for run in runs if run.shape != "any"]
    if not named:
        raise Malformed("%s: %s has no cuwarp-run line with a shape that is checked" % (place, path))
    return named


def hazard_cases(entry):
    path = path_of(entry.hazard, entry.place)
    for i, run in enumerate(runs_of(path, entry.place)):
        yield Case("%s#%d" % (entry.hazard, i), path, run.kernel, run.shape, [enlarged(run, entry)], entry.rule, "hazard")


def sound_cases(entry, name):
    """One case per kernel; all its launches, large, as in the header, and of odd sizes."""
    path, by_kernel = path_of(name, entry.place), {}
    for run in runs_of(path, entry.place):
        small = other_sizes(run)
        by_kernel.setdefault((run.kernel, run.shape), []).extend([enlarged(run, entry), run, *other_sizes(run)])
    for i, ((kernel, shape), runs) in enumerate(by_kernel.items()):
        different = [run for k, run in enumerate(runs) if run not in runs[:k]]
        yield Case("%s#%d" % (name, i), path, kernel, shape, different, entry.rule, "corrected" if entry.hazard else "reference")


def load():
    """(entries, cases by name). A corrected kernel that several hazards share is one case."""
    all_entries, cases = list(entries()), {}
    for entry in all_entries:
        if entry.hazard:
            for case in hazard_cases(entry):
                if case.name in cases:
                    raise Malformed("%s: %s is registered twice" % (entry.place, entry.hazard))
                cases[case.name] = case
        for name in entry.corrected:
            for case in sound_cases(entry, name):
                cases.setdefault(case.name, case)
    return all_entries, cases
