#!/usr/bin/env python3
"""What a rule reports never depends on which other rules run: over fixtures, and over kernels that exhaust budgets.

    selection.py --bin PATH [--every N]     --every: the fixtures to look at, one in N
"""

import argparse
import collections
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run  # noqa: E402

FIXTURES = run.ROOT / "fixtures"


def place_of(finding):
    return tuple(finding[key] for key in ("file", "line", "column", "rule", "severity", "confidence", "message"))


def heavy_kernels():
    """Many masks, a long race search, and findings after many branches: more questions than budgets allow."""
    masks = "".join("    v += __shfl_sync(m[%d], v, %d);\n" % (i, i % 32) for i in range(520))
    steps = "".join("    s[(threadIdx.x * %d) %% 1024] += x[%d];\n    __syncthreads();\n" % (2 * i + 1, i) for i in range(150))
    late = "    s[threadIdx.x] = x[threadIdx.x];\n    x[threadIdx.x] = s[threadIdx.x ^ 33];\n"
    forks = "".join("    if (x[%d] > 0) { x[threadIdx.x] += %d; }\n" % (i, i) for i in range(100))
    return ("__global__ void many(const unsigned *m, int *x) {\n    int v = x[threadIdx.x];\n" + masks + "    x[threadIdx.x] = v;\n}\n"
            "__global__ void longest(int *x) {\n    __shared__ int s[1024];\n" + steps + late + "}\n"
            "__global__ void forked(int *x) {\n    __shared__ int s[1024];\n" + forks + late +
            "    if (threadIdx.x < 40) __syncthreads();\n    x[0] += __shfl(x[1], 33, 64);\n}\n"
            "void go(const unsigned *m, int *x) { many<<<1, 64>>>(m, x); longest<<<1, 1024>>>(x); forked<<<1, 1024>>>(x); }\n")


class Selection(run.Case):
    def found(self, paths, *arguments):
        done = self.lint("--no-cache", "--isolated", "--possible", "--output", "json", *arguments, *map(str, paths))
        self.assertIn(done.returncode, (0, 1, 3), done.stderr.decode())
        return collections.Counter(place_of(f) for f in json.loads(done.stdout)["findings"])

    def check_all(self, paths):
        default, everything = self.found(paths), self.found(paths, "--select", "all", "--preview")
        self.assertEqual(sorted((default - everything).elements()), [])
        self.assertTrue(default)
        return everything

    def test_all_rules_find_what_the_default_ones_find(self):
        paths = sorted(FIXTURES.rglob("*.cu"))[::run.OPTIONS.every]
        self.check_all(paths)

    def test_a_rule_alone_finds_what_it_finds_among_all(self):
        """Each that finds something, and the others together."""
        self.put("heavy.cu", heavy_kernels())
        everything = self.check_all(["heavy.cu"])
        finding = sorted({place[3] for place in everything})
        self.assertGreater(len(finding), 3)
        rules = [rule["rule"] for rule in json.loads(self.lint("explain", "all", "--output", "json").stdout)]
        groups = [[rule] for rule in finding] + [[rule for rule in rules if rule not in finding]]
        alone = collections.Counter()
        for group in groups:
            alone += self.found(["heavy.cu"], "--preview", "--select", ",".join(group))
        self.assertEqual(sorted(alone.elements()), sorted(everything.elements()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--every", type=int, default=12)
    known, rest = parser.parse_known_args()
    run.OPTIONS.bin, run.OPTIONS.every = str(pathlib.Path(known.bin).resolve()), known.every
    unittest.main(argv=[sys.argv[0], *rest], verbosity=1)


if __name__ == "__main__":
    main()
