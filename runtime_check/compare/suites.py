"""The programs of the comparison: those of this repository, and labelled suites of others in folders that the caller names.

A program has a label, "hazard" or "correct": what its suite says of it, or what labels.csv says, with the reason, where the suite
says nothing, or something that does not hold on Volta and later. "out" there: it is wrong for a reason that has nothing to do
with synchronisation (an assertion, a null pointer), or it is for another front end; such a program is left out.
"""

import csv
import dataclasses
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "runtime_check" / "harness"))

import registry  # noqa: E402

LABELS = HERE / "labels.csv"
KINDS = ("hazard", "correct", "out")
BLOCK = re.compile(r"--blockDim=\[?([\d,]+)")
ARGUMENTS = re.compile(r"^// cuwarp-args: (.*)$", re.M)
MOST_THREADS = 1024  # of a block, on every GPU so far


@dataclasses.dataclass
class Program:
    suite: str
    name: str
    label: str
    sources: list
    options: list = dataclasses.field(default_factory=list)  # -D and -I, for every tool that takes them
    linted: list = dataclasses.field(default_factory=list)   # options of the linter alone
    built: list = dataclasses.field(default_factory=list)    # what nvcc makes a program of; empty: there is no main()
    stdin: pathlib.Path = None                               # what the program reads

    @property
    def key(self):
        return "%s:%s" % (self.suite, self.name)


def own(suite, folder):
    """The registered hazards of a folder of fixtures, and what corrects them."""
    labels = {}
    for entry in registry.entries(folder):
        if entry.hazard:
            labels[entry.hazard] = "hazard"
        for name in entry.corrected:
            labels.setdefault(name, "correct")
    for name, label in sorted(labels.items()):
        path = folder / (name + ".cu")
        found = ARGUMENTS.search(path.read_text(encoding="utf-8"))
        yield Program(suite, name, label, [path], linted=found[1].split() if found else [])


def scor_micro(folder):
    for path in sorted((folder / "microbenchmarks" / "src").glob("*.cu")):
        label = "correct" if path.stem.startswith("norace") else "hazard"
        yield Program("ScoR microbenchmarks", path.stem, label, [path], built=[path])


# Of each application: threads and blocks of its Makefile, and whether that builds all sources or main's alone.
SCOR = {"1dconv": (1024, 15), "graph-coloring": (256, 15), "graph-connectivity": (400, 15), "matrix-multiplication": (128, 120),
        "reduction": (512, 30), "rule-110": (1024, 15), "uts": (256, 60)}
SCOR_INPUT = {"graph-coloring": "graph-color1", "graph-connectivity": "graph-con1", "matrix-multiplication": "matrix-mult",
              "reduction": "reduction", "rule-110": "rule-1101", "uts": "uts1"}


def scor_applications(folder, inputs):
    """Each twice: as it is, and with the macro that takes its fences and scopes away. `inputs`: iGUARD's, which runs them too."""
    for name, (threads, blocks) in SCOR.items():
        place = folder / "benchmarks" / name
        sources = [place / "red_main.cu"] if name == "reduction" else sorted(place.glob("*.cu"))
        given = inputs / "benchmarks" / "Table_4" / "iGUARD" / "ScoR" / "input" / SCOR_INPUT.get(name, "-") if inputs else None
        for variant, label in (("", "correct"), (" RACEY", "hazard")):
            options = ["-I%s" % place, "-DNTHREADS=%d" % threads, "-DNBLOCKS=%d" % blocks] + (["-DRACEY"] if variant else [])
            runs = given is not None and given.is_file()
            yield Program("ScoR applications", name + variant, label, sources, options=options,
                          built=sources if runs else [], stdin=given if runs else None)


def gpuverify(suite, folder):
    """GPUVerify's own: the first line says what the verifier must answer, another one the launch."""
    for path in sorted(folder.rglob("*.cu")):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()[:4]
        first = lines[0].strip().lstrip("/").strip().lower() if lines else ""
        label = "correct" if first.startswith("pass") else "hazard" if first.startswith("xfail:not_all_verified") else "out"
        block = BLOCK.search("\n".join(lines))
        shape = [int(part) for part in block[1].strip(",").split(",")] if block else []
        fits = shape and product_of(shape) <= MOST_THREADS
        yield Program(suite, str(path.relative_to(folder)), label, [path],
                      linted=["--block", ",".join(map(str, shape))] if fits else [])


