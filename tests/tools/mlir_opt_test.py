#!/usr/bin/env python3
"""Every program of the tests and examples: MLIR's own parser reads its generic form, and JSON keeps all of it.

usage: mlir_opt_test.py SHARDY ROOT [MLIR_OPT]

Programs are the .mlir files of ROOT/tests and ROOT/examples, split at separators; those that are not valid programs
(tests of errors) are passed over. Without MLIR_OPT only JSON is tried.
"""
import pathlib
import re
import subprocess
import sys
import unittest

SHARDY, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
MLIR_OPT = sys.argv[3] if len(sys.argv) > 3 else None
SEPARATOR = re.compile(r"^// (?:----.*|=====.*|AFTER)\n", re.MULTILINE)
MARK = "// -----\n"
FILES_AT_A_TIME = 4
# Types and symbols of dialects that MLIR 14 does not have yet.
NEWER = re.compile(r"f[468]E\d|\btf32\b|dense_resource|distinct\[")

VERIFIER = re.compile(r": error: '[\w.]+' op ")


def run(command, text):
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=300)


def opt(programs, *flags):
    """Output of each program; None for invalid ones."""
    done = run([SHARDY, "opt", "-", "-split-input-file", "-allow-unregistered-dialect", *flags], MARK.join(programs))
    return done.stdout.split(MARK)


def batches():
    """Valid programs, as canonical text, of some files at a time: a process costs more than what it reads."""
    paths = sorted([*ROOT.glob("tests/**/*.mlir"), *ROOT.glob("examples/**/*.mlir")])
    for first in range(0, len(paths), FILES_AT_A_TIME):
        some = paths[first : first + FILES_AT_A_TIME]
        pieces = [piece for path in some for piece in SEPARATOR.split(path.read_text()) if piece.strip()]
        programs = [text for text in opt(pieces) if text and text != "module {\n}\n"]
        if programs:
            yield str(some[0].relative_to(ROOT)), programs


class Programs(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        cls.batches = list(batches())
        assert sum(len(programs) for _, programs in cls.batches) > 100

    def test_json_keeps_all_of_it(self):
        # Three processes for each program: the longest of each batch. tests/text/mlir tries all of its own. Names inside of
        # reducers, which JSON writes in short, are new ones: `opt` numbers all values anew.
        for name, programs in self.batches:
            text = max(programs, key=len)
            with self.subTest(name):
                json_text = run([SHARDY, "convert", "-", "--emit", "json"], text).stdout
                back = run([SHARDY, "convert", "-", "--emit", "mlir"], json_text).stdout
                self.assertEqual(opt([back]), [text])

    def test_generic_form_keeps_all_of_it(self):
        for name, programs in self.batches:
            with self.subTest(name):
                self.assertEqual(opt(opt(programs, "--generic")), programs)

    @unittest.skipUnless(MLIR_OPT, "mlir-opt-14 is not installed: scripts/install_packages.sh")
    def test_mlir_reads_the_generic_form(self):
        count = 0
        for name, programs in self.batches:
            generic = [text for text in opt(programs, "--generic") if not NEWER.search(text)]
            with self.subTest(name):
                done = run([MLIR_OPT, "--allow-unregistered-dialect", "-split-input-file"], MARK.join(generic))
                # Only what was read is verified: MLIR's own ops may have rules that text does not.
                errors = [line for line in done.stderr.splitlines() if ": error: " in line]
                self.assertEqual([line for line in errors if not VERIFIER.search(line)], [])
                count += len(generic)
        self.assertGreater(count, 100)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
