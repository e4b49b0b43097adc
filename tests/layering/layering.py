#!/usr/bin/env python3
"""Fails when an #include crosses a layer or leads round in a circle, and when a function pointer could lead from analyses to rules.

    layering.py SOURCE_DIR

Each layer names what it may include of the project, and which libraries it may see. A file belongs to the longest prefix
of its path; so does what it includes. Neither files nor rooms include each other in a circle; of the rules' folder, a rule, what rules
share and what they are declared by are rooms of their own. The headers of the analyses take functions in three
places only, and never from a rule.
"""

import pathlib
import re
import sys

# Folder (or file prefix) -> prefixes that may be included from it. Its own is always allowed.
LAYERS = {
    "analyzer/base/": [],
    "analyzer/source/": ["analyzer/base/"],
    "analyzer/config/": ["analyzer/base/", "analyzer/source/"],
    "analyzer/suppress/": ["analyzer/base/", "analyzer/source/"],
    "analyzer/ir/": ["analyzer/base/"],
    "analyzer/cfg/": ["analyzer/base/", "analyzer/ir/"],
    # The analyses of a kernel: each room stands on those before it.
    "analyzer/uniformity/": ["analyzer/base/", "analyzer/ir/", "analyzer/cfg/"],
    "analyzer/launch/": ["analyzer/base/", "analyzer/ir/", "analyzer/cfg/", "analyzer/uniformity/"],
    "analyzer/lanes/": ["analyzer/base/", "analyzer/ir/", "analyzer/cfg/", "analyzer/uniformity/", "analyzer/launch/"],
    "analyzer/races/": ["analyzer/base/", "analyzer/ir/", "analyzer/cfg/", "analyzer/uniformity/", "analyzer/launch/",
                        "analyzer/lanes/", "analyzer/cuda/"],
    "analyzer/faults/": ["analyzer/base/", "analyzer/ir/", "analyzer/cfg/", "analyzer/uniformity/", "analyzer/launch/",
                         "analyzer/lanes/", "analyzer/races/", "analyzer/cuda/"],
    "analyzer/blocks/": ["analyzer/base/", "analyzer/ir/", "analyzer/cfg/", "analyzer/uniformity/", "analyzer/launch/",
                         "analyzer/lanes/", "analyzer/cuda/"],
    # One kernel with all answers. Rules see ask/ only: the object is opaque to them.
    "analyzer/kernel/": ["analyzer/base/", "analyzer/ir/", "analyzer/cfg/", "analyzer/uniformity/", "analyzer/launch/",
                         "analyzer/lanes/", "analyzer/races/", "analyzer/faults/", "analyzer/blocks/",
                         "analyzer/cuda/", "analyzer/kernel/ask/"],
    "analyzer/kernel/ask/": ["analyzer/ir/", "analyzer/cfg/", "analyzer/uniformity/", "analyzer/launch/",
                             "analyzer/lanes/", "analyzer/races/", "analyzer/faults/", "analyzer/blocks/",
                             "analyzer/cuda/"],
    "analyzer/cuda/": ["analyzer/base/", "analyzer/ir/"],
    "analyzer/embedded/": ["analyzer/base/", "analyzer/source/"],
    "analyzer/compdb/": ["analyzer/base/", "analyzer/source/", "analyzer/cuda/"],
    "analyzer/front/": ["analyzer/base/", "analyzer/source/", "analyzer/ir/", "analyzer/cuda/"],
    "analyzer/front/scan/": ["analyzer/base/", "analyzer/source/", "analyzer/ir/", "analyzer/cuda/", "analyzer/front/"],
    "analyzer/front/repair/": ["analyzer/base/", "analyzer/source/", "analyzer/ir/", "analyzer/cuda/", "analyzer/front/"],
    "analyzer/front/clang/": ["analyzer/base/", "analyzer/source/", "analyzer/ir/", "analyzer/cuda/", "analyzer/front/"],
    "analyzer/diag/": ["analyzer/base/", "analyzer/source/"],
    # Two versions of the code, for rules about a change.
    "analyzer/versions/": ["analyzer/base/", "analyzer/source/", "analyzer/diag/", "analyzer/git/"],
    "analyzer/engine/": ["analyzer/", "rules/"],
    "analyzer/emit/": ["analyzer/base/", "analyzer/source/", "analyzer/diag/"],
    # Fixes: made for the finding of a rule, applied to texts, proved by a second analysis.
    "analyzer/fix/make/": ["analyzer/base/", "analyzer/source/", "analyzer/ir/", "analyzer/diag/",
                           "analyzer/kernel/ask/", "rules/rule.h", "rules/sink.h"],
    "analyzer/fix/apply/": ["analyzer/base/", "analyzer/source/", "analyzer/diag/"],
    "analyzer/fix/prove/": ["analyzer/base/", "analyzer/source/", "analyzer/ir/", "analyzer/engine/",
                            "analyzer/diag/", "analyzer/fix/apply/",
                            "analyzer/suppress/", "rules/registry.h"],
    "analyzer/perturb/": ["analyzer/base/", "analyzer/source/", "analyzer/engine/", "analyzer/diag/"],
    # Findings, and what runs an analysis and proves fixes.
    "analyzer/lsp/": ["analyzer/base/", "analyzer/source/", "analyzer/diag/", "analyzer/engine/run.h",
                      "analyzer/engine/worker.h", "analyzer/fix/apply/", "analyzer/fix/prove/",
                      "rules/registry.h"],
    "analyzer/git/": ["analyzer/base/"],
    "analyzer/gate/": ["analyzer/base/", "analyzer/source/", "analyzer/engine/", "analyzer/diag/", "analyzer/git/",
                       "analyzer/versions/", "rules/registry.h", "rules/hook_versions.h"],
    "analyzer/cli/": ["analyzer/", "rules/", "runtime_check/verdicts.def"],  # what GPUs said, as data
    "rules/": ["analyzer/base/", "analyzer/source/", "analyzer/ir/", "analyzer/diag/", "analyzer/suppress/",
               "analyzer/versions/"],
    # What rules share: they ask the kernel like the rules.
    "rules/report": ["analyzer/base/", "analyzer/source/", "analyzer/ir/", "analyzer/diag/", "analyzer/kernel/ask/",
                     "analyzer/suppress/", "analyzer/fix/make/", "rules/"],
    "rules/text_": ["analyzer/base/", "analyzer/source/", "analyzer/kernel/ask/"],
}
# What the engine and the rules' shared code must not reach, although a broad prefix above would let them.
FORBIDDEN = {
    "analyzer/engine/": ["analyzer/emit/", "analyzer/cli/", "analyzer/front/scan/", "analyzer/front/clang/"],
    "analyzer/cli/": ["analyzer/front/scan/", "analyzer/front/clang/"],
}
# Library header prefix -> the only folders that may include it.
LIBRARIES = {
    "clang-c/": ["analyzer/front/clang/"],
    "tree_sitter/": ["analyzer/front/scan/"],
    "jansson.h": ["analyzer/engine/", "analyzer/diag/", "analyzer/emit/", "analyzer/compdb/", "analyzer/perturb/",
                  "analyzer/gate/", "analyzer/lsp/"],
    "git2.h": ["analyzer/git/"],
    "xxhash.h": ["analyzer/base/"],
    "yaml.h": ["analyzer/config/"],
}
RULE_FILE = re.compile(r"rules/[a-z_]+/[^/]+\.c$")
RULE_MAY_INCLUDE = re.compile(r"rules/rule\.h$|rules/(report|hook|text)_\w+\.h$|fix/make/\w+\.h$|kernel/ask/\w+\.h$|"
                              r"source/(lexer|function_symbols)\.h$")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)


