#!/usr/bin/env python3
"""How files are parsed: with a compile_commands.json, behind the compiler launcher, and with nothing but the tree.

    compdb.py --bin PATH        what needs nvcc, CMake or Ninja is skipped where they are missing
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
import run  # noqa: E402  (the harness of the command line's tests)

NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
CMAKE = shutil.which("cmake")
BAD = "__global__ void k(int *o) {{ o[threadIdx.x] = __shfl_down_sync(0xffffffffu, o[0], 1, {}); }}\n"


class Case(run.Case):
    def places(self, *arguments, **more):
        """file:line of every finding about shuffle widths."""
        done = self.lint("--select", "bad-shuffle-width", "--output", "json", *arguments, **more)
        return [f"{f['file']}:{f['line']}" for f in json.loads(done.stdout)["findings"]]

    def coverage(self, *arguments):
        c = self.report(*arguments, "--select", "mask")["coverage"]
        return c["kernels"], c["analysed"], c["degraded"]

    def database(self, *entries, name="compile_commands.json"):
        self.put(name, json.dumps(list(entries)))

    def entry(self, file, command, directory=None):
        return {"directory": str(directory or self.dir), "command": command, "file": file}


class Inference(Case):
    def test_suffix_and_folders(self):
        self.put("src/k/a.cu", '#include "util/w.cuh"\n#include <proj/v.cuh>\n' + BAD.format("W + V"))
        self.put("lib/deep/util/w.cuh", '#include "more.h"\n#define W (10 + MORE)\n')
        self.put("lib/deep/util/more.h", "#define MORE 2\n")
        self.put("include/proj/v.cuh", "#define V 12\n")
        self.assertEqual(self.places("."), ["src/k/a.cu:3"])
        self.assertEqual(self.coverage("."), (1, 1, 0))
        self.assertEqual(self.places(".", "--no-inference"), [])
        self.assertEqual(self.places(".", "--no-inference", "-Ilib/deep", "-Iinclude"), ["src/k/a.cu:3"])

    def test_instances(self):
        """Files that only instantiate: with the option, one of each kind, for what the header's template cannot tell."""
        self.put("k.cuh", "template <int W> __global__ void k(int *o) { o[threadIdx.x] = __shfl_sync(~0u, W, 0, W); }\n"
                          "template <int W> void run(int *o) { k<W><<<1, 32>>>(o); }\n"
                          "#define DECLARE(w) template void run<w>(int *)\n")
        self.put("a.cu", '#include "k.cuh"\nDECLARE(24);\n')
        self.put("b.cu", '#include "k.cuh"\nDECLARE(48);\n')
        self.assertEqual(self.places("."), [])
        self.assertEqual(self.places(".", "--instances"), ["k.cuh:1"])
        self.assertEqual(self.places("a.cu"), ["k.cuh:1"])
        with_code = [f["message"] for f in self.report(".", "--instances", "--select", "bad-shuffle-width")["findings"]]
        self.assertEqual(len(with_code), 1)
        self.assertIn("24", with_code[0])
        self.assertEqual(self.places("b.cu", "--instances"), ["k.cuh:1"])

    def test_calls_of_launching_functions(self):
        """A program whose headers hold both the kernels and the functions that launch them."""
        header = ("template <int W> __global__ void k(int *o) { o[threadIdx.x] = __shfl_sync(~0u, W, 0, W); }\n"
                  "template <int W> void run(int *o) { k<W><<<1, 32>>>(o); }\n")
        program = '#include "k.cuh"\nint main() { run<24>(0); }\n'
        self.put("a/k.cuh", header)
        self.put("a/main.cu", program)
        self.assertEqual(self.places("."), ["a/k.cuh:1"])
        for n in range(6):  # each includes something of its own, so that none includes the same as another
            self.put(f"a/own{n}.h", "")
            self.put(f"a/t{n}.cu", f'#include "own{n}.h"\n#include "k.cuh"\nint t{n}() {{ run<{40 + n}>(0); return 0; }}\n')
        shown = [f["message"] for f in self.report("a", "--select", "bad-shuffle-width")["findings"]]
        self.assertEqual(len(shown), 1)
        self.assertEqual(self.report("a", "--profile")["coverage"]["files"], 8)
        self.put("b-hip/k.cuh", header)
        self.put("b-hip/main.cu", '#include "hip/hip_runtime.h"\n' + program)
        self.assertEqual(self.places("b-hip", "b-hip/main.cu"), [])

    def test_launching_functions_that_begin_with_a_macro(self):
        """The macro's text stands in a header: the function's is what follows the macro's use."""
        self.put("export.h", '#define EXPORT __attribute__((visibility("default")))\n')
        self.put("a.cu", """#include "export.h"
            struct Tensor { float *p; };
            template <class T> __global__ void clear(T *x) { x[threadIdx.x] = 0; }
            struct Launcher {
                template <class K, class... A> void run(const K &kernel, dim3 threads, A... args) const {
                    kernel<<<1, threads>>>(args...);
                }
            };
            #define RUN(KERNEL, ...) ([&] { auto &kernel = KERNEL; return Launcher().run(kernel, __VA_ARGS__); }())
            EXPORT Tensor all(const Tensor &x) {
                [&] { using T = float; RUN((clear<T>), 128, x.p); }();
                return x;
            }
            """)
        self.assertEqual(self.report("a.cu")["coverage"]["guessed_launches"], 0)

    def test_launches_in_other_files(self):
        """A kernel that another file declares and launches has that launch, with the values of that file's host code."""
        kernel = "__global__ void k(float *x) { __shared__ float s[256]; s[threadIdx.x] = x[0]; x[1] = s[3]; }\n"
        self.put("a/k.h", "__global__ void k(float *x);\n")
        self.put("a/k.cu", '#include "k.h"\n' + kernel)
        self.put("a/run.cu", '#include "k.h"\nvoid run(float *x) { int n = 64; k<<<1, n / 2>>>(x); }\n')
        found = self.report("a", "--select", "race")
        self.assertEqual(found["coverage"]["guessed_launches"], 0)
        launches = {f["witness"]["launch"]["source"] for f in found["findings"]}
        self.assertEqual(launches, {"launch at a/run.cu:2"})
        self.assertEqual(self.report("a/k.cu")["coverage"]["without"][0]["lacks"], ["launch"])
        # another program's kernel of that name, and one that the launching file defines itself, are others
        self.put("b/k.cu", kernel.replace("float *x", "float *x, int"))
        self.assertEqual(self.report(".")["coverage"]["guessed_launches"], 1)
        self.put("c/k.cu", kernel)
        self.put("c/run.cu", kernel.replace("void k", "static void k") + "void run(float *x) { k<<<1, 32>>>(x); }\n")
        self.assertEqual(self.report("c")["coverage"]["guessed_launches"], 1)

    def test_headers_that_the_build_makes(self):
        """config.h of its template: everything off but CUDA, and said so; a real one, or -D, counts instead."""
        self.put("CMakeLists.txt", "generate_export_header(lib)\n")
        self.put("src/config.h.in", "#cmakedefine01 LIB_DOUBLE\n#cmakedefine LIB_USE_CUDA\n#define LIB_NAME \"@NAME@\"\n")
        self.put("src/a.cu", '#include "config.h"\n#include "lib_export.h"\n#ifdef LIB_USE_CUDA\n'
                 "LIB_EXPORT " + BAD.format("LIB_DOUBLE ? 32 : 24") + "#endif\n")
        self.assertEqual(self.places("src/a.cu"), ["src/a.cu:4"])
        found = self.lint("src/a.cu", "--exit-zero")
        self.assertIn("config.h is not there: made of src/config.h.in", found.stderr.decode())
        self.assertIn("lib_export.h is not there", found.stderr.decode())
        self.assertEqual(self.report("src/a.cu")["coverage"]["missing_headers"], 0)
        self.assertEqual(self.places("src/a.cu", "-DLIB_DOUBLE=1"), [])
        self.put("src/config.h.in", "#define LIB_USE_CUDA\n#define LIB_DOUBLE 1\n")
        self.assertEqual(self.places("src/a.cu"), [])  # no earlier result counts
        self.put("made/config.h", "#define LIB_USE_CUDA\n#define LIB_DOUBLE 0\n")
        self.assertEqual(self.places("src/a.cu"), ["src/a.cu:4"])
        self.assertFalse((self.dir / "src/config.h").exists())

    def test_macros_of_build_files(self):
        """What a Makefile or a CMakeLists.txt defines for a file that no database compiles."""
        self.put("a.cu", BAD.format("WIDTH"))
        self.put("Makefile", "WIDTH = 24\n%.o: %.cu\n\tnvcc -DWIDTH=$(WIDTH) -c $<\n")
        self.assertEqual(self.places("."), ["a.cu:1"])
        self.assertIn(b"a.cu: -DWIDTH=24, as Makefile says", self.lint("-v", "a.cu").stderr)
        self.assertEqual(self.places(".", "--no-inference"), [])
        self.assertEqual(self.places(".", "-DWIDTH=32"), [])
        self.put("Makefile", "%.o: %.cu\n\tnvcc -DWIDTH=16 -c $<\n")
        self.assertEqual(self.places("."), [])
        self.put("b/CMakeLists.txt", "option(USE_CUDA \"\" OFF)\nif(USE_CUDA)\n  add_definitions(-DWIDTH=24)\nendif()\n")
        self.put("b/src/b.cu", BAD.format("WIDTH"))
        self.assertEqual(self.places("."), ["b/src/b.cu:1"])

    def test_part_of_another_file(self):
        """A file that another one includes after its constants and arrays is read with it, also when it is named alone."""
        part = "__global__ void k(int *o) { table[threadIdx.x] = o[0];\n o[threadIdx.x] = __shfl_sync(~0u, 1, 0, WIDTH); }\n"
        self.put("p/CMakeLists.txt", "")
        self.put("p/src/k.cu", part)
        self.put("p/src/main.cu", '#define WIDTH 24\n__device__ int table[64];\n#include "k.cu"\n'
                 "int main() { k<<<1, 64>>>(0); }\n" + BAD.format("24").replace(" k", " other"))
        self.put("p/other/main.cu", '#define WIDTH 32\n__device__ int table[64];\n#include "k.cu"\n')  # of its own
        self.put("p/other/k.cu", part)
        for arguments in ("p/src/k.cu",), ("p/src/k.cu", "-j1", "--no-cache"):
            found = self.report(*arguments, "--select", "mask,bad-shuffle-width")
            self.assertEqual([f"{f['file']}:{f['line']}" for f in found["findings"]], ["p/src/k.cu:2"])
            self.assertEqual(found["findings"][0]["confidence"], "definite")
            self.assertEqual(found["coverage"]["without"], [])
        self.assertEqual(self.coverage("p/src/k.cu"), (1, 1, 0))
        self.assertEqual(self.places("p/other/k.cu"), [])
        self.assertIn("read as a part of p/src/main.cu, which includes it", self.lint("p/src/k.cu", "-v").stderr.decode())
        self.assertEqual(self.places("p"), ["p/src/k.cu:2", "p/src/main.cu:5"])  # none twice
        self.assertEqual(self.coverage("p"), (3, 3, 0))
        self.assertEqual(self.places("p/src/k.cu", "--no-inference"), [])
        self.put("p/src/main.cu", '#define WIDTH 16\n__device__ int table[64];\n#include "k.cu"\n'
                 "int main() { k<<<1, 64>>>(0); }\n")
        self.assertEqual(self.places("p/src/k.cu"), [])  # no earlier result counts
        text = part.replace("WIDTH", "24")
        self.assertEqual(self.places("-", "--stdin-filename", "p/src/k.cu", text=text), ["p/src/k.cu:2"])

    def test_part_through_a_header(self):
        self.put("r/k.cuh", "__global__ void k(int *o) { table[threadIdx.x] = o[0]; "
                            "o[threadIdx.x] = __shfl_sync(~0u, 1, 0, WIDTH); }\n")
        self.put("r/all.h", '#include "k.cuh"\n')
        self.put("r/main.cu", '#define WIDTH 24\n__device__ int table[64];\n#include "all.h"\n'
                 "int main() { k<<<1, 64>>>(0); }\n")
        self.put("CMakeLists.txt", "")
        self.assertEqual(self.places("r/k.cuh"), ["r/k.cuh:1"])
        self.assertEqual(self.report("r/k.cuh")["coverage"]["guessed_launches"], 0)
        self.database(self.entry("k.cuh", "nvcc -c -x cu -DWIDTH=8 k.cuh", self.dir / "r"))
        self.assertEqual(self.places("r/k.cuh"), [])  # the build compiles it

    def test_code_in_included_files_only(self):
        """Whoever names a .cu wants what it compiles; a folder's run needs it for what nobody else looks at."""
        self.put("k.cuh", BAD.format("24"))
        self.put("in/k.ipp", BAD.format("24"))
        self.put("in/a.cu", '#include "../k.cuh"\n')
        self.put("in/b.cu", '#include "k.ipp"\n')
        self.put("in/third_party/v.cuh", BAD.format("24"))
        self.put("in/c.cu", '#include "third_party/v.cuh"\n')
        self.assertEqual(self.places("in/a.cu"), ["k.cuh:1"])
        self.assertEqual(self.places("in/b.cu"), ["in/k.ipp:1"])
        self.assertEqual(self.coverage("in/b.cu"), (1, 1, 0))
        self.assertEqual(self.places("in/a.cu", "in/b.cu"), ["in/k.ipp:1", "k.cuh:1"])
        self.assertEqual(self.places("in"), ["in/k.ipp:1", "in/third_party/v.cuh:1", "k.cuh:1"])
        self.assertEqual(self.places("."), ["in/k.ipp:1", "in/third_party/v.cuh:1", "k.cuh:1"])
        self.assertEqual(self.coverage("."), (3, 3, 0))  # none twice

    def test_flags_of_the_file_that_includes(self):
        """Its macros and its launches hold for the code of its headers."""
        self.put("k.cuh", "template <int W> __global__ void k(int *o) { o[threadIdx.x] = __shfl_sync(~0u, 1, 0, WIDTH); }\n")
        self.put("a.cu", '#define WIDTH 24\n#include "k.cuh"\n')
        self.put("b.cu", '#define WIDTH 16\n#include "k.cuh"\n')
        self.assertEqual(self.places("a.cu", "--possible"), ["k.cuh:1"])
        self.assertEqual(self.places("b.cu", "--possible"), [])

    def test_one_file_of_a_repository(self):
        """As a pre-commit hook runs it: a file is named, the tree is found by its .git."""
        subprocess.run(["git", "init", "-q", str(self.dir)], check=True)
        self.put("src/a.cu", '#include "util/w.cuh"\n' + BAD.format("W"))
        self.put("lib/util/w.cuh", "#define W 24\n")
        self.assertEqual(self.places("src/a.cu"), ["src/a.cu:2"])
        self.assertEqual(self.places("a.cu", cwd=self.dir / "src"), ["a.cu:2"])

    def lint(self, *arguments, cwd=None, **more):
        return run.tool(*arguments, cwd=cwd or self.dir, **more)

    def test_standard_input(self):
        self.put("lib/util/w.cuh", "#define W 24\n")
        self.put("CMakeLists.txt", "")
        text = '#include "util/w.cuh"\n' + BAD.format("W")
        self.assertEqual(self.places("-", "--stdin-filename", "src/typed.cu", text=text), ["src/typed.cu:2"])

    def test_ignored_headers(self):
        subprocess.run(["git", "init", "-q", str(self.dir)], check=True)
        self.put(".gitignore", "made/\n")
        self.put("src/a.cu", '#include "util/w.cuh"\n' + BAD.format("W"))
        self.put("made/util/w.cuh", "#define W 24\n")
        self.assertEqual(self.places("src/a.cu"), [])
        self.put("kept/util/w.cuh", "#define W 20\n")
        self.assertEqual(self.places("src/a.cu"), ["src/a.cu:2"])

    def test_headers_once_and_by_their_name(self):
        self.put("lib/deep/shared.cuh", BAD.format(24))
        for name in "abc":
            self.put(f"src/{name}.cu", "#include <shared.cuh>\n" + run.CLEAN.replace("clean", name))
        self.assertEqual(self.places("src/a.cu", "src/b.cu", "src/c.cu"), [])  # no tree is known: src/ alone
        self.put("CMakeLists.txt", "")
        self.assertEqual(self.places("src"), ["lib/deep/shared.cuh:1"])
        outputs = {self.lint(".", "--output", "json", "-j", j).stdout for j in ("1", "3")}
        self.assertEqual(len(outputs), 1)

    def test_third_party(self):
        self.put("third_party/lib/api/t.cuh", BAD.format(24))
        self.put("src/a.cu", "#include <api/t.cuh>\n" + BAD.format(20).replace("void k", "void own"))
        self.put("CMakeLists.txt", "")
        self.assertEqual(self.places("src"), ["src/a.cu:2"])
        self.assertEqual(self.places("src", "--third-party"), ["src/a.cu:2", "third_party/lib/api/t.cuh:1"])
        self.assertIn("third-party headers: 1", self.lint("src", "--select", "mask", "--statistics").stderr.decode())
        self.assertEqual(self.places("third_party"), ["third_party/lib/api/t.cuh:1"])  # asked about
        self.put("own/api/t.cuh", "#define NOTHING\n")  # the project's own comes first
        self.assertEqual(self.places("src", "--third-party"), ["src/a.cu:2"])

    def test_submodules_and_toolkits(self):
        self.put("CMakeLists.txt", "")
        self.put("modules/m/.git", "gitdir: ../../.git/modules/m\n")
        self.put("modules/m/inc/m.cuh", BAD.format(24))
        self.put("old/toolkit/cuda_runtime.h", "#error not this one\n")
        self.put("src/a.cu", '#include "m.cuh"\n#include "cuda_runtime.h"\n' + run.CLEAN)
        self.assertEqual(self.places("src"), [])
        self.assertEqual(self.places("src", "--third-party"), ["modules/m/inc/m.cuh:1"])
        self.assertEqual(self.coverage("src"), (1, 1, 0))

    def test_builtin_headers_are_not_shadowed(self):
        self.put("CMakeLists.txt", "")
        self.put("helpers/string.h", "#error the library's is meant\n")
        self.put("helpers/mine.h", "#define W 24\n")
        self.put("src/a.cu", '#include <string.h>\n#include "mine.h"\n' + BAD.format("W"))
        self.assertEqual(self.places("src"), ["src/a.cu:3"])
        self.assertEqual(self.coverage("src"), (1, 1, 0))

    def test_hostile_trees(self):
        self.put("CMakeLists.txt", "")
        self.put("src/a.cu", '#include "l.h"\n#include "p.h"\n#include "d.h"\n' + run.CLEAN)
        self.put("x/l.h", '#include "l.h"\n#include "../x/l.h"\n#include <l.h>\n')
        os.symlink("..", self.dir / "x/loop")
        os.symlink("p.h", self.dir / "x/p.h")
        (self.dir / "y").mkdir()
        os.mkfifo(self.dir / "y/d.h")
        (self.dir / "x/locked").mkdir(mode=0)
        self.check_status(0, "src", "--select", "mask", "--time-limit", "200")


