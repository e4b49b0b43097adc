"""Test cases of unittest that wait for clocks more than they work, run side by side."""

import concurrent.futures
import sys
import unittest

WORKERS = 6


def cases_of(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from cases_of(test)
        else:
            yield test


def run(test):
    result = unittest.TestResult()
    test.run(result)
    return test, result


def main(names):
    """Runs the cases of the main program, or those that are named, and ends it. Classes must have no fixtures of their own."""
    loader, module = unittest.defaultTestLoader, sys.modules["__main__"]
    suite = loader.loadTestsFromNames(names, module) if names else loader.loadTestsFromModule(module)
    failed = skipped = count = 0
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for test, result in pool.map(run, list(cases_of(suite))):
            count += 1
            skipped += len(result.skipped)
            for what, text in result.failures + result.errors:
                failed += 1
                print("FAIL: %s\n%s" % (what.id(), text), file=sys.stderr, flush=True)
            for what, why in result.skipped:
                print("skipped: %s: %s" % (what.id(), why), file=sys.stderr)
            failed += len(result.unexpectedSuccesses)
    print("Ran %d tests: %d failed, %d skipped" % (count, failed, skipped), file=sys.stderr)
    sys.exit(1 if failed or not count else 0)
