#!/usr/bin/env python3
"""The names of the C++ library that the built-in headers lack, by the library of this machine.

Compared are, for each header, the names of namespace std that it defines itself, and the members of common classes.
std_names.txt lists what is left out on purpose."""
import argparse
import fnmatch
import pathlib
import re
import subprocess
import sys

SKIPPED = 77
STANDARDS = ["-std=c++17", "-std=c++20"]
HERE = pathlib.Path(__file__).parent
HEADERS = """algorithm any array atomic bit bitset cctype cfenv chrono cinttypes climits cmath compare complex concepts
condition_variable cstddef cstdint cstdio cstdlib cstring ctime deque exception forward_list functional future
initializer_list iomanip ios iosfwd iostream istream iterator limits list map memory mutex new numbers numeric optional
ostream queue random ranges ratio set shared_mutex source_location span sstream stack stdexcept streambuf string
string_view system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant
vector""".split()
# Files of the library that do not say whose they are.
OWNERS = {"bits/align.h": "memory", "bits/stl_relops.h": "utility", "bits/invoke.h": "", "bits/atomic_futex.h": "",
          "bits/utility.h": "utility", "bits/std_function.h": "functional", "bits/functional_hash.h": "functional",
          "bits/char_traits.h": "string", "bits/hash_bytes.h": "", "bits/alloc_traits.h": "memory",
          "bits/ranges_base.h": "ranges", "bits/ranges_util.h": "ranges", "bits/ranges_algo.h": "algorithm",
          "bits/ranges_algobase.h": "algorithm", "bits/ranges_uninitialized.h": "memory",
          "bits/ranges_cmp.h": "functional", "bits/std_mutex.h": "mutex", "bits/unique_lock.h": "mutex",
          "bits/this_thread_sleep.h": "thread", "bits/std_thread.h": "thread", "bits/uses_allocator.h": "memory",
          "bits/uses_allocator_args.h": "memory", "bits/enable_special_members.h": "",
          "bits/node_handle.h": "", "bits/parse_numbers.h": "", "bits/chrono.h": "chrono",
          "bits/iterator_concepts.h": "iterator", "bits/nested_exception.h": "exception",
          "bits/exception_ptr.h": "exception", "bits/shared_ptr_atomic.h": "memory", "bits/unique_ptr.h": "memory"}
CLASSES = {"vector": ["std::vector<int>", "std::vector<bool>"], "string": ["std::string"], "deque": ["std::deque<int>"],
           "string_view": ["std::string_view"], "array": ["std::array<int, 3>"], "list": ["std::list<int>"],
           "map": ["std::map<int, long>"], "unordered_map": ["std::unordered_map<int, long>"],
           "set": ["std::set<int>"], "unordered_set": ["std::unordered_set<int>"], "queue": ["std::queue<int>"],
           "memory": ["std::unique_ptr<int>", "std::unique_ptr<int[]>", "std::shared_ptr<int>", "std::weak_ptr<int>",
                      "std::allocator_traits<std::allocator<int>>", "std::pointer_traits<int *>",
                      "std::allocator<int>"],
           "optional": ["std::optional<int>"], "variant": ["std::variant<int, long>"], "tuple": ["std::tuple<int, long>"],
           "utility": ["std::pair<int, long>", "std::integer_sequence<int, 1>"],
           "functional": ["std::function<int(int)>", "std::reference_wrapper<int>", "std::less<int>"],
           "atomic": ["std::atomic<int>", "std::atomic<int *>", "std::atomic_flag"],
           "complex": ["std::complex<float>"], "initializer_list": ["std::initializer_list<int>"],
           "limits": ["std::numeric_limits<float>", "std::numeric_limits<int>", "std::numeric_limits<void *>"],
           "mutex": ["std::mutex", "std::unique_lock<std::mutex>", "std::lock_guard<std::mutex>"],
           "chrono": ["std::chrono::seconds", "std::chrono::steady_clock", "std::chrono::steady_clock::time_point",
                      "std::chrono::system_clock"],
           "bitset": ["std::bitset<8>", "std::bitset<8>::reference"], "span": ["std::span<int>"],
           "iterator": ["std::iterator_traits<int *>", "std::reverse_iterator<int *>", "std::move_iterator<int *>"],
           "thread": ["std::thread"], "future": ["std::future<int>", "std::promise<int>"], "any": ["std::any"],
           "type_traits": ["std::true_type"], "random": ["std::mt19937", "std::uniform_int_distribution<int>",
                                                         "std::normal_distribution<float>"],
           "condition_variable": ["std::condition_variable"], "stack": ["std::stack<int>"], "typeinfo": ["std::type_info"],
           "typeindex": ["std::type_index"], "valarray": ["std::valarray<float>"], "sstream": ["std::stringstream"]}


