#!/usr/bin/env python3
"""Places of errors: the attribute and the name in it, line and column in JSON, previous definitions.

usage: places_test.py SHARDY
"""
import subprocess
import sys
import unittest

SHARDY = sys.argv[1]


def stderr_of(text, *arguments):
    done = subprocess.run([SHARDY, *arguments, "-"], input=text, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0, done.stdout
    return done.stderr


def pointed_at(stderr):
    """For each error with an excerpt: the text of the line from the caret on."""
    lines = stderr.splitlines()
    return [lines[at - 1][line.index("^"):] for at, line in enumerate(lines) if line.strip() == "^"]


MESH = 'sdy.mesh @mesh = <["x"=2, "y"=3]>\n'


def function(args, results="tensor<4x6xf32>"):
    return MESH + f"func.func @main({args}) -> {results} {{\n  return %a : tensor<4x6xf32>\n}}\n"


def sharded(text):
    return "{sdy.sharding = #sdy.sharding<" + text + ">}"


class Mlir(unittest.TestCase):
    CASES = [
        # An axis, a mesh, the second of two equal axes, in the argument that is meant.
        (function(f'%b: tensor<4x6xf32> {sharded("@mesh, [{}, {}]")}, %a: tensor<4x6xf32> {sharded(chr(64) + "mesh, [{}, {" + chr(34) + "z" + chr(34) + "}]")}'), '"z"}]>}'),
        (function(f'%b: tensor<4x6xf32>,\n    %a: tensor<4x6xf32> {sharded("@mash, [{}, {}]")}'), "@mash, ["),
        (function('%a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"x"}]>}'), '"x"}]>}) ->'),
        # No name: the attribute of the argument or the result; without one there the argument.
        (function('%b: tensor<4x6xf32>, %a: tensor<4x6xf32> {mhlo.a = "(,", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}'), "sdy.sharding = "),
        (function("%a: tensor<4x6xf32>", '(tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})'), "sdy.sharding = "),
        (function("%a: tensor<4x6xf32>", '(tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"q"}]>})'), '"q"}]>})'),
        # An alias has the name elsewhere: the attribute that uses it.
        ('#s = #sdy.sharding<@mesh, [{}, {"z"}]>\n' + function("%a: tensor<4x6xf32> {sdy.sharding = #s}"), "sdy.sharding = #s"),
        # Places of ops: the axis.
        (MESH + 'func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n'
         '  %0 = sdy.sharding_constraint %a <@mesh, [{"w"}]> : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n', '"w"}]> : tensor'),
    ]

    def test_the_caret_points_at_the_attribute_or_the_name(self):
        for text, wanted in self.CASES:
            with self.subTest(text=text):
                places = pointed_at(stderr_of(text, "convert"))
                self.assertEqual(len(places), 1)
                self.assertTrue(places[0].startswith(wanted), places)

    def test_later_stages_point_there_too(self):
        text = function('%b: tensor<4x6xf32>, %a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}',
                        '(tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})')
        self.assertEqual([place[:15] for place in pointed_at(stderr_of(text, "partition", "--divisible-io"))], ["sdy.sharding = "] * 2)

    def test_each_redefinition_has_the_place_of_the_previous_definition(self):
        for text, place, previous in [
            (function("%a: tensor<4x6xf32>, %a: tensor<4x6xf32>"), "2:38", "2:17"),
            (function("%a: tensor<4x6xf32>").replace("  return", "  %0 = stablehlo.negate %a : tensor<4x6xf32>\n  %0 = stablehlo.tanh %a : tensor<4x6xf32>\n  return"),
             "4:3", "3:3"),
            (function("%a: tensor<4x6xf32>").replace("  return", "  %a = stablehlo.negate %a : tensor<4x6xf32>\n  return"), "3:3", "2:17"),
            ("#s = 3 : i32\n#s = 4 : i32\n" + function("%a: tensor<4x6xf32>"), "2:1", "1:1"),
            ("!t = tensor<4xf32>\n!t = tensor<4xf32>\n" + function("%a: tensor<4x6xf32>"), "2:1", "1:1"),
            (MESH + MESH + function("%a: tensor<4x6xf32>").replace(MESH, ""), "2:1", "1:1"),
            (function("%a: tensor<4x6xf32>") + function("%a: tensor<4x6xf32>").replace(MESH, ""), "5:1", "2:1"),
        ]:
            with self.subTest(text=text):
                self.assertRegex(stderr_of(text, "convert"), rf"^-:{place}: error: .*redefinition of [^\n]*\n[^\n]*\n *\^\nnote: previous definition at {previous}\n")


class Json(unittest.TestCase):
    TEXT = """{"shardy": 1,
 "meshes": {"mesh": {"x": 2}},
 "functions": [
   {"name": "main", "args": [{"type": "f32[4]", "sharding": ["\\u0022\\\\", "z"]}],
    "body": [{"name": "r", "op": "tahn", "operands": ["arg0"]}],
    "return": ["r", 17]}]}
"""

    def test_errors_have_line_and_column_and_the_pointer(self):
        stderr = stderr_of(self.TEXT, "convert")
        self.assertIn('-:5:34: error: unknown op "tahn"', stderr)
        self.assertIn('note: did you mean "tanh"?', stderr)
        self.assertIn("note: at /functions/0/body/0/op\n", stderr)
        self.assertIn('"tahn", "operands"', pointed_at(stderr)[0])
        self.assertNotIn("note: line ", stderr)

    def test_strings_with_escapes_numbers_and_lists_begin_where_they_begin(self):
        for old, new, place, pointer in [
            ('"tahn"', '"tanh"', "6:21", "/functions/0/return/1"),
            ('["r", 17]', '{"a": 1}', "6:15", "/functions/0/return"),
            ('["r", 17]', "true", "6:15", "/functions/0/return"),
        ]:
            with self.subTest(new):
                stderr = stderr_of(self.TEXT.replace('"tahn"', '"tanh"').replace(old, new).replace('["\\u0022\\\\", "z"]', "[null]"), "convert")
                self.assertIn(f"-:{place}: error: ", stderr)
                self.assertIn(f"note: at {pointer}\n", stderr)
        for old, new, pointer in [
            ('"\\u0022\\\\", "z"', '"y\\u0062"', "/functions/0/args/0/sharding/0"),
            ('["\\u0022\\\\", "z"]', "[null]", "/functions/0/body/0/op"),
        ]:
            text = self.TEXT.replace(", 17", "").replace(old, new)
            text = text.replace('"tahn"', '"tanh"' if "sharding" in pointer else '"ta\\\\\\""')
            line = 4 if "sharding" in pointer else 5
            word = new if "sharding" in pointer else '"ta'
            stderr = stderr_of(text, "convert")
            self.assertIn(f"-:{line}:{text.splitlines()[line - 1].index(word) + 1}: error: ", stderr)
            self.assertIn(f"note: at {pointer}\n", stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
