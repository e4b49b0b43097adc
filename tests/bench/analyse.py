#!/usr/bin/env python3
"""What the analysis itself costs, on five fixed inputs that each press one part of the engine.

    analyse.py --tool build/release/cuwarp-lint [--runs 3] [--only NAME] [--keep DIR] [--scale PERCENT]

many        200 kernels in one file: reductions, scans, transposes and histograms with different constants
sort        one kernel of 1024 threads that sorts bitonically
attention   one kernel of 3000 lines: tiles of keys and values, softmax with shuffles, unrolled by hand
decoder     one thread decodes a bit stream with a serial state machine, the block expands what it found
instances   one header whose kernel template is instantiated 50 times

Prints Markdown, one row for each input: the least parse and analysis time of the runs, the cells of the evaluators that were computed
and those that were taken from what had been computed, the kernels that were analysed completely, and the definite findings. All
inputs but `sort` and `instances` are correct; `sort` lacks a block barrier for strides of a warp, `instances` one in front of its
last read. --scale makes the inputs smaller, for a quick run that only shows that all this works.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

REDUCE = """__global__ void reduce{i}(const float *in, float *out, int n) {{
    __shared__ float s[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int c = blockIdx.x * 256 + t; c < n; c += 256 * gridDim.x) sum += in[c * {a}];
    s[t] = sum;
    __syncthreads();
    for (int d = 128; d > 16; d >>= 1) {{
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }}
    if (t < 32) {{
        float v = s[t];
        for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
        if (t == 0) out[blockIdx.x] = v + {b};
    }}
}}
void run_reduce{i}(const float *in, float *out, int n) {{ reduce{i}<<<n / 256, 256>>>(in, out, n); }}
"""

SCAN = """__global__ void scan{i}(const int *in, int *out, int n) {{
    __shared__ int s[2][{threads}];
    int t = threadIdx.x, at = 0;
    s[0][t] = t < n ? in[t] * {a} : {b};
    __syncthreads();
    for (int d = 1; d < {threads}; d <<= 1) {{
        s[1 - at][t] = t >= d ? s[at][t] + s[at][t - d] : s[at][t];
        at = 1 - at;
        __syncthreads();
    }}
    if (t < n) out[t] = s[at][t];
}}
void run_scan{i}(const int *in, int *out, int n) {{ scan{i}<<<1, {threads}>>>(in, out, n); }}
"""

TRANSPOSE = """__global__ void transpose{i}(const float *in, float *out, int w, int h) {{
    __shared__ float s[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < w && y + k < h) s[threadIdx.y + k][threadIdx.x] = in[(y + k) * w + x] * {a};
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < h && y + k < w) out[(y + k) * h + x] = s[threadIdx.x][threadIdx.y + k] + {b};
}}
void run_transpose{i}(const float *in, float *out, int w, int h) {{
    transpose{i}<<<dim3(w / 32, h / 32), dim3(32, 8)>>>(in, out, w, h);
}}
"""

HISTOGRAM = """__global__ void histogram{i}(const unsigned *in, unsigned *out, int n) {{
    __shared__ unsigned bins[4][{bins}];
    int t = threadIdx.x;
    for (int k = t; k < 4 * {bins}; k += blockDim.x) bins[k / {bins}][k % {bins}] = 0;
    __syncthreads();
    for (int k = blockIdx.x * blockDim.x + t; k < n; k += blockDim.x * gridDim.x)
        atomicAdd(&bins[t / 32 % 4][in[k] * {a} % {bins}], 1);
    __syncthreads();
    for (int k = t; k < {bins}; k += blockDim.x) {{
        unsigned sum = {b};
        for (int w = 0; w < 4; w++) sum += bins[w][k];
        atomicAdd(&out[k], sum);
    }}
}}
void run_histogram{i}(const unsigned *in, unsigned *out, int n) {{ histogram{i}<<<30, 128>>>(in, out, n); }}
"""


def many(folder, scale):
    kinds = [REDUCE, SCAN, TRANSPOSE, HISTOGRAM]
    text = "".join(kinds[i % 4].format(i=i, a=i % 7 + 2, b=i % 5, threads=64 << i // 4 % 4, bins=32 + 8 * (i // 4 % 9))
                   for i in range(max(4, 200 * scale // 100)))
    return write(folder / "many.cu", text)


def sort(folder, scale):
    threads = 1024 if scale == 100 else 128
    return write(folder / "sort.cu", """__global__ void sort(unsigned *data) {
    __shared__ unsigned v[%(n)d];
    unsigned t = threadIdx.x;
    v[t] = data[t];
    __syncthreads();
    for (unsigned size = 2; size <= %(n)d; size <<= 1)
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            unsigned other = t ^ stride;
            if (other > t) {
                unsigned a = v[t], b = v[other];
                if ((a > b) == ((t & size) == 0)) { v[t] = b; v[other] = a; }
            }
            if (stride > 16) __syncthreads(); else __syncwarp();
        }
    data[t] = v[t];
}
void run(unsigned *data) { sort<<<1, %(n)d>>>(data); }
""" % {"n": threads})


def attention_tile(tile, columns):
    """One tile of keys, unrolled by hand: loads, scores, the running maximum and sum of a row, and the products."""
    lines = ["    /* tile %d */" % tile, "    __syncthreads();"]
    for r in range(4):
        lines += ["    k[ty + %d][tx] = keys[(base + %d + ty + %d) * 64 + tx];" % (8 * r, 32 * tile, 8 * r),
                  "    v[ty + %d][tx] = values[(base + %d + ty + %d) * 64 + tx];" % (8 * r, 32 * tile, 8 * r)]
    lines += ["    __syncthreads();", "    score = 0.0f;"]
    lines += ["    score += q[ty][%d] * k[tx %% 32][%d];" % (c, c) for c in range(columns)]
    lines += ["    if (%d + tx %% 32 >= length) score = -1e30f;" % (32 * tile), "    top = score;"]
    lines += ["    top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, %d));" % (16 >> s) for s in range(5)]
    lines += ["    next = fmaxf(highest, top);", "    weight = __expf(score - next);", "    part = weight;"]
    lines += ["    part += __shfl_xor_sync(0xffffffff, part, %d);" % (16 >> s) for s in range(5)]
    lines += ["    scale = __expf(highest - next);", "    sum = sum * scale + part;", "    highest = next;",
              "    p[ty][tx % 32] = weight;", "    __syncwarp();", "    acc *= scale;"]
    lines += ["    acc += p[ty][%d] * v[%d][tx];" % (c, c) for c in range(32)]
    return lines


def attention(folder, scale):
    lines = ["__global__ void attention(const float *queries, const float *keys, const float *values, float *out, int length) {",
             "    __shared__ float q[8][64], k[32][64], v[32][64], p[8][32];",
             "    int tx = threadIdx.x, ty = threadIdx.y, base = blockIdx.y * length;",
             "    float score, top, next, weight, part, scale, highest = -1e30f, sum = 0.0f, acc = 0.0f;",
             "    q[ty][tx] = queries[(base + blockIdx.x * 8 + ty) * 64 + tx] * 0.125f;"]
    tile = 0
    while len(lines) < 3000 * scale // 100:
        lines += attention_tile(tile, 64)
        tile += 1
    lines += ["    out[(base + blockIdx.x * 8 + ty) * 64 + tx] = acc / sum;", "}",
              "void run(const float *q, const float *k, const float *v, float *out, int length, int heads) {",
              "    attention<<<dim3(length / 8, heads), dim3(64, 8)>>>(q, k, v, out, length);", "}", ""]
    # Both halves of a row's 64 columns write the same weights: each warp must have a row of its own.
    text = "\n".join(lines).replace("p[8][32]", "p[16][32]").replace("p[ty]", "p[ty * 2 + tx / 32]")
    return write(folder / "attention.cu", text)


def decoder(folder, scale):
    states = max(4, 24 * scale // 100)
    cases = "".join("""        case %(s)d:
            if (bits & %(m)du) { lengths[count & 255] = (unsigned char)(bits & 15); count++; state = %(a)d; }
            else if (bits & 64u) { repeat = bits >> 3 & 7; state = %(b)d; }
            else { offsets[count & 255] = where + %(s)d; where += repeat + 1; state = %(c)d; }
            break;