def product_of(shape):
    product = 1
    for part in shape:
        product *= part
    return product


def faial(folder):
    for path in sorted(folder.rglob("*.cu")):
        yield Program("faial tutorial", str(path.relative_to(folder)), "out", [path])  # labels.csv says what each is


def sanitizer_samples(folder):
    """The samples of racecheck and synccheck are hazards; the others are about memory, and synchronise nothing."""
    for path in sorted(folder.rglob("*.cu")):
        name = str(path.relative_to(folder))
        if "int main" in path.read_text(encoding="utf-8", errors="replace"):
            label = "hazard" if path.parent.name in ("Racecheck", "Synccheck") else "correct"
            yield Program("compute-sanitizer-samples", name, label, [path], built=[path])


def overrides():
    """{(suite, program): (label, reason)} of labels.csv."""
    with open(LABELS, newline="", encoding="utf-8") as file:
        rows = {(row["suite"], row["program"]): (row["label"], row["reason"]) for row in csv.DictReader(file)}
    for key, (label, reason) in rows.items():
        if label not in KINDS or not reason:
            raise SystemExit("labels.csv: %s: %s" % (key, label))
    return rows


# Suites by the name of the option that names their folder.
FOREIGN = {"scor": "csl-iisc/ScoR", "iguard": "csl-iisc/iGUARD-SOSP21", "gpuverify": "mc-imperial/gpuverify",
           "gpuverify-benchmarks": "mc-imperial/GPUVerifyBenchmarks", "faial": "cogumbreiro/faial-tutorial",
           "sanitizer-samples": "NVIDIA/compute-sanitizer-samples"}


def all_programs(folders):
    """Every program of this repository and of the suites whose folders are given: {option: folder}."""
    found = [*own("fixtures", ROOT / "fixtures"), *own("wild", ROOT / "runtime_check" / "wild")]
    if folder := folders.get("scor"):
        found += [*scor_micro(folder), *scor_applications(folder, folders.get("iguard"))]
    if folder := folders.get("gpuverify"):
        found += gpuverify("GPUVerify suite", folder / "testsuite" / "CUDA")
    if folder := folders.get("gpuverify-benchmarks"):
        found += gpuverify("GPUVerify benchmarks", folder)
    if folder := folders.get("faial"):
        found += faial(folder)
    if folder := folders.get("sanitizer-samples"):
        found += sanitizer_samples(folder)
    judged = overrides()
    for program in found:
        program.label = judged.get((program.suite, program.name), (program.label,))[0]
    return found


def folder_of(text):
    """FOLDER or FOLDER@COMMIT, for a folder that is no checkout: (path, commit). A folder within another checkout has none."""
    name, _, commit = text.partition("@")
    path = pathlib.Path(name).resolve()
    if not commit and path.is_dir():
        done = subprocess.run(["git", "-C", str(path), "rev-parse", "--show-toplevel", "HEAD"], capture_output=True, text=True,
                              check=False)
        top, head = done.stdout.split("\n")[:2] if done.returncode == 0 else ("", "")
        commit = head if top and pathlib.Path(top).resolve() == path else ""
    return path, commit[:12] or "unknown"


def add_options(parser):
    for option, repository in FOREIGN.items():
        parser.add_argument("--" + option, metavar="FOLDER[@COMMIT]", help=repository)


def chosen(given):
    """({option: folder}, {repository: commit}) of the options of add_options()."""
    folders, commits = {}, {}
    for option, repository in FOREIGN.items():
        if text := getattr(given, option.replace("-", "_")):
            folders[option], commits[repository] = folder_of(text)
            if not folders[option].is_dir():
                raise SystemExit("--%s: there is no folder %s" % (option, folders[option]))
    return folders, commits