class Database(Case):
    def test_the_command_counts(self):
        self.put("src/a.cu", '#include "w.h"\n' + BAD.format("W"))
        self.put("inc dir/w.h", "#define W (N + 4)\n")
        self.put("build/x.rsp", '-I"../inc dir"\n')
        self.database(self.entry("../src/a.cu", "nvcc --options-file x.rsp -DN=20 -ccbin g++ -c ../src/a.cu",
                                 self.dir / "build"), name="build/compile_commands.json")
        for build in ("build", "build/compile_commands.json"):
            self.assertEqual(self.places("src", "-p", build), ["src/a.cu:2"])
        self.assertEqual(self.places("src", "-p", "build", "-DN=12"), [])

    def test_headers_borrow(self):
        """A header is read with the flags of a file that includes it, not of its neighbour."""
        self.put("src/a.cu", "#include <deep/h.cuh>\n" + run.CLEAN)
        self.put("src/n.cu", run.CLEAN)
        self.put("include/deep/h.cuh", '#include "w.h"\n' + BAD.format("W"))
        self.put("include/w.h", "#define W N\n")
        self.put("alone/new.cu", "#ifdef NEAR\n" + BAD.format(20) + "#endif\n" + run.CLEAN)
        self.put("alone/old.cu", run.CLEAN)
        self.database(self.entry("src/n.cu", "nvcc -DN=16 -c src/n.cu"),
                      self.entry("src/a.cu", "nvcc -Iinclude -DN=24 -c src/a.cu"),
                      self.entry("alone/old.cu", "nvcc -DNEAR -c alone/old.cu"))
        self.assertEqual(self.places("include/deep/h.cuh", "-p", "."), ["include/deep/h.cuh:2"])
        self.assertEqual(self.places("alone/new.cu", "-p", "."), ["alone/new.cu:2"])
        said = self.lint("include/deep/h.cuh", "-p", ".", "-v").stderr.decode()
        self.assertIn("src/a.cu, which includes it", said)

    def test_architectures(self):
        self.put("a.cu", "#if __CUDA_ARCH__ < 700\n" + BAD.format(24) + "#else\n\n" + BAD.format(20) + "#endif\n")
        command = "nvcc -gencode arch=compute_60,code=sm_60 -gencode arch=compute_90a,code=sm_90a -c a.cu"
        self.database(self.entry("a.cu", command))
        self.assertEqual(self.places("a.cu", "-p", "."), ["a.cu:2", "a.cu:5"])
        self.assertEqual(self.places("a.cu", "-p", ".", "--arch", "sm_80"), ["a.cu:5"])
        self.database(self.entry("a.cu", command.replace("60", "100").replace("90a", "120")))
        self.assertEqual(self.places("a.cu", "-p", "."), ["a.cu:5"])
        self.assertEqual(self.places("a.cu", "--", "-arch=sm_60"), ["a.cu:2"])

    def test_opting_out(self):
        """compute_60 for sm_70 is told of each file that is compiled so, and not of one that merely lies near."""
        vote = "__global__ void k(int *o) { o[threadIdx.x] = __any_sync(~0u, o[threadIdx.x]); }\n"
        for name in ("a.cu", "native.cu", "near.cu", "h.cuh"):
            self.put(name, ('#include "h.cuh"\n' if name == "a.cu" else "") + vote.replace("k(", f"k_{name[0]}("))
        self.database(self.entry("a.cu", "nvcc -arch=compute_60 -code=sm_70 -c a.cu"),
                      self.entry("native.cu", "nvcc -gencode arch=compute_70,code=sm_70 -c native.cu"))
        found = self.report("-p", ".", ".", "--select", "its-opt-out")["findings"]
        self.assertEqual([(f["file"], f["line"], f["severity"]) for f in found], [("a.cu", 2, "error"), ("h.cuh", 1, "error")])
        found = self.report("-p", ".", "a.cu", "--select", "its-opt-out", "--semantics", "cuda12")["findings"]
        self.assertEqual([(f["file"], f["severity"]) for f in found], [("a.cu", "warning")])
        self.assertEqual(self.report("-p", ".", "a.cu", "--select", "its-opt-out", "--arch", "sm_75")["findings"], [])

    def test_specific_features(self):
        self.put("a.cu", "#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n" + BAD.format(24) + "#else\n" + run.CLEAN + "#endif\n")
        for arch, expected in (("90a", ["a.cu:2"]), ("90", [])):
            self.database(self.entry("a.cu", f"nvcc -arch=sm_{arch} -c a.cu"))
            self.assertEqual(self.places("a.cu", "-p", "."), expected)

    def test_toolkit_directories_stay_out(self):
        self.put("tk/include/cuda_runtime.h", "#error the toolkit's own\n")
        self.put("tk/include/stdio.h", "#error the host's own\n")
        self.put("a.cu", "#include <cuda_runtime.h>\n#include <stdio.h>\n" + BAD.format(24))
        self.database(self.entry("a.cu", "nvcc -Itk/include -isystem=tk/include -c a.cu"))
        self.assertEqual(self.places("a.cu", "-p", "."), ["a.cu:3"])
        self.assertEqual(self.report("a.cu", "-p", ".")["coverage"]["degraded"], 0)

    def test_wrong_databases(self):
        self.put("a.cu", run.CLEAN)
        self.put("not.json", "[{]")
        self.put("object.json", "{}")
        self.put("binary.json", b"\x7fELF\0\1\2\0")
        os.mkfifo(self.dir / "pipe.json")
        for wrong in ("none", ".", "not.json", "object.json", "binary.json", "pipe.json", "/dev/null", "/dev/zero"):
            with self.subTest(wrong=wrong):
                self.check_usage_error("--build", "a.cu", "-p", wrong)

    def test_hostile_commands(self):
        """Nothing of it runs, nothing hangs, and the file is linted all the same."""
        self.put("a.cu", BAD.format(24))
        self.put("loop.rsp", "--options-file loop.rsp @loop.rsp -optf=loop.rsp,loop.rsp " * 50)
        os.symlink("circle.rsp", self.dir / "circle.rsp")
        os.mkfifo(self.dir / "pipe.rsp")
        self.put("binary.rsp", bytes(range(256)) * 64)
        evil = self.dir / "evil.so"
        self.put("evil.so", b"\x7fELF")
        for command in ("touch owned; nvcc -c a.cu", "$(touch owned) `touch owned` nvcc -c a.cu && touch owned",
                        f"clang++ -x cuda -fplugin={evil} -Xclang -load -Xclang {evil} -c a.cu",
                        f"nvcc -ccbin {evil} -Xcompiler -fplugin={evil},-wrapper,{evil},-B{self.dir} -c a.cu",
                        "nvcc --options-file loop.rsp -c a.cu", "nvcc @circle.rsp @pipe.rsp @binary.rsp @. @/dev/zero -c a.cu",
                        "nvcc --options-file /dev/stdin -c a.cu", "nvcc -I'a\nb' '-DX=\"\n' -include /dev/zero -c a.cu",
                        "nvcc " + "-DA" * (3 << 20) + " " + "-I. " * 200000 + "-c a.cu", "nvcc 'unclosed -c a.cu", ""):
            with self.subTest(command=command[:60]):
                self.database(self.entry("a.cu", command))
                self.assertEqual(self.places("a.cu", "-p", ".", "--time-limit", "200"), ["a.cu:1"])
        self.assertFalse((self.dir / "owned").exists())

    def test_work_is_bounded(self):
        """Before any worker with its time limit starts: thousands of names times thousands of directories."""
        self.put("a.cu", "".join(f'#include "none{i}/x.h"\n' for i in range(4000)) + run.CLEAN)
        self.database(self.entry("a.cu", "nvcc " + "".join(f"-I{i} " for i in range(30000)) + "-c a.cu"))
        for more in (["-p", "."], ["--no-inference"], []):
            done = self.lint("a.cu", "--select", "mask", "--time-limit", "5", *more)
            self.assertIn(done.returncode, (0, 3), done.stderr)

    def test_bazel(self):
        """In the shape of the extractor for Bazel: arguments, paths from the workspace, wrappers for compilers."""
        shutil.copytree(HERE / "bazel", self.dir / "w")
        text = (self.dir / "w/compile_commands.json").read_text().replace("@DIR@", str(self.dir / "w"))
        self.put("w/compile_commands.json", text)
        both = self.places("w/kernels", "-p", "w")
        self.assertEqual(both, ["w/kernels/shared.h:4", "w/kernels/sum.cu:6"])
        self.assertEqual(self.coverage("w/kernels", "-p", "w"), (2, 2, 0))
        self.assertEqual(self.places("w/kernels/shared.h", "-p", "w"), ["w/kernels/shared.h:4"])
        self.assertEqual(self.places("w/kernels", "--no-inference"), [])


