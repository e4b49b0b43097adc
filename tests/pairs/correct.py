#!/usr/bin/env python3
"""Correct programs that look wrong: none may have a definite finding.

tests/pairs/correct/NAME.cu is right because of something that has to be understood: what the host's code says of a launch, who
owns which element, why a condition is the same for all threads. why.csv says what.

usage: correct.py --bin build/release/cuwarp-lint"""
import argparse
import csv
import os
import sys
from concurrent.futures import ThreadPoolExecutor

from run import findings_of

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "correct")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    binary = os.path.abspath(parser.parse_args().bin)
    with open(os.path.join(HERE, "why.csv"), newline="", encoding="utf-8") as file:
        programs = [row["program"] for row in csv.DictReader(file)]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        found = list(pool.map(lambda name: findings_of(binary, os.path.join(HERE, name + ".cu")), programs))
    false = [(name, rule, line) for name, findings in zip(programs, found)
             for confidence, rule, line in findings if confidence == "definite"]
    possible = sum(confidence != "definite" for findings in found for confidence, _, _ in findings)
    for name, rule, line in false:
        print(f"{name}.cu:{line}: a definite {rule} in a correct program")
    print(f"{len(programs)} correct programs, {len(false)} definite findings, {possible} possible ones")
    return 1 if false or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
