#!/usr/bin/env python3
"""Words of users on the command line: shardings as JAX and JSON have them, sizes with units, names of JAX, and misspelled words.

usage: words_test.py SHARDY
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SHARDY = sys.argv[1]
MESH = '<["dp"=2, "tp"=3]>'
PROGRAM = f"""sdy.mesh @mesh = {MESH}
func.func @main(%arg0: tensor<4x6xf32> {{jax.arg_info = "params['w']"}} loc("x"), %arg1: tensor<6x6xf32> loc(#loc1)) -> tensor<4x6xf32> {{
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32> loc("model.py":3:1)
  %1 = stablehlo.tanh %0 : tensor<4x6xf32> loc("model.py":4:1)
  return %1 : tensor<4x6xf32>
}}
#loc1 = loc("params['b']"("model.py":1:2))
"""


def shardy(*arguments, text=None):
    return subprocess.run([SHARDY, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=120, check=False)


class Shardings(unittest.TestCase):
    SAME = ['[{"dp"}, {}]', "P('dp', None)", "P('dp')", 'PartitionSpec("dp", None)', '[["dp"], []]', '["dp", null]', '[["dp"], null]', "jax.sharding.PartitionSpec(('dp',))"]

    def outputs(self, call):
        outputs = set()
        for sharding in self.SAME:
            done = call(sharding)
            self.assertEqual((done.returncode, done.stderr), (0, ""), sharding)
            outputs.add(done.stdout)
        self.assertEqual(len(outputs), 1)
        return outputs.pop()

    def test_reshard_reads_all_notations(self):
        text = self.outputs(lambda given: shardy("reshard", "--mesh", MESH, "--shape", "4x6xf32", "--from", given, "--to", "P(None, 'tp')"))
        self.assertIn('from <@mesh, [{"dp"}, {}]>', text)
        self.assertIn('to <@mesh, [{}, {"tp"}]>', text)

    def test_show_reads_all_notations(self):
        self.assertIn('<@mesh, [{"dp"}, {}]>', self.outputs(lambda given: shardy("show", "--mesh", MESH, "--shape", "4x6", "--sharding", given)))

    def test_settings_read_all_notations(self):
        self.outputs(lambda given: shardy("diff", "-", "--after", "%arg0=" + given, text=PROGRAM))
        self.outputs(lambda given: shardy("diff", "-", "--after", f"%arg0=<@mesh, {given}>", text=PROGRAM))

    def test_programs_in_json_read_all_notations(self):
        def convert(given):
            program = {"shardy": 1, "meshes": {"mesh": {"dp": 2, "tp": 3}},
                       "functions": [{"name": "main", "args": [{"type": "f32[4,6]", "sharding": given}], "return": ["arg0"]}]}
            return shardy("convert", "-", "--emit", "mlir", text=json.dumps(program))
        self.assertIn('#sdy.sharding<@mesh, [{"dp"}, {}]>', self.outputs(convert))

    def test_a_strategy_of_a_sweep_reads_all_notations(self):
        with tempfile.TemporaryDirectory() as folder:
            program, strategies = pathlib.Path(folder, "p.mlir"), pathlib.Path(folder, "s")
            program.write_text(PROGRAM)
            strategies.write_text("".join(json.dumps({"name": "s", "set": {"%arg0": given}}) + "\n" for given in self.SAME))
            done = shardy("sweep", program, "--strategies", strategies)
            self.assertEqual(done.returncode, 0, done.stderr)
            costs = {json.dumps({key: value for key, value in json.loads(line).items() if key not in ("strategy", "set", "name", "sweep")})
                     for line in done.stdout.splitlines()}
            self.assertEqual(len(costs), 1)

    def test_an_unknown_mesh_of_a_setting_has_a_note_of_the_one_that_was_meant(self):
        done = shardy("diff", "-", "--after", "%arg0=<@mehs, P('dp')>", text=PROGRAM)
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown mesh: @mehs\nnote: did you mean @mesh?\n", done.stderr)


class Sizes(unittest.TestCase):
    OPTIONS = [("run", "--max-bytes"), ("run", "--max-trace-bytes"), ("run", "--combine-bytes"), ("run", "--max-gather-bytes"),
               ("check", "--max-bytes"), ("hints", "--max-peak-bytes"), ("report", "--combine-bytes")]

    def test_each_option_that_is_a_number_of_bytes_takes_units(self):
        for command, option in self.OPTIONS:
            for text in "1000000", "5MB", "5kB", "5KB", "64KiB", "1.5GiB", "2TB", "7B", "1GB", "3MiB", "1TiB":
                done = shardy(command, "/nowhere.mlir", f"{option}={text}")  # options are read before the file is
                self.assertIn("cannot read /nowhere.mlir", done.stderr, (command, option, text))
            for text in "5XB", "MB", "-5MB", "1.5", "0.3B", "9999999TiB", "5 MB", "1e3", "":
                done = shardy(command, "/nowhere.mlir", f"{option}={text}")
                self.assertEqual(done.returncode, 2)
                self.assertNotIn("cannot read", done.stderr, (command, option, text))

    def test_the_error_states_the_range_of_numbers_with_and_without_a_point(self):
        for text in "10000.5TB", "0.3B", "9223372036854775808":
            done = shardy("run", "/nowhere.mlir", "--max-bytes", text)
            self.assertIn("--max-bytes: expected a whole number of bytes up to 9223372036854775807, such as 4096, 5MB or 1.5GiB "
                          f"(up to 2^53 with a decimal point), got: {text}\n", done.stderr)
        for text in "9007.199254740992TB", "9223372036854775807":
            self.assertIn("cannot read /nowhere.mlir", shardy("run", "/nowhere.mlir", "--max-bytes", text).stderr)

    def test_a_unit_has_its_size(self):
        def runs(limit):
            return shardy("run", "-", "--reference", "--max-bytes", limit, text=PROGRAM).returncode == 0
        least = next(size for size in range(0, 4096, 4) if runs(size))
        whole = -(-least // 1000)
        self.assertTrue(runs(f"{whole}kB"))
        self.assertFalse(runs(f"{(least - 4) / 1000}kB"))
        self.assertTrue(runs(f"{least / 1024:.10g}KiB") if least % 4 == 0 else True)

    def test_the_limit_of_a_reshard_takes_units(self):
        done = shardy("reshard", "--mesh", MESH, "--shape", "4x6xf32", "--from", "P('dp')", "--to", "P()", "--max-live-bytes", "5MB")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Names(unittest.TestCase):
    def test_arguments_are_found_by_their_names_in_jax(self):
        for name, value in ("params['w']", "%arg0"), ("x", "%arg0"), ("params['b']", "%arg1"):
            done = shardy("explain", "-", "--value", name, text=PROGRAM)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, shardy("explain", "-", "--value", value, text=PROGRAM).stdout)
        done = shardy("diff", "-", "--after", "params['w']=P('dp')", text=PROGRAM)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, shardy("diff", "-", "--after", "%arg0=P('dp')", text=PROGRAM).stdout)

    def test_misspelled_words_are_errors(self):
        report = shardy("report", "-", "--op", "stablehlo.tahn", text=PROGRAM).stdout
        self.assertIn("; did you mean --op stablehlo.tanh?", report)
        self.assertIn("; did you mean --op stablehlo.tanh?", shardy("report", "-", "--op", "tahn", text=PROGRAM).stdout)
        program = PROGRAM.replace('%arg0: tensor<4x6xf32> {', '%arg0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"tp"}]>, ')
        self.assertIn("; did you mean --line 'model.py:3", shardy("report", "-", "--line", "modle.py:3:1", text=program).stdout)
        wrong = PROGRAM.replace("stablehlo.tanh %0", "stablehlo.tahn %0")
        self.assertIn("note: did you mean stablehlo.tanh?\n", shardy("convert", "-", text=wrong).stderr)
        reduce = """func.func @main(%a: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.mxaimum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
"""
        self.assertIn("note: did you mean stablehlo.maximum?\n", shardy("convert", "-", text=reduce).stderr)
        reducer = {"shardy": 1, "functions": [{"name": "main", "args": ["f32[4]", "f32[]"], "body": [
            {"name": "r", "op": "reduce", "operands": ["arg0", "arg1"], "reducer": "mxaimum", "attributes": {"dimensions": [0]}}], "return": ["r"]}]}
        self.assertIn('note: did you mean "maximum"?\n', shardy("convert", "-", text=json.dumps(reducer)).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