class FoundDatabase(Case):
    """Without -p: compile_commands.json above a file, or in the project's build folders."""

    def project(self, place, command="nvcc -DW=24 -c src/a.cu"):
        self.put("CMakeLists.txt", "")
        self.put("src/a.cu", BAD.format("W"))
        self.database(self.entry("src/a.cu", command), name=place)

    def test_where_it_is_looked_for(self):
        for place in ("compile_commands.json", "src/compile_commands.json", "build/compile_commands.json",
                      "build-debug/compile_commands.json", "out/build/linux/compile_commands.json",
                      "build/release/compile_commands.json", "cmake-build-debug/compile_commands.json"):
            with self.subTest(place=place):
                self.project(place)
                self.assertEqual(self.places("src/a.cu"), ["src/a.cu:1"])
                (self.dir / place).unlink()
        self.project("elsewhere/compile_commands.json")
        self.assertEqual(self.places("src"), [])

    def test_what_is_said_and_how_to_turn_it_off(self):
        place = "build/compile_commands.json"
        self.project(place)
        self.assertEqual(self.report("src")["coverage"]["compile_commands"], [place])
        self.assertIn(f"# compile commands: {place}\n", self.lint("src", "--show-settings").stdout.decode())
        self.assertIn(f"{place}: found", self.lint("src", "-v").stderr.decode())
        self.assertEqual(self.places("src", "--no-compile-commands"), [])
        self.assertNotIn("compile_commands", self.report("src", "--no-compile-commands")["coverage"])
        self.put("src/.cuwarp-lint.yaml", "no-compile-commands: true\n")
        self.assertEqual(self.places("src"), [])
        self.project("elsewhere/compile_commands.json")
        self.assertEqual(self.places("src"), [])

    def test_order(self):
        """The nearest folder first; of builds the one that compiles the file; -p before all."""
        self.project("build-b/compile_commands.json")
        self.put("src/b.cu", run.CLEAN)
        self.database(self.entry("src/b.cu", "nvcc -DW=16 -c src/b.cu"), name="build-a/compile_commands.json")
        self.assertEqual(self.places("src/a.cu"), ["src/a.cu:1"])
        self.database(self.entry("src/a.cu", "nvcc -DW=16 -c src/a.cu"), name="src/compile_commands.json")
        self.assertEqual(self.places("src/a.cu"), [])
        self.assertEqual(self.places("src/a.cu", "-p", "build-b"), ["src/a.cu:1"])

    def test_an_old_database_is_completed_by_the_tree(self):
        self.project("build/compile_commands.json", "nvcc -Igone -c src/a.cu")
        self.put("src/a.cu", '#include "w.h"\n' + BAD.format("W"))
        self.put("now/w.h", "#define W 24\n")
        self.assertEqual(self.places("src"), ["src/a.cu:2"])
        self.assertEqual(self.places("src", "-p", "build"), [])

    def test_wrong_databases(self):
        """One line, and the run goes on without."""
        self.put("CMakeLists.txt", "")
        self.put("src/a.cu", BAD.format(24))
        other = json.dumps([{"directory": "/nowhere", "command": "nvcc -c x.cu", "file": "x.cu"}])
        for text, why in (("[{]", "is not used: line 1"), ("{}", "it is no array"), ("[]", "it has no commands"),
                          (other, "its files are not those of this project"), (b"\x7fELF\0", "is not used")):
            with self.subTest(text=text):
                self.put("build/compile_commands.json", text)
                said = self.lint("src", "--select", "bad-shuffle-width").stderr.decode()
                self.assertEqual(said.count("build/compile_commands.json"), 1, said)
                self.assertIn(why, said)
                self.assertEqual(self.places("src"), ["src/a.cu:1"])
        (self.dir / "build/compile_commands.json").unlink()
        os.mkfifo(self.dir / "build/compile_commands.json")
        self.assertEqual(self.places("src"), ["src/a.cu:1"])

    def test_other_languages(self):
        """Commands of C++ files say nothing of CUDA ones beside them."""
        self.project("build/compile_commands.json")
        self.put("src/m.cpp", "int main() {}\n")
        self.database(self.entry("src/m.cpp", "g++ -DW=24 -c src/m.cpp"), name="build/compile_commands.json")
        self.assertEqual(self.places("src"), [])
        self.assertEqual(self.lint("src", "--select", "mask").stderr, b"")

    def test_marks_of_a_root(self):
        """One file finds what a run over the folder finds, whatever the project is built with."""
        self.put("lib/util/w.cuh", "#define W 24\n")
        self.put("src/a.cu", '#include "util/w.cuh"\n' + BAD.format("W"))
        for mark in ("setup.py", "pyproject.toml", "MODULE.bazel", "WORKSPACE", "meson.build", "Makefile", "package.xml",
                     "conanfile.txt", "vcpkg.json"):
            with self.subTest(mark=mark):
                self.put(mark, "")
                self.assertEqual(self.places("src/a.cu"), self.places("."))
                self.assertEqual(self.places("src/a.cu"), ["src/a.cu:2"])
                (self.dir / mark).unlink()
        self.assertEqual(self.places("src/a.cu"), [])


