#!/usr/bin/env python3
"""The installed program's completion and manual are where shells and man look for them, and match its options.

pages_test.py PREFIX
"""
import pathlib
import subprocess
import sys
import unittest

SHARE = pathlib.Path(sys.argv[1]) / "share"
SHARDY = pathlib.Path(sys.argv[1]) / "bin" / "shardy"
PAGES = {"bash-completion/completions/shardy": ["completion", "bash"], "zsh/site-functions/_shardy": ["completion", "zsh"],
         "fish/vendor_completions.d/shardy.fish": ["completion", "fish"], "man/man1/shardy.1": ["man-page"]}


class Pages(unittest.TestCase):
    def test_they_are_what_the_program_prints(self):
        for place, arguments in PAGES.items():
            with self.subTest(place):
                done = subprocess.run([SHARDY, *arguments], capture_output=True, text=True, check=True)
                self.assertEqual((SHARE / place).read_text(), done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
