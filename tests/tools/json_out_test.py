#!/usr/bin/env python3
"""JSON comes out as it went in: json_out_test.py SHARDY ROOT

What people write, `convert` prints: all of it, in the same words, and nothing that only compilers of other text read. The two differ by
what readers fill in: types that follow, the types of results, names of arguments.
"""
import json
import pathlib
import subprocess
import sys
import unittest

SHARDY = sys.argv[1]
ROOT = pathlib.Path(sys.argv[2])
CANONICAL = sorted((ROOT / "examples").glob("*.json"))
WRITTEN = [ROOT / "tests/text/examples" / name for name in ("mlp.json", "structured.json", "reducers.json")]
NOISE = ("stablehlo.", "mhlo.", "jax.", "xla.", "tensor<", "dense<", "array<", '"%', "sdy.constant")


def shardy(*arguments, data=None):
    done = subprocess.run([SHARDY, *map(str, arguments)], input=data, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def difference(written, printed, place=""):
    """Paths where the printed JSON differs from the written one; additional keys are allowed."""
    if isinstance(written, dict) and isinstance(printed, dict):
        for key, value in written.items():
            if key == "comment":
                continue
            if key not in printed:
                return f"{place}/{key} is missing"
            found = difference(value, printed[key], f"{place}/{key}")
            if found:
                return found
        more = set(printed) - set(written) - {"type", "results", "name"}
        return f"{place} has {more} as well" if more else None
    if isinstance(written, list) and isinstance(printed, list):
        if len(written) != len(printed):
            return f"{place} has {len(printed)} items, not {len(written)}"
        found = (difference(*pair, f"{place}/{index}") for index, pair in enumerate(zip(written, printed)))
        return next(filter(None, found), None)
    return None if written == printed else f"{place} is {printed!r}, not {written!r}"


class JsonOut(unittest.TestCase):
    maxDiff = None

    def test_printed_programs_print_again(self):
        self.assertGreaterEqual(len(CANONICAL), 3)
        for path in CANONICAL:
            with self.subTest(path.name):
                self.assertEqual(shardy("convert", path), path.read_text())

    def test_what_is_written_is_printed(self):
        for path in WRITTEN:
            with self.subTest(path.name):
                printed = shardy("convert", path)
                self.assertIsNone(difference(json.loads(path.read_text()), json.loads(printed)))
                self.assertEqual(shardy("convert", "-", data=printed), printed)

    def test_propagation_adds_nothing_but_shardings(self):
        for path in CANONICAL + WRITTEN:
            with self.subTest(path.name):
                before, after = ops_by_name(shardy("convert", path)), ops_by_name(shardy("propagate", path))
                kept = [name for name, op in after.items() if name in before and op["op"] != "sdy.reshard"]
                self.assertGreater(len(kept), 0.9 * len(after) - 2)  # copies are new
                for name in kept:
                    self.assertEqual(after[name], before[name])

    def test_nothing_is_for_compilers_of_other_text(self):
        for path in CANONICAL + WRITTEN:
            for command in "convert", "propagate", "partition":
                printed = shardy(command, path)
                for word in NOISE:
                    with self.subTest(path.name, command=command, word=word):
                        self.assertFalse(word in printed)

    def test_attributes_for_compilers_stay(self):
        text = """
#mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>]>
module { sdy.mesh @m = <["x"=2]> {stablehlo.mesh = #mesh}
  func.func @main(%a: tensor<4xf32> {jax.argument = 1 : i64}) -> tensor<4xf32> { return %a : tensor<4xf32> } }"""
        printed = shardy("convert", "-", "--emit=json", data=text)
        self.assertIn("stablehlo.mesh", printed)
        self.assertIn("jax.argument", printed)


def ops_by_name(printed):
    """The ops of main without their shardings. Equal ones become one, so operands are not compared."""
    ops = json.loads(printed)["functions"][0]["body"]
    return {op["name"]: {key: value for key, value in op.items() if key not in ("sharding", "operands")} for op in ops}


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
