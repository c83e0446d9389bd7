#!/usr/bin/env python3
"""Every program of the tests and examples: MLIR's own parser reads its generic form, and JSON keeps all of it.

usage: mlir_opt_test.py SHARDY ROOT [MLIR_OPT]

Programs are the .mlir files of ROOT/tests and ROOT/examples, cut at separators; those that are not valid programs
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
# Types and symbols of dialects that MLIR 14 does not have yet.
NEWER = re.compile(r"\bf[468]E\d|\btf32\b|dense_resource")


def run(command, text):
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=300)


def shardy(*arguments, text):
    done = run([SHARDY, "opt", "-", *arguments], text)
    return done.stdout if done.returncode == 0 else None


def programs():
    """Name and canonical text of each program."""
    for path in sorted([*ROOT.glob("tests/**/*.mlir"), *ROOT.glob("examples/**/*.mlir")]):
        for number, piece in enumerate(SEPARATOR.split(path.read_text()), 1):
            text = shardy(text=piece) if piece.strip() else None
            if text and text != "module {\n}\n":
                yield f"{path.relative_to(ROOT)} program {number}", text


class Programs(unittest.TestCase):
    def setUp(self):
        self.programs = list(programs())
        self.assertGreater(len(self.programs), 30)

    def test_json_keeps_all_of_it(self):
        for name, text in self.programs:
            with self.subTest(name):
                json_text = shardy("--emit", "json", text=text)
                self.assertIsNotNone(json_text)
                self.assertEqual(shardy("--emit", "mlir", text=json_text), text)
                self.assertEqual(shardy("--emit", "json", text=text), json_text)

    def test_generic_form_keeps_all_of_it(self):
        for name, text in self.programs:
            with self.subTest(name):
                self.assertEqual(shardy(text=shardy("--mlir-print-op-generic", text=text)), text)

    @unittest.skipUnless(MLIR_OPT, "mlir-opt-14 is not installed: scripts/install_packages.sh")
    def test_mlir_reads_the_generic_form(self):
        count = 0
        for name, text in self.programs:
            generic = shardy("--mlir-print-op-generic", text=text)
            if NEWER.search(generic):
                continue
            with self.subTest(name):
                done = run([MLIR_OPT, "--allow-unregistered-dialect", "--mlir-print-op-generic"], generic)
                self.assertEqual(done.returncode, 0, done.stderr[:2000])
                count += 1
        self.assertGreater(count, 30)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
