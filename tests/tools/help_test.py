#!/usr/bin/env python3
"""Help of commands and of diagnostic codes.

usage: help_test.py SHARDY PROJECT
"""
import os
import pathlib
import re
import subprocess
import sys
import unittest

SHARDY, PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])


def shardy(*arguments, env=None):
    return subprocess.run([SHARDY, *arguments], capture_output=True, text=True, timeout=60, check=False, env=env)


def codes_of_sources():
    """Codes that any source can put into a diagnostic: string literals, but not those of the table itself."""
    found = set()
    for folder in "src", "include":
        for path in (PROJECT / folder).rglob("*.[ch]pp"):
            if path.name != "code_page.cpp":
                found.update(re.findall(r'"([ENRW]_[A-Z][A-Z_]{3,})"', path.read_text()))
    return sorted(found)


class Codes(unittest.TestCase):
    def test_each_code_that_exists_has_a_page_and_each_page_a_code(self):
        codes = codes_of_sources()
        self.assertGreater(len(codes), 20)
        listed = [line.split()[0] for line in shardy("help", "codes").stdout.splitlines()]
        self.assertEqual(listed, codes)
        for code in codes:
            page = shardy("help", code)
            self.assertEqual((page.returncode, page.stderr), (0, ""))
            self.assertRegex(page.stdout, rf"^{code}: .+\.\n\nCause: .+\.\n\nRemedy: .+\.\n$")
            self.assertEqual(shardy("help", code.lower()).stdout, page.stdout)

    def test_an_unknown_code_is_refused_with_the_one_that_was_meant(self):
        done = shardy("help", "E_KERNLE")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "error: unknown diagnostic code: E_KERNLE\nnote: did you mean E_KERNEL?\n"
                         "note: shardy help codes lists all codes\n")


COMMANDS = ["run", "propagate", "partition", "check", "report", "diff", "hints", "autoshard", "explain", "convert", "opt", "show", "sweep", "reshard", "soak",
            "help", "completion"]
GROUPS = ["Input", "Selection", "Propagation", "Partitioning", "Run", "Comparison", "Limits", "Search", "MPI", "Output", "Options"]


def at_width(columns, *arguments):
    return shardy(*arguments, env={**os.environ, "COLUMNS": str(columns)}).stdout


class Pages(unittest.TestCase):
    def test_options_are_in_groups_in_one_order(self):
        for command in COMMANDS:
            page = shardy(command, "--help").stdout
            groups = [name for name in re.findall(r"^(\w[\w ]*):$", page, re.MULTILINE) if name not in ("Positionals", "Examples")]
            self.assertEqual(groups, [name for name in GROUPS if name in groups], command)
            own = page.split("\nOptions:\n")[1].split("\n\n")[0]
            self.assertLessEqual({"--help", "-h"}, set(re.findall(r"^  (-\S+)", own, re.MULTILINE)), command)
        limits = shardy("run", "--help").stdout.split("\nLimits:\n")[1].split("\n\n")[0]
        self.assertEqual(re.findall(r"^  (--\S+ \S+)", limits, re.MULTILINE),
                         ["--max-steps N", "--max-iterations N", "--max-trace-bytes BYTES", "--max-bytes BYTES"])

    def test_values_have_types(self):
        """Metavariable of an option: neither TEXT nor VALUE, the defaults of options without a type."""
        for command in COMMANDS:
            page = shardy(command, "--help").stdout.split("\nPasses, in")[0]
            rows = re.findall(r"^  (-\S+) (TEXT|VALUE)(?: |$)", page, re.MULTILINE)
            self.assertEqual([row for row in rows if row[0] not in ("--value", "--split-input-file")], [], command)
        self.assertIn("  --collectives {spmd,stablehlo}\n", shardy("partition", "--help").stdout)

    def test_pages_are_wrapped_to_the_terminal(self):
        for command in COMMANDS:
            for width in 50, 80, 120:
                page = at_width(width, command, "--help").split("\nPasses, in")[0].split("\nExamples:")[0]
                for line in page.splitlines():
                    is_one_word = len(line.split()) <= 2  # an option and its value are never apart
                    self.assertTrue(len(line) <= width or is_one_word or line.startswith("Usage"), (command, width, line))
            words = [at_width(width, command, "--help").split() for width in (50, 120)]
            self.assertEqual(words[0], words[1])

    def test_the_short_page_has_all_options_and_no_explanations(self):
        for command in COMMANDS:
            short, page = shardy(command, "-h"), shardy(command, "--help").stdout.split("\nPasses, in")[0]
            self.assertEqual((short.returncode, short.stderr), (0, ""))
            names = {name for row in re.findall(r"^  (-\S+)", page, re.MULTILINE) for name in row.split(",")}
            shown = {name.rstrip(",") for word in re.findall(r"(?<![\w<-])--?[a-z][\w,-]*", short.stdout) for name in word.split(",") if name}
            self.assertEqual(names - shown, set(), command)
            self.assertLess(len(short.stdout), max(len(page) / 2, 600), command)
            self.assertIn(f"shardy {command} --help explains them\n", short.stdout)
            self.assertTrue(all(len(line) <= 60 or len(line.split()) <= 2 for line in at_width(60, command, "-h").splitlines() if "shardy" not in line))
        self.assertIn("Commands: opt run propagate", shardy("-h").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