def owner(path, prefixes):
    found = [p for p in prefixes if path.startswith(p)]
    return max(found, key=len) if found else None


def project_path(name):
    return name if name.startswith(("rules/", "runtime_check/")) else "analyzer/" + name


def may_include(path, target):
    layer = owner(path, LAYERS)
    if target.endswith("_internal.h") and path.rpartition("/")[0] != target.rpartition("/")[0]:
        return False
    if any(target.startswith(p) for p in FORBIDDEN.get(layer, [])):
        return False
    allowed = [layer] + LAYERS[layer]
    # The longest prefix owns the target: front/ does not include front/scan/ or front/clang/ by being allowed front/.
    target_layer = owner(target, LAYERS)
    return any(target.startswith(p) and (target_layer == p or p == "analyzer/" or len(p) > len(target_layer or ""))
               for p in allowed)


def violations(path, text, exists):
    """Messages for the wrong includes of one file. `exists` tells whether a project path is a file."""
    for match in INCLUDE.finditer(text):
        quote, name = match.groups()
        where = "%s:%d: " % (path, text.count("\n", 0, match.start()) + 1)
        library = owner(name, LIBRARIES)
        if library and not any(path.startswith(p) for p in LIBRARIES[library]):
            yield where + "%s belongs to %s only" % (name, ", ".join(LIBRARIES[library]))
        if quote == "<" or library:
            continue
        if RULE_FILE.match(path):
            if not RULE_MAY_INCLUDE.match(name):
                yield where + "a rule includes rules/rule.h, kernel/ask/, fix/make/, rules/{report,hook,text}_*.h and libc, not " + name
            elif not exists(project_path(name)):
                yield where + "%s names no file of the project" % name
            continue
        target = project_path(name)
        if not exists(target):
            yield where + "%s names no file of the project; includes are written from analyzer/ or the top" % name
        elif not may_include(path, target):
            yield where + "%s must not know %s" % (owner(path, LAYERS), name)


