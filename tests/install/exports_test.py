#!/usr/bin/env python3
"""A shared library shows what its export list names, and what embedders use is on the list.

exports_test.py NM LIBRARY LIST OBJECT...

LIST: the version script that the library was linked with. OBJECT: of programs that use the public headers; those of
the test of wrong calls call each public function, and with it what inline ones call.
"""
import re
import subprocess
import sys
import unittest

NM, LIBRARY, LIST = sys.argv[1:4]
OBJECTS = sys.argv[4:]


def symbols(*arguments):
    done = subprocess.run([NM, "--format=posix", *arguments], capture_output=True, text=True, check=True)
    return {line.split()[0].split("@")[0] for line in done.stdout.splitlines() if len(line.split()) > 1}


class Exports(unittest.TestCase):
    listed = set(re.findall(r"^    (\w+);$", open(LIST, encoding="utf-8").read(), re.M))
    shown = symbols("-D", "--defined-only", LIBRARY)

    def test_the_library_shows_its_list(self):
        self.assertGreater(len(self.listed), 500)
        self.assertEqual(self.shown, self.listed)

    def test_nothing_of_others_is_shown(self):
        own = re.compile(r"shardy_|_Z\w*6shardy")
        self.assertEqual([name for name in self.shown if not own.match(name)], [])
        for other in ("N3fmt", "N8nlohmann", "N5Eigen"):
            self.assertEqual([name for name in self.shown if name.startswith("_Z" + other)], [])

    def test_no_name_of_a_namespace_detail_is_shown(self):
        done = subprocess.run([NM, "-D", "-C", "--defined-only", LIBRARY], capture_output=True, text=True, check=True)
        self.assertEqual([line for line in done.stdout.splitlines() if re.search(r"\bdetail::", line)], [])

    def test_embedders_find_what_they_use(self):
        self.assertTrue(OBJECTS)
        defined = set().union(*(symbols("--defined-only", each) for each in OBJECTS))
        for each in OBJECTS:
            used = {name for name in symbols("--undefined-only", each) if re.match(r"shardy_|_Z\w*6shardy", name)}
            self.assertEqual(used - defined - self.shown, set(), each)

    def test_c_is_complete(self):
        c = {name for name in self.shown if name.startswith("shardy_")}
        self.assertIn("shardy_program_parse", c)
        self.assertGreater(len(c), 60)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
