#!/usr/bin/env python3
"""Small programs that check themselves, and programs that must be refused.

usage: programs_test.py SHARDY

A part that begins with `// refused: TEXT` must end with an error at a place in it that contains TEXT; any other
part must run and pass all its checks, of which it has at least one.
"""
import pathlib
import re
import subprocess
import sys
import unittest

SHARDY = sys.argv[1]
FOLDER = pathlib.Path(__file__).parent / "programs"
LIMITS = ["--max-iterations", "1000", "--reference"]


def run(text):
    return subprocess.run([SHARDY, "run", "-", *LIMITS], input=text, capture_output=True, text=True, timeout=60)


class Programs(unittest.TestCase):
    maxDiff = None

    def test_each_part(self):
        for path in sorted(FOLDER.glob("*.mlir")):
            parts = re.split(r"^// -----$", path.read_text(), flags=re.M)
            for part in map(str.strip, parts):
                with self.subTest(path.name, part=part.splitlines()[:2]):
                    refusal = re.match(r"// refused: (.*)", part)
                    self.judge(run(part), refusal and refusal[1])
            print(f"{path.stem}: {len(parts)} programs")

    def judge(self, done, refusal):
        if refusal:
            self.assertIn(done.returncode, (1, 2), done.stdout)
            first = done.stderr.splitlines()[0]
            self.assertRegex(first, r"^-:\d+:\d+: error: ")
            self.assertIn(refusal, done.stderr)
        else:
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"^([1-9]\d*) of \1 checks? passed\n$")


if __name__ == "__main__":
    unittest.main(argv=[__file__], verbosity=0)