class CMake(Case):
    """A CUDA project configured by CMake: with the databases as CMake 3.25 wrote them, and with fresh ones where the real
    CMake and nvcc are at hand."""

    def setUp(self):
        super().setUp()
        shutil.copytree(HERE / "cmake", self.dir / "p")

    def check_database(self):
        found = ["p/include/dep/kernel.cuh:3", "p/src/old.cu:7", "p/src/width.cu:11"]
        self.assertEqual(self.places("p", "-p", "p/b"), found)
        self.assertEqual(self.coverage("p/src", "-p", "p/b"), (2, 2, 0))
        self.assertEqual(self.places("p/src/as_cuda.cpp", "-p", "p/b"), found[:1])
        self.assertEqual(self.places("p/include", "-p", "p/b"), found[:1])

    def check_committed(self, kind):
        for source in (HERE / kind).rglob("*.*"):
            if source.is_file():
                text = source.read_text().replace("@SOURCE@", f"{self.dir}/p").replace("@BUILD@", f"{self.dir}/p/b")
                self.put(f"p/b/{source.relative_to(HERE / kind)}", text)
        self.check_database()

    def test_committed_makefiles(self):
        self.check_committed("makefiles")

    def test_committed_ninja(self):
        self.check_committed("ninja")

    def configure(self, generator, *more):
        if not NVCC or not CMAKE or (generator == "Ninja" and not shutil.which("ninja")):
            self.skipTest("nvcc, cmake or ninja is missing")
        done = subprocess.run([CMAKE, "-S", "p", "-B", "p/b", "-G", generator, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                               f"-DCMAKE_CUDA_COMPILER={NVCC}", *more], cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_makefiles(self):
        self.configure("Unix Makefiles")
        self.check_database()

    def test_ninja(self):
        self.configure("Ninja")
        self.check_database()

    def build(self, launcher):
        self.configure("Ninja" if shutil.which("ninja") else "Unix Makefiles", f"-DCMAKE_CUDA_COMPILER_LAUNCHER={launcher}")
        return subprocess.run([CMAKE, "--build", "p/b"], cwd=self.dir, capture_output=True, text=True,
                              env={**os.environ, "XDG_CACHE_HOME": str(self.dir)})

    def test_launcher(self):
        """Findings are shown and the build goes on; with --fail-on it stops; the compiler's own errors are its own."""
        done = self.build(f"{run.OPTIONS.bin};launch;--select;bad-shuffle-width;--")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        text = done.stdout + done.stderr
        for place in ("src/width.cu:11:", "src/old.cu:7:", "include/dep/kernel.cuh:3:"):
            self.assertIn(place, text)
        self.assertNotIn("src/old.cu:5:", text)
        self.assertTrue(list((self.dir / "p/b").glob("libsample.a")))
        done = self.build(f"{run.OPTIONS.bin};launch;--select;bad-shuffle-width;--fail-on;error;--")
        self.assertNotEqual(done.returncode, 0)


class Launch(Case):
    """The launcher in front of something that only says how it was called."""

    def setUp(self):
        super().setUp()
        self.put("nvcc", '#!/bin/sh\nprintf "%s|" "$@"\nexit 7\n')
        (self.dir / "nvcc").chmod(0o755)
        self.put("a.cu", '#include "w.h"\n' + BAD.format("W"))
        self.put("inc/w.h", "#define W 24\n")

    def launch(self, *arguments, before=()):
        return self.lint("launch", "--select", "bad-shuffle-width", *before, "--", *arguments)

    def test_passes_everything_on(self):
        line = ["./nvcc", "-Iinc", "-DA=b c", "-c", "a.cu", "-o", "a b.o", "--", "*"]
        done = self.launch(*line)
        self.assertEqual(done.returncode, 7)
        self.assertEqual(done.stdout.decode(), "".join(a + "|" for a in line[1:]))
        self.assertIn("a.cu:2:", done.stderr.decode())

    def test_silent_without_findings(self):
        for line in (["./nvcc", "-Iinc", "-c", "none.cpp"], ["./nvcc", "-dlink", "a.o"], ["./nvcc", "-E", "a.cu", "-Iinc"],
                     ["./nvcc", "--version"], ["./nvcc"], ["./nvcc", "-c", "a.cu"]):
            with self.subTest(line=line):
                done = self.launch(*line)
                self.assertEqual((done.returncode, done.stderr), (7, b""))

    def test_fails_on_findings(self):
        done = self.launch("./nvcc", "-Iinc", "-c", "a.cu", before=["--fail-on", "error"])
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertEqual(self.launch("./nvcc", "-c", "a.cu", before=["--fail-on", "error"]).returncode, 7)

    def test_language_and_response_files(self):
        self.put("b.cpp", BAD.format("W + 0"))
        self.put("r.rsp", "-Iinc -DW=20")
        self.assertIn("b.cpp:1:", self.launch("./nvcc", "-x", "cu", "--options-file", "r.rsp", "-c", "b.cpp").stderr.decode())
        self.assertEqual(self.launch("./nvcc", "--options-file", "r.rsp", "-c", "b.cpp").stderr, b"")

    def test_missing_compiler(self):
        done = self.launch("./no-such-nvcc", "-c", "b.cu")
        self.assertEqual(done.returncode, 127)
        self.assertIn("cannot be run", done.stderr.decode())
        self.check_usage_error("launch needs", "launch")
        self.check_usage_error("launch needs", "launch", "a.cu", "--", "nvcc")


if __name__ == "__main__":
    run.main()