# The gate is tried on these before it judges: (file, its text, number of violations).
SAMPLES = [
    ("analyzer/ir/a.c", '#include "base/vec.h"\n#include "ir/ir.h"\n#include <string.h>\n', 0),
    ("analyzer/ir/a.c", '#include "cfg/cfg.h"\n', 1),
    ("analyzer/base/a.c", '#  include "source/source.h"\n', 1),
    ("analyzer/races/a.c", '#include "rules/rule.h"\n#include "diag/diag.h"\n', 2),
    ("analyzer/lanes/a.c", '#include "launch/launch.h"\n#include "lanes/lanes_internal.h"\n', 0),
    ("analyzer/launch/a.c", '#include "lanes/lanes.h"\n', 1),
    ("analyzer/races/a.c", '#include "lanes/lanes_internal.h"\n', 1),
    ("analyzer/emit/a.c", '#include "diag/diag.h"\n#include "engine/run.h"\n#include "ir/ir.h"\n', 2),
    ("analyzer/engine/a.c", '#include "front/front.h"\n#include "rules/rule.h"\n#include "diag/diag.h"\n', 0),
    ("analyzer/lsp/a.c", '#include "diag/diag.h"\n#include "engine/run.h"\n#include "fix/prove/repair.h"\n', 0),
    ("analyzer/lsp/a.c", '#include "engine/kernel.h"\n#include "emit/emit.h"\n#include "lanes/lanes.h"\n', 3),
    ("analyzer/engine/a.c", '#include "front/scan/scan_internal.h"\n#include "emit/emit.h"\n', 2),
    ("analyzer/diag/diag.c", '#include "engine/run.h"\n#include "diag/fingerprint.h"\n', 1),
    ("analyzer/front/clang/a.c", '#include <clang-c/Index.h>\n#include "front/front.h"\n#include <jansson.h>\n', 1),
    ("analyzer/front/scan/a.c", '#include <tree_sitter/api.h>\n#include <clang-c/Index.h>\n', 1),
    ("analyzer/front/a.c", '#include "front/scan/scan_internal.h"\n', 1),
    ("rules/barrier/a.c", '#include "rules/rule.h"\n#include <string.h>\n', 0),
    ("rules/barrier/a.c", '#include "ir/ir.h"\n#include <clang-c/Index.h>\n', 2),
    ("rules/barrier/a.c", '#include "kernel/ask/races.h"\n#include "rules/report_races.h"\n', 0),
    ("rules/barrier/a.c", '#include "kernel/kernel.h"\n#include "races/races.h"\n#include "rules/sink.h"\n', 3),
    ("rules/change/a.c", '#include "rules/hook_text.h"\n#include "source/lexer.h"\n#include "versions/lines.h"\n', 1),
    ("analyzer/versions/a.c", '#include "rules/rule.h"\n#include "git/git.h"\n', 1),
    ("analyzer/gate/a.c", '#include "rules/hook_versions.h"\n#include "rules/sink.h"\n', 1),
    ("rules/registry.c", '#include "diag/diag.h"\n#include "lanes/lanes.h"\n#include "engine/run.h"\n', 2),
    ("rules/report_a.c", '#include "kernel/ask/races.h"\n#include "rules/sink.h"\n#include "source/lexer.h"\n', 0),
    ("rules/report_a.c", '#include "fix/make/drafts.h"\n#include "kernel/kernel.h"\n', 1),
    ("analyzer/fix/make/a.c", '#include "kernel/kernel_internal.h"\n#include "races/races.h"\n', 2),
    ("analyzer/fix/make/a.c", '#include "rules/report_names.h"\n#include "fix/prove/repair.h"\n', 2),
    ("analyzer/fix/apply/a.c", '#include "fix/make/drafts.h"\n', 1),
    ("analyzer/fix/prove/a.c", '#include "fix/apply/edits.h"\n#include "fix/make/drafts.h"\n', 1),
    ("analyzer/kernel/a.c", '#include "kernel/ask/races.h"\n#include "races/races.h"\n#include "rules/rule.h"\n', 1),
    ("analyzer/races/a.c", '#include "kernel/kernel.h"\n#include "kernel/ask/races.h"\n', 2),
    ("analyzer/emit/a.c", '#include "kernel/dump.h"\n', 1),
]


# ---- circles ----

def room_of(path):
    return "rules/*/" if RULE_FILE.match(path) else owner(path, LAYERS)


def included(path, text, exists):
    """The project's files that a file includes."""
    targets = [project_path(name) for quote, name in INCLUDE.findall(text) if quote == '"']
    return [target for target in targets if exists(target)]