""" % {"s": s, "m": 1 << s % 5, "a": (s + 1) % states, "b": (s * 3 + 2) % states, "c": (s * 5 + 1) % (states + 1)}
                    for s in range(states))
    return write(folder / "decoder.cu", """__global__ void decode(const unsigned *stream, unsigned char *out, int words) {
    __shared__ unsigned char lengths[256];
    __shared__ unsigned offsets[256], total;
    unsigned t = threadIdx.x;
    offsets[t] = 0;
    lengths[t] = 0;
    __syncthreads();
    if (t == 0) {
        unsigned state = 0, bits = stream[0], where = 0, repeat = 0, count = 0;
        for (int at = 0; at < words; at++) {
            bits = bits >> 5 ^ stream[at];
            switch (state) {
%s        default:
            state = bits %% %d;
            }
        }
        total = count < 256 ? count : 256;
    }
    __syncthreads();
    for (unsigned k = t; k < total; k += blockDim.x)
        for (unsigned j = 0; j < lengths[k]; j++) out[offsets[k] + j] = (unsigned char)k;
}
void run(const unsigned *stream, unsigned char *out, int words) { decode<<<1, 256>>>(stream, out, words); }
""" % (cases, states))


def instances(folder, scale):
    count = max(4, 50 * scale // 100)
    write(folder / "columns.cuh", """#pragma once
