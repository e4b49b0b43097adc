#!/usr/bin/env python3
"""Limits of single analyses: a kernel beyond one is in part, with the analysis and the reason; one within it is not.

    budgets.py --bin PATH
"""

import argparse
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run  # noqa: E402

KERNEL = "__global__ void k(int *out, const int *in, volatile int *flags) {\n    int t = threadIdx.x, x = in[t];\n%s}\n"
LAUNCH = "void go(int *out, const int *in, volatile int *flags) { k<<<1, 64>>>(out, in, flags); }\n"


def lines(text, n):
    return "".join("    " + text.format(i=i) + "\n" for i in range(n))


def kernel(body):
    return KERNEL % body + LAUNCH


class Budgets(run.Case):
    def reasons(self, text):
        """What the JSON report says of kernels in part, as `analysis: reason`."""
        self.put("k.cu", text)
        done = self.lint("--no-cache", "--output", "json", "k.cu")
        self.assertIn(done.returncode, (0, 1), done.stderr.decode())
        partial = json.loads(done.stdout)["coverage"]["partial"]
        return {"%s: %s" % (why["analysis"], why["reason"]) for one in partial for why in one["reasons"]}

    def check(self, make, most, reason):
        """`make(n)` is a source with n of what is limited to `most`."""
        self.assertIn(reason, self.reasons(make(most + 1)))
        self.assertNotIn(reason, self.reasons(make(most)))

    def test_waiting_loops(self):
        self.check(lambda n: kernel(lines("while (flags[{i}] == 0) ;", n)), 64,
                   "spin loops: more waiting loops, or writes that end one, than the analysis looks at")

    def test_writes_that_end_a_loop(self):
        self.check(lambda n: kernel("    while (atomicExch(out, 1)) ;\n" + lines("if (x == {i}) atomicExch(out, 0);", n)),
                   64, "spin loops: more waiting loops, or writes that end one, than the analysis looks at")

    def test_barriers(self):
        self.check(lambda n: kernel(lines("if (x > {i}) __syncthreads();", n)), 256,
                   "barriers: more barriers than the analysis looks at")

    def test_shuffled_values(self):
        """A value from a lane that has exited, followed to a use that no thread reaches: 768 values."""
        body = ("    if (t >= 16) return;\n    int v = __shfl_down_sync(0xffff, x, 16), sum = 0;\n%s"
                "    if (t > 40) out[t] = sum;\n")
        self.check(lambda n: kernel(body % lines("sum += v * in[{i}];", n)), 383,
                   "shuffles: more shuffles, or uses of one, than the analysis follows")

    def test_uses_of_activemask(self):
        self.check(lambda n: kernel(lines("if (in[t + {i}] > 0) out[t] = __popc(__activemask());", n)), 63,
                   "uses of __activemask(): more uses of __activemask() than the analysis follows")

    def test_values_made_of_activemask(self):
        body = "    if (x > 0) {\n        unsigned m = __activemask();\n%s        out[t] = m;\n    }\n"
        self.check(lambda n: kernel(body % lines("m = m * 3 ^ {i};", n)), 2048,
                   "uses of __activemask(): more uses of __activemask() than the analysis follows")

    def test_operands_of_a_place(self):
        body = "    if (x > 0) {\n        int at = 0;\n%s        out[at] = __popc(__activemask());\n    }\n"
        self.check(lambda n: kernel(body % lines("at += in[{i}];", n)), 126,
                   "uses of __activemask(): more uses of __activemask() than the analysis follows")

    def test_instantiations(self):
        self.check(lambda n: "template <int N>\n__global__ void k(int *out) { out[threadIdx.x] = N; }\n"
                   "void go(int *out) {\n" + lines("k<{i}><<<1, 64>>>(out);", n) + "}\n", 24,
                   "instantiations: more instantiations of the template than are analysed")

    def test_calls_into_an_assumed_class(self):
        """What a member does that is called as a statement is not known; one that gives a value is a function."""
        text = "template <class Op>\n__global__ void k(Op op, float *out) { %s }\n"
        reason = "instantiations: call into a template argument for which a class was assumed"
        for called in ("op.run();", "op(out);", "if (out) op.template run<3>(out);", "Op::run(out);"):
            self.assertIn(reason, self.reasons(text % called), called)
        for valued in ("out[0] = op.value(out[1]);", "out[0] = op(out[1]);", "out[0] = Op::value(out[1]);"):
            self.assertNotIn(reason, self.reasons(text % valued), valued)

    def test_findings_of_a_kernel(self):
        self.check(lambda n: kernel(lines("x += __shfl(x, {i} % 32);", n) + "    out[t] = x;\n"), 500,
                   "report: more findings than are kept")

    def test_findings_of_a_file(self):
        kernels = "".join((KERNEL % (lines("x += __shfl(x, {i} % 32);", 400) + "    out[t] = x;\n")).replace(" k(", " k%d(" % k)
                          for k in range(13))
        self.put("k.cu", kernels)
        done = self.lint("--no-cache", "--output", "concise", "k.cu")
        self.assertIn("k.cu: more than 5000 findings; the rest is not kept", done.stderr.decode())
        self.assertEqual(len([line for line in done.stdout.decode().splitlines() if "legacy-warp-intrinsic" in line]), 5000)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    known, rest = parser.parse_known_args()
    run.OPTIONS.bin = str(pathlib.Path(known.bin).resolve())
    unittest.main(argv=[sys.argv[0], *rest], verbosity=1)


if __name__ == "__main__":
    main()
