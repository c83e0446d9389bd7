#!/usr/bin/env python3
"""Names of programs never become markup: pages of programs with hostile names run no script but ours and send nothing.

hostile_page_test.py SHARDY [PAGES]
"""
import pathlib
import sys
import tempfile
import unittest

import programs
from browser import Browser, make_page

SHARDY = sys.argv[1]
PAGES = int(sys.argv[2]) if len(sys.argv) > 2 else 50
TABS = ["text", "time", "memory", "collectives", "conflicts", "notes", "graph"]

# Elements of the page that its own scripts never make, attributes that run scripts, and the mark that hostile scripts leave.
INTRUDERS = """const found = [];
if (window.hacked !== undefined) found.push('hacked');
for (const node of document.body.querySelectorAll('*')) {
  if (['IMG', 'IFRAME', 'OBJECT', 'EMBED', 'LINK', 'BASE'].includes(node.tagName)) found.push(node.tagName);
  for (const {name, value} of node.attributes) if (/^on/i.test(name) || (/^(href|src|action|formaction|xlink:href)$/i.test(name) && /^\\s*javascript:/i.test(value))) found.push(name + '=' + value);
}
found.push(...[...document.scripts].filter((script) => script.text.includes('window.hacked') && !script.dataset.part).map((script) => script.text.slice(0, 80)));
return found"""


class Hostile(unittest.TestCase):
    def test_no_name_becomes_markup(self):
        with tempfile.TemporaryDirectory() as folder, Browser() as browser:
            for seed in range(PAGES):
                with self.subTest(seed=seed):
                    program = pathlib.Path(folder) / f"{seed}.mlir"
                    program.write_text(programs.hostile(seed), encoding="utf-8")
                    page = make_page(SHARDY, pathlib.Path(folder) / f"{seed}.html", program)
                    browser.open(page)
                    count = browser.run("return [...document.scripts].length")
                    values = browser.run("return program_in_view().num_values")
                    for at, tab in enumerate(TABS):
                        browser.go(tab=tab, value=at % values, node=None, query="" if at % 2 else "script")
                        self.assertEqual(browser.run(INTRUDERS), [])
                    self.assertEqual(browser.run("return [...document.scripts].length"), count)
                    self.assertEqual(browser.problems(), [])
                    page.unlink()

    def test_a_name_of_a_megabyte_opens(self):
        with tempfile.TemporaryDirectory() as folder, Browser() as browser:
            program = pathlib.Path(folder) / "long.mlir"
            program.write_text(programs.UNSHARDED.replace("tensor<8x16xf32>\n  return", f'tensor<8x16xf32> loc("{"n" * 1000000}")\n  return'), encoding="utf-8")
            browser.open(make_page(SHARDY, pathlib.Path(folder) / "long.html", program))
            for tab in TABS:
                browser.go(tab=tab, value=3)
                self.assertLess(browser.run("return document.getElementById('app').textContent.length"), 200000)
            self.assertEqual(browser.problems(), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
