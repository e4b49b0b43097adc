#!/usr/bin/env python3
"""How long the language server takes on real files: the median and the 95th percentile of an open, an edit, and a fix.

    latency.py --bin TOOL [--edits N] [--root FOLDER]… FILE…
    latency.py --bin TOOL --limit MS
    latency.py --bin TOOL --ratios

With --ratios it is a test without a clock: what an edit costs beside another edit on the same machine. With --limit it is a test: an edit of a file of 500 lines whose headers are warm may take that much processor time, by the
quickest of three servers, which make edits that change what a kernel does. Else it prints a table. For each file a server of its
own is started in its repository, or in the folder of --root that it is in, or in its own, with an empty cache. *open*: from didOpen
to the diagnostics; *edit*: from a blank that is inserted before a line of the middle to the diagnostics of the new text, N times,
once nothing is prepared any more (headers are warm); the work is that of any other edit, since nothing is kept of the text itself;
*fix*: from a request for the actions at the first finding to their list with the proved fixes in it (files without a finding have
none). Beside the clock: the processor time of an edit, of the server and all that it started, which a busy machine changes less.
Texts are never written."""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

from client import Client


def repository_of(path, roots):
    for folder in path.parents:
        if folder in roots or (folder / ".git").exists():
            return folder
    return path.parent


def timed(act):
    begin = time.monotonic()
    value = act()
    return (time.monotonic() - begin) * 1000, value


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def wait_until_idle(pid):
    """No process of the server's is left, for three looks in a row: what it prepares for the next edit is prepared."""
    quiet, end = 0, time.monotonic() + 60
    while quiet < 3 and time.monotonic() < end:
        time.sleep(0.05)
        children = pathlib.Path("/proc/%d/task/%d/children" % (pid, pid)).read_text().strip()
        quiet = 0 if children else quiet + 1


def processor_ms(pid):
    """Of the process and its children that have ended."""
    fields = pathlib.Path("/proc/%d/stat" % pid).read_text().rsplit(")", 1)[1].split()
    return sum(int(n) for n in fields[11:15]) * 1000 / os.sysconf("SC_CLK_TCK")


def measure(tool, path, edits, roots=(), change=None):
    """(milliseconds of the open, those of the edits, those of the fix or None, mean processor time of an edit). `change` gives the
    n-th edit of a text, as client.change() wants it; by default a blank before the line in the middle."""
    root = repository_of(path, roots)
    text = path.read_text(encoding="utf-8", errors="replace")
    with tempfile.TemporaryDirectory() as home:
        client = Client([tool, "lsp"], root, home)
        try:
            client.initialize()
            name = str(path.relative_to(root))
            opened, found = timed(lambda: client.pushed(client.open(name, text)))
            middle = text.count("\n") // 2
            uri, changed, change = client.uri(name), [], change or (lambda _, n: (middle, 0, middle, 0, " "))
            wait_until_idle(client.process.pid)
            used = processor_ms(client.process.pid)
            for n in range(edits):
                def edit():
                    client.change(uri, change(text, n))
                    return client.pushed(uri)
                changed.append(timed(edit)[0])
                wait_until_idle(client.process.pid)
            used = (processor_ms(client.process.pid) - used) / max(edits, 1)
            fixed = timed(lambda: client.actions(uri, client.pushed(uri)[0]["range"]))[0] if found else None
            return opened, changed, fixed, used
        finally:
            client.kill()


KERNELS = """
__global__ void sum%(n)d(const float *in, float *out, int n) {
    __shared__ float part[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t] = i < n ? in[i] : 0.f;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

__device__ float scale%(n)d(float x, float by) {
    float y = x * by;
    return y > 1.f ? 1.f : y;
}

__global__ void normalise%(n)d(float *data, const float *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0.f;
    for (int k = 0; k < 4; k++)
        total += sums[k];
    for (int lane = 16; lane > 0; lane /= 2)
        total += __shfl_down_sync(0xffffffff, total, lane);
    if (i < n)
        data[i] = scale%(n)d(data[i], 1.f / total);
}

int run%(n)d(float *data, int n) {
    float *sums = nullptr;
    std::vector<float> host(4);
    if (cudaMalloc(&sums, 4 * sizeof(float)) != cudaSuccess) {
        printf("no memory for %%zu sums\\n", host.size());
        return 1;
    }
    sum%(n)d<<<4, 256>>>(data, sums, n);
    normalise%(n)d<<<(n + 127) / 128, 128>>>(data, sums, n);
    cudaMemcpy(host.data(), sums, 4 * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(sums);
    return host[0] > 0.f ? 0 : 2;
}
"""


def change_guard(text, n):
    """In the n-th kernel with a barrier: `if (t < half)` becomes `if (t < 1+half)`."""
    lines = text.split("\n")
    line = [i for i, l in enumerate(lines) if "if (t < half)" in l][n]
    column = lines[line].index("half")
    return line, column, line, column, "1+"


def check(tool, limit):
    """True when an edit by the quickest of three servers needs at most `limit` ms of processor time."""
    text = "#include <cstdio>\n#include <vector>\n" + "".join(KERNELS % {"n": n} for n in range(12))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernels.cu"
        path.write_text(text)
        measured = [measure(tool, path, 3, change=change_guard) for _ in range(3)]
    used, seen = min(m[3] for m in measured), min(ms for m in measured for ms in m[1])
    print("%d lines: an edit takes %.0f ms of processor time, and %.0f ms until its diagnostics are there; the limit is %.0f ms" % (
        text.count("\n"), used, seen, limit))
    return used <= limit


