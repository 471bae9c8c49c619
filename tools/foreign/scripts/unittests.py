# Runs unittest modules and prints what the Go program reads: unittests.py [--skip=EXPRESSION ...] MODULE ...
import argparse
import re
import sys
import unittest

parser = argparse.ArgumentParser()
parser.add_argument('--skip', action='append', default=[])
parser.add_argument('modules', nargs='+')
options = parser.parse_args()
sys.path.insert(0, '.')
out = sys.stdout
sys.stdout = sys.stderr  # what the tests print is not mixed with the results
skips = [re.compile(skip) for skip in options.skip]
count = 0


def say(line, notes=''):
    global count
    count += 1
    print(line, file=out)
    for note in str(notes).strip().splitlines()[-15:]:
        print('#', note, file=out)
    out.flush()


class Result(unittest.TestResult):
    def addSuccess(self, test):
        say(f'ok - {test.id()}')

    def addExpectedFailure(self, test, err):
        say(f'ok - {test.id()}')

    def addSkip(self, test, reason):
        say(f'ok - {test.id()} # SKIP {" ".join(str(reason).split())}')

    def addError(self, test, err):
        super().addError(test, err)
        say(f'not ok - {test.id()}', self.errors[-1][1])

    def addFailure(self, test, err):
        super().addFailure(test, err)
        say(f'not ok - {test.id()}', self.failures[-1][1])

    def addUnexpectedSuccess(self, test):
        say(f'not ok - {test.id()}', 'it was expected to fail')

    def addSubTest(self, test, subtest, err):
        if err is not None:
            say(f'not ok - {subtest.id()}', self._exc_info_to_string(err, test))


# The suites stay nested: a class or module is set up once for its tests.
def sift(suite):
    kept = unittest.TestSuite()
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            kept.addTest(sift(item))
        elif not any(skip.search(item.id()) for skip in skips):
            kept.addTest(item)
    return kept


sift(unittest.defaultTestLoader.loadTestsFromNames(options.modules)).run(Result())
print(f'1..{count}', file=out)