def asked(tool, *args):
    """The lines that it prints; none when this cannot be parsed."""
    done = subprocess.run([tool, *args], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


class Library:
    """Which header a file of the real library belongs to."""

    def __init__(self):
        self.known = {}

    def owners(self, path):
        if path not in self.known:
            self.known[path] = self.look(path)
        return self.known[path]

    @staticmethod
    def look(path):
        found = re.search(r"/c\+\+/\d+(?:\.\d+)*/((?:bits/)?[^/]+)$", path)
        below = re.search(r"/c\+\+/\d+(?:\.\d+)*/((?:backward|debug|ext|pstl|tr1|experimental)/.*)$", path)
        if not found and not (below and below[1].startswith("backward/")):
            return []
        if found and found[1] in OWNERS:
            return [OWNERS[found[1]]]
        text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
        stated = re.search(r"@headername\{([^}]*)\}", text)
        return re.split(r",\s*", stated[1]) if stated else [found[1]] if found else []


def is_own(name):
    last = name.split("::")[-1]
    return last != "default" and re.fullmatch(r"[A-Za-z]\w*", last) and not any(
        part.startswith("_") for part in name.split("::")) and not name.startswith(("experimental::", "rel_ops::"))


def of_header(tool, library, header, standard):
    lines = [line.rsplit("\t", 1) for line in asked(tool, "scope", "real", "std", header, standard)]
    real = {name for name, path in lines if is_own(name) and header in library.owners(path)}
    if not real:
        return
    shim = {line.rsplit("\t", 1)[0] for line in asked(tool, "scope", "shim", "std", header, standard)}
    yield from sorted(real - shim)


def of_class(tool, header, name, standard):
    text = f"#include <{header}>\nusing cuwarp_class = {name};\nauto cuwarp_member = cuwarp_class::"
    real = set(asked(tool, "members", "real", text, standard))
    shim = set(asked(tool, "members", "shim", text, standard))
    words = re.findall(r"\w+", name.split("<")[0])
    for member in sorted(real - shim):
        if re.match(r"[A-Za-z]", member) and member not in words and "cuwarp" not in member:
            yield f"{name}::{member}"


def left_out():
    """What std_names.txt lists: a reason in a comment above, then patterns of "header name" or "class::member"."""
    for line in (HERE / "std_names.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            header, *names = line.split()
            yield from ((header, name) for name in names)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True, help="shim_names")
    parser.add_argument("--all", action="store_true", help="show what is left out on purpose as well")
    args = parser.parse_args()
    library, missing = Library(), {}
    vector = asked(args.tool, "scope", "real", "std", "vector", STANDARDS[0])
    if not any(re.search(r"/c\+\+/\d+", line) for line in vector):
        print("no C++ library of GNU")
        return SKIPPED
    for standard in STANDARDS:
        for header in HEADERS:
            for name in of_header(args.tool, library, header, standard):
                missing.setdefault((header, name), standard)
    for header, names in CLASSES.items():
        for name in names:
            for member in of_class(args.tool, header, name, STANDARDS[-1]):
                missing.setdefault((header, member), STANDARDS[-1])
    excused = [] if args.all else list(left_out())
    wrong = [key for key in missing if not any(
        fnmatch.fnmatchcase(key[0], header) and fnmatch.fnmatchcase(key[1].replace(" ", ""), name)
        for header, name in excused)]
    for header, name in wrong:
        print(f"<{header}> lacks {name}\t({missing[header, name]})")
    print(f"{len(wrong)} names missing, {len(missing) - len(wrong)} left out on purpose")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