template <int BLOCK, int COLUMNS, typename T>
__global__ void columns(const T *in, T *out, int rows) {
    __shared__ T tile[COLUMNS][BLOCK];
    __shared__ T last[BLOCK / 32];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    for (int c = 0; c < COLUMNS; c++)
        tile[c][t] = blockIdx.x * BLOCK + t < rows ? in[c * rows + blockIdx.x * BLOCK + t] : T(0);
    __syncthreads();
    for (int c = 0; c < COLUMNS; c++) {
        T sum = tile[c][t] + tile[c][BLOCK - 1 - t];
        for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
        if (lane == 0) last[warp] = sum;
        __syncthreads();
        T all = T(0);
        for (int w = 0; w < BLOCK / 32; w++) all += last[w];
        __syncthreads();
        tile[c][t] = all;
    }
    out[blockIdx.x * BLOCK + t] = tile[COLUMNS - 1][BLOCK - 1 - t];
}
""")
    runs = "".join("void run%d(const %s *in, %s *out, int rows) { columns<%d, %d, %s><<<rows / %d, %d>>>(in, out, rows); }\n"
                   % (i, t, t, 64 << i % 4, i % 13 + 2, t, 64 << i % 4, 64 << i % 4)
                   for i in range(count) for t in [("float", "double", "int")[i % 3]])
    write(folder / "instances.cu", '#include "columns.cuh"\n' + runs)
    return folder  # the kernel is counted in its header


INPUTS = {"many": many, "sort": sort, "attention": attention, "decoder": decoder, "instances": instances}
FIGURES = {"parse": r"parse +([\d.]+) ms", "analyse": r"analyse +([\d.]+) ms", "evaluated": r"([\d.]+) million evaluated",
           "reused": r"([\d.]+) million reused"}


def write(path, text):
    path.write_text(text)
    return path


def run(tool, path):
    done = subprocess.run([tool, path, "--isolated", "--no-cache", "-j1", "--profile", "--exit-zero", "--output", "json"],
                          capture_output=True, text=True, check=True)
    row = {name: float(re.search(pattern, done.stderr).group(1)) for name, pattern in FIGURES.items()}
    report = json.loads(done.stdout)
    row["kernels"] = report["coverage"]["kernels"]
    row["complete"] = report["coverage"]["analysed"]
    row["definite"] = sum(f["confidence"] == "definite" for f in report["findings"])
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--scale", type=int, default=100)
    parser.add_argument("--only", choices=INPUTS)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    print("| input | parse ms | analyse ms | million cells evaluated | million cells reused | kernels complete | definite |")
    print("|---|---|---|---|---|---|---|")
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        for name in [options.only] if options.only else INPUTS:
            folder = (options.keep or pathlib.Path(scratch)) / name
            folder.mkdir(parents=True, exist_ok=True)
            path = INPUTS[name](folder, options.scale)
            rows = [run(options.tool, path) for _ in range(options.runs)]
            row = rows[0] | {figure: min(r[figure] for r in rows) for figure in FIGURES}
            print("| %s | %.1f | %.1f | %.2f | %.2f | %d of %d | %d |" % (name, row["parse"], row["analyse"], row["evaluated"],
                  row["reused"], row["complete"], row["kernels"], row["definite"]), flush=True)
            failed |= row["kernels"] == 0 or row["evaluated"] == 0
    sys.exit(failed)


if __name__ == "__main__":
    main()