def circle(graph):
    """A list of names of which each leads to the next, the last to the first; empty when there is none."""
    done, way = set(), []

    def search(name):
        if name in way:
            return way[way.index(name):]
        if name in done:
            return []
        way.append(name)
        found = next(filter(None, map(search, sorted(graph.get(name, ())))), [])
        way.pop()
        done.add(name)
        return found

    return next(filter(None, map(search, sorted(graph))), [])


def circles(includes):
    """Messages for a circle of files, and for one of rooms. `includes`: path -> paths."""
    rooms = {}
    for path, targets in includes.items():
        others = {room_of(target) for target in targets} - {room_of(path), None}  # None: data of runtime_check
        rooms.setdefault(room_of(path), set()).update(others)
    for what, graph in (("files", includes), ("rooms", rooms)):
        if found := circle(graph):
            yield "a circle of %s: %s" % (what, " -> ".join([*found, found[0]]))


# ---- function pointers ----

ANALYSES = ("analyzer/uniformity/", "analyzer/launch/", "analyzer/lanes/", "analyzer/races/", "analyzer/faults/", "analyzer/blocks/",
            "analyzer/kernel/")
POINTER = re.compile(r"\(\s*\*\s*\w*\s*\)\s*\(|^typedef\b[^;{(]*\b\w+\s*\([^;]*\)\s*;", re.M)
# The function pointers in headers of the analyses, and who hands a function over; no rule knows one.
POINTERS = {
    "analyzer/lanes/kernel_query.h": "kernel/kernel.c: evaluators",
    "analyzer/launch/launch.h": "kernel/kernel.c: whether a guessed launch fits, which lanes/ answers",
    "analyzer/uniformity/reachable_ops.h": "faults/ and races/: which instructions are looked for",
}
NOT_FOR_RULES = re.compile(r"\b(cw_kernel_query|cw_launch_fits_fn|cw_reachable_w\w+)\b")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def pointer_violations(path, text):
    text = COMMENT.sub(" ", text)
    if path.startswith(ANALYSES) and path.endswith((".h", ".def")):
        pointers = len(POINTER.findall(text))
        if pointers > (path in POINTERS):
            yield "%s: %d function pointers: an analysis must not call what stands above it" % (path, pointers)
    found = NOT_FOR_RULES.search(text) if path.startswith("rules/") else None
    if found:
        yield "%s: a rule hands no function to an analysis: %s" % (path, found[1])


def self_test():
    for path, text, expected in SAMPLES:
        got = list(violations(path, text, lambda target: True))
        if len(got) != expected:
            sys.exit("layering: sample %s %r gives %r, expected %d" % (path, text, got, expected))
    if not list(violations("analyzer/ir/a.c", '#include "vec.h"\n', lambda target: False)):
        sys.exit("layering: an include that names no file went through")
    round_trip = {"analyzer/ir/a.h": ["analyzer/ir/b.h"], "analyzer/ir/b.h": ["analyzer/ir/c.h"], "analyzer/ir/c.h": ["analyzer/ir/a.h"]}
    rooms = {"analyzer/ir/a.c": ["analyzer/cfg/b.h"], "analyzer/cfg/c.c": ["analyzer/ir/d.h"]}
    shared = {"rules/barrier/a.c": ["rules/report_a.h"], "rules/report_a.c": ["rules/rule.h"], "rules/rule.h": []}
    if [len(list(circles(graph))) for graph in (round_trip, rooms, shared)] != [1, 1, 0]:
        sys.exit("layering: circles are not seen")
    pointers = [("analyzer/races/a.h", "int f(int (*call)(int));"), ("analyzer/kernel/ask/a.h", "typedef bool visitor(void *);"),
                ("rules/report_a.c", "struct cw_kernel_query q;")]
    plain = [("analyzer/races/a.h", "/* (*f)(x) */ typedef struct a b; int f(int *x);"), ("analyzer/engine/a.h", "int f(int (*call)(int));")]
    if not all(list(pointer_violations(*sample)) for sample in pointers) or any(list(pointer_violations(*sample)) for sample in plain):
        sys.exit("layering: function pointers are not seen")


def main(root):
    self_test()
    count, bad, includes = 0, [], {}
    for top in ("analyzer", "rules"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in (".c", ".h", ".def"):
                continue
            path = file.relative_to(root).as_posix()
            if path.startswith("analyzer/front/shim/"):  # text for the parsed code, not for this program
                continue
            if not owner(path, LAYERS):
                bad.append("%s: belongs to no layer; name it in tests/layering/layering.py" % path)
                continue
            count += 1
            text = file.read_text(encoding="utf-8")
            includes[path] = included(path, text, lambda target: (root / target).is_file())
            bad += violations(path, text, lambda target: (root / target).is_file())
            bad += pointer_violations(path, text)
    bad += circles(includes)
    print("\n".join(bad))
    print("%d files in %d rooms, %d violations" % (count, len(set(map(room_of, includes))), len(bad)))
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