HEADERS = {
    "check.h": """#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>
#define CHECK(call) do { if ((call) != cudaSuccess) { std::fprintf(stderr, "failed: %s\\n", #call); std::exit(1); } } while (0)
inline std::string name_of(int n) { return "kernel " + std::to_string(n); }
""",
    "table.h": """#pragma once
#include <map>
#include <memory>
#include <vector>
template <typename T> class table {
public:
    explicit table(std::size_t n) : rows(n) {}
    T &at(std::size_t i) { return rows[i]; }
private:
    std::vector<T> rows;
    std::map<int, std::unique_ptr<T>> extra;
};
""",
    "device.cuh": """#pragma once
#include "table.h"
__device__ inline float squared(float x) { return x * x; }
template <int N> __device__ inline float folded(float x) {
    for (int lane = N / 2; lane > 0; lane /= 2)
        x += __shfl_xor_sync(0xffffffff, x, lane);
    return x;
}
""",
    "algorithms.h": """#pragma once
#include <algorithm>
#include <functional>
#include <numeric>
inline float total(const float *first, const float *last) { return std::accumulate(first, last, 0.f); }
""",
}
USES = """
__global__ void fold(float *data) {
    data[threadIdx.x] = folded<32>(squared(data[threadIdx.x]));
}
"""
SORT = """
__global__ void sort%(n)d(float *data, int n) {
    __shared__ float s[1024];
    int t = threadIdx.x;
%(more)s
    s[t] = t < n ? data[t] : 0.f;
    __syncthreads();
    for (int size = 2; size <= 1024; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            int other = t ^ step;
            if (other > t && (s[t] > s[other]) == ((t & size) == 0)) {
                float kept = s[t];
                s[t] = s[other];
                s[other] = kept;
            }
            __syncthreads();
        }
    data[t] = s[t];
}
void run_sort%(n)d(float *data, int n) { sort%(n)d<<<1, 1024>>>(data, n); }
"""
BY_ARCH = """#if __CUDA_ARCH__ >= 800
    if (n == %d)
        return;
#endif"""
ONE_BY_ARCH = """
__global__ void by_arch(int *data, int n) {
%s
    data[threadIdx.x] = n;
}
""" % (BY_ARCH % 0)


def project(folder, text, more):
    for name, content in more.items():
        (folder / name).write_text(content)
    path = folder / "kernels.cu"
    path.write_text(text)
    return path


def cost(tool, text, more, change=change_guard):
    """The processor time of an edit by the quickest of three servers."""
    with tempfile.TemporaryDirectory() as folder:
        path = project(pathlib.Path(folder), text, more)
        return min(measure(tool, path, 3, change=change)[3] for _ in range(3))


def check_ratio(what, used, other, most):
    print("%s: %.0f ms of processor time beside %.0f ms, %.2f times as much; at most %.2f" % (what, used, other, used / other,
                                                                                             most))
    return used <= most * other


def check_ratios(tool):
    """Headers of the project that parse without errors cost an edit little; nor does an architecture that reads the same code."""
    body = "".join(KERNELS % {"n": n} for n in range(12))
    own = "#include <cstdio>\n#include <vector>\n"
    ours = "".join('#include "%s"\n' % name for name in HEADERS)
    base = cost(tool, own + body, {})
    good = check_ratio("headers of the project", cost(tool, ours + own + body + USES, HEADERS), base, 2)
    both = {".cuwarp-lint.yaml": "arch: [sm_75, sm_90]\n"}
    same = "".join(SORT % {"n": n, "more": ""} for n in range(8)) + ONE_BY_ARCH
    differs = "".join(SORT % {"n": n, "more": BY_ARCH % n} for n in range(8)) + ONE_BY_ARCH
    return check_ratio("a second architecture with the same code", cost(tool, same, both, None),
                       cost(tool, differs, both, None), 0.75) and good


def print_row(name, values):
    if values:
        print("| %s | %d | %.0f | %.0f | %.0f |" % (name, len(values), statistics.median(values), percentile(values, 0.95),
                                                    max(values)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=lambda p: str(pathlib.Path(p).resolve()), required=True)
    parser.add_argument("--edits", type=int, default=3)
    parser.add_argument("--root", action="append", default=[], type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--limit", type=float)
    parser.add_argument("--ratios", action="store_true")
    parser.add_argument("files", nargs="*", type=lambda p: pathlib.Path(p).resolve())
    options = parser.parse_args()
    if options.limit:
        sys.exit(0 if check(options.bin, options.limit) else 1)
    if options.ratios:
        sys.exit(0 if check_ratios(options.bin) else 1)
    opens, edits, fixes, processor, lines = [], [], [], [], []
    for path in options.files:
        opened, changed, fixed, used = measure(options.bin, path, options.edits, options.root)
        opens.append(opened)
        edits += changed
        fixes += [fixed] if fixed is not None else []
        processor.append(used)
        lines.append(path.read_bytes().count(b"\n"))
        print("%s: %d lines, open %.0f ms, edit %.0f ms (processor %.0f ms)%s" % (
            path.name, lines[-1], opened, statistics.median(changed), used,
            ", fix %.0f ms" % fixed if fixed is not None else ""), flush=True)
    print("\n%d files of %d to %d lines, median %d\n" % (len(lines), min(lines), max(lines), statistics.median(lines)))
    print("| what | times | p50, ms | p95, ms | most, ms |\n| --- | --- | --- | --- | --- |")
    for name, values in (("open", opens), ("edit", edits), ("edit, processor time", processor), ("fix", fixes)):
        print_row(name, values)


if __name__ == "__main__":
    main()
