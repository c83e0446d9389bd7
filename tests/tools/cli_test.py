#!/usr/bin/env python3
"""The command line: what it prints, where, and with which exit status.

usage: cli_test.py SHARDY EXAMPLES
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

SHARDY, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])


def shardy(*arguments, text=None):
    return subprocess.run([SHARDY, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=300)


class Run(unittest.TestCase):
    def test_examples_equal_the_unsharded_run(self):
        for name in "mlp", "transformer", "moe":
            done = shardy("run", EXAMPLES / f"{name}.json", "--check")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("\nequal to the unsharded run\n", done.stdout)
            self.assertEqual(done.stderr, "")  # no progress line: stderr is not a terminal

    def test_reports_as_json(self):
        done = shardy("run", EXAMPLES / "moe.json", "--check", "--json")
        report = json.loads(done.stdout)
        self.assertTrue(report["equal"])
        self.assertEqual(report["devices"], 8)
        self.assertEqual(report["collectives"]["spmd.all_to_all"]["count"], 2)
        self.assertNotIn("spmd.all_gather", report["collectives"])
        self.assertEqual(len(report["results"]), 2)
        self.assertEqual(report["exact"], {"done": True, "equal": True})
        self.assertTrue(report["f64"]["done"] and report["f64"]["equal"])
        self.assertEqual(len(report["f64"]["relative_errors"]), 2)
        done = shardy("run", EXAMPLES / "moe.json", "--check", "--json", "--no-exact", "--no-f64")
        self.assertTrue({"exact", "f64"}.isdisjoint(json.loads(done.stdout)))

    def test_reports_the_comparison_of_each_result(self):
        done = shardy("run", EXAMPLES / "moe.json", "--check")
        self.assertIn("in f64: equal\nexactly, over a prime field: equal\nequal to the unsharded run\n", done.stdout)
        self.assertIn("relative to f64\n", done.stdout)

    ROTARY = """sdy.mesh @mesh = <["data"=2, "sequence"=4]>
func.func private @impl(%x: tensor<4x16x8xf32>, %c: tensor<16x8xf32>, %s: tensor<16x8xf32>) -> tensor<4x16x8xf32> {
  %0 = stablehlo.slice %x [0:4, 0:16, 0:4] : (tensor<4x16x8xf32>) -> tensor<4x16x4xf32>
  %1 = stablehlo.slice %x [0:4, 0:16, 4:8] : (tensor<4x16x8xf32>) -> tensor<4x16x4xf32>
  %2 = stablehlo.negate %1 : tensor<4x16x4xf32>
  %3 = stablehlo.concatenate %2, %0, dim = 2 : (tensor<4x16x4xf32>, tensor<4x16x4xf32>) -> tensor<4x16x8xf32>
  %4 = stablehlo.broadcast_in_dim %c, dims = [1, 2] : (tensor<16x8xf32>) -> tensor<4x16x8xf32>
  %5 = stablehlo.broadcast_in_dim %s, dims = [1, 2] : (tensor<16x8xf32>) -> tensor<4x16x8xf32>
  %6 = stablehlo.multiply %x, %4 : tensor<4x16x8xf32>
  %7 = stablehlo.multiply %3, %5 : tensor<4x16x8xf32>
  %8 = stablehlo.add %6, %7 : tensor<4x16x8xf32>
  return %8 : tensor<4x16x8xf32>
}
func.func @main(%x: tensor<4x16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"sequence"}, {}]>},
                %c: tensor<16x8xf32>, %s: tensor<16x8xf32>) -> tensor<4x16x8xf32> {
  %0 = stablehlo.composite "example.rotary" %x, %c, %s {decomposition = @impl RULE}
    : (tensor<4x16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<4x16x8xf32>
  return %0 : tensor<4x16x8xf32>
}
"""

    def test_a_composite_is_sharded_by_its_rule_or_as_what_it_is_made_of(self):
        for rule in "", ', sdy.sharding_rule = "b s f, s f, s f -> b s f need_replication={f}"':
            done = shardy("run", "-", "--check", "--json", text=self.ROTARY.replace("RULE", rule))
            self.assertEqual(done.returncode, 0, done.stderr)
            report = json.loads(done.stdout)
            self.assertTrue(report["equal"])
            self.assertEqual(report["collectives"], {})
            self.assertEqual(report["values"], report["values_sharded"])

    def test_rules_of_ops_are_given_by_name(self):
        text = self.ROTARY.replace("RULE", "")
        rule = "b s f, s f, s f -> b s f need_replication={f}"
        sharded = '[{"data"}, {"sequence"}, {}]>]>'
        self.assertNotIn(sharded, shardy("propagate", "-", "--emit", "mlir", text=text).stdout)
        done = shardy("propagate", "-", "--emit", "mlir", "--composite-rule", f"example.rotary={rule}", text=text)
        self.assertIn('stablehlo.composite "example.rotary" %x, %c, %s', done.stdout)
        self.assertIn("decomposition = @impl, sdy.sharding = #sdy.sharding_per_value<[<@mesh, " + sharded, done.stdout)
        done = shardy("run", "-", "--check", "--json", "--composite-rule", f"example.rotary={rule}", text=text)
        self.assertTrue(json.loads(done.stdout)["equal"], done.stderr)
        for kind, op in ("--op-rule", '"test.op"(%x)'), ("--custom-call-rule", "stablehlo.custom_call @test.op(%x)"):
            text = ('sdy.mesh @mesh = <["x"=2]>\n'
                    'func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {\n'
                    f"  %0 = {op} : (tensor<8xf32>) -> tensor<8xf32>\n  return %0 : tensor<8xf32>\n}}\n")
            done = shardy("propagate", "-", "--emit", "mlir", kind, "test.op=i -> i", text=text)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn('#sdy.sharding_per_value<[<@mesh, [{"x"}]>]>', done.stdout)

    def test_wrong_rules_are_errors(self):
        for given, why in {"--op-rule=test.op": "expected NAME=RULE, got: test.op",
                           "--op-rule=stablehlo.add=i -> i": "stablehlo.add is not a foreign op: the library supports it",
                           "--composite-rule=a=i": "expected"}.items():
            done = shardy("propagate", "-", given, text="")
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)
        twice = shardy("propagate", "-", "--op-rule=a.b=i -> i", "--op-rule=a.b=i -> i", text="")
        self.assertIn("a sharding rule is registered already for op: a.b", twice.stderr)

    def test_padding_adds_nothing_to_products_of_a_type_without_a_zero(self):
        text = ('sdy.mesh @mesh = <["x"=2]>\n'
                'func.func @main(%x: tensor<1x5xf8E8M0FNU> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, '
                '%y: tensor<5x1xf8E8M0FNU> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<1x1xf64> {\n'
                "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : "
                "(tensor<1x5xf8E8M0FNU>, tensor<5x1xf8E8M0FNU>) -> tensor<1x1xf64>\n  return %0 : tensor<1x1xf64>\n}\n")
        with tempfile.TemporaryDirectory() as folder:
            inputs = []
            for name, value in ("x.json", [["0x00"] * 5]), ("y.json", [["0x00"]] * 5):
                inputs += ["--input", pathlib.Path(folder, name)]
                inputs[-1].write_text(json.dumps(value))
            done = shardy("run", "-", "--check", *inputs, text=text)
        self.assertIn("equal to the unsharded run", done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_options_that_go_against_each_other_are_refused(self):
        program = EXAMPLES / "mlp.json"
        for command, why in {("convert", "--emit=json", "--generic"): "--generic is for MLIR text, not for JSON",
                             ("convert", "-o", "x.json", "--generic"): "--generic is for MLIR text, not for JSON",
                             ("opt", "--emit=json", "--mlir-print-op-generic"): "generic form is for MLIR text, not for JSON",
                             ("run", "--reference", "--check"): "--reference runs unsharded only: --check needs a sharded run",
                             ("run", "--json", "--trace=-"): "standard output is used by the report",
                             ("report", "--json", "--timeline=-"): "standard output is used by the report",
                             ("sweep", "--random=5", "-o", "x.jsonl", "--front", "x.jsonl"): "--front and --output are one file: x.jsonl",
                             ("run", "--optimize-collectives=none,all"): "none cannot be combined with other rules",
                             ("report", "--axis=z"): "no such axis: z"}.items():
            done = shardy(command[0], program, *command[1:])
            self.assertEqual(done.returncode, 2, command)
            self.assertIn(why, done.stdout + done.stderr)  # --json prints it to stdout
        done = shardy("soak", "--first", 2**64 - 1, "--cases", 3)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--first 18446744073709551615: fewer than 3 seeds remain", done.stderr)
        done = shardy("soak", "nowhere.mlir", "--cases", 1)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("cannot read nowhere.mlir", done.stderr)
        done = shardy("reshard", "--mesh", '<["x"=2]>', "--shape", 8, "--from", "[{}]", "--to", '[{"x"}]')
        self.assertIn("--shape: expected a static shape like 24x24xf32, got: 8", done.stderr)
        self.assertIn("no collective matches the filters", shardy("report", program, "--op", "foo").stdout)

    def test_threads_do_not_show(self):
        reports = [shardy("run", EXAMPLES / "transformer.json", "--check", "--json", "--threads", n).stdout for n in (1, 2, 8)]
        self.assertTrue(reports[0])
        self.assertEqual(reports[0], reports[1])
        self.assertEqual(reports[0], reports[2])

    def test_a_difference_beyond_the_tolerance_fails(self):
        done = shardy("run", EXAMPLES / "transformer.json", "--check", "--tolerance", "1e-12")
        self.assertEqual(done.returncode, 1)
        self.assertIn("NOT EQUAL", done.stdout)

    def test_without_check_nothing_is_compared(self):
        done = shardy("run", EXAMPLES / "mlp.json")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("equal", done.stdout)

    def test_a_mesh_can_be_resized(self):
        done = shardy("run", EXAMPLES / "mlp.json", "--check", "--devices", "data=3,model=2", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["devices"], 6)

    def test_axes_of_explicit_collectives_follow_the_resized_mesh(self):
        program = """sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  %0 = sdy.replicated_to_unreduced {"x"} %a out_sharding=<@mesh, [{"y"}, {}], unreduced={"x"}> : tensor<8x16xf32>
  %1 = sdy.reduce_scatter [{}, {"x"}] %0 out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<8x16xf32>
  %2 = sdy.all_gather [{}, {"x"}] %1 out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x16xf32>
  %3 = sdy.all_to_all [{"y"}: 0->1] %2 out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}
"""
        done = shardy("run", "-", "--check", "--devices", "x=3,y=5", "--json", text=program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["devices"], 15)

    def test_an_unknown_axis_cannot_be_resized(self):
        done = shardy("run", EXAMPLES / "mlp.json", "--devices", "nowhere=3")
        self.assertEqual(done.returncode, 2)
        self.assertIn('no mesh has the axis "nowhere"', done.stderr)


class Stages(unittest.TestCase):
    def test_propagate_writes_a_program_that_can_be_read_again(self):
        done = shardy("propagate", EXAMPLES / "mlp.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        again = shardy("run", "-", "--check", text=done.stdout)
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_propagate_keeps_what_it_has_done(self):
        once = shardy("propagate", EXAMPLES / "transformer.json").stdout
        self.assertIn("batch", once)
        self.assertEqual(shardy("propagate", "-", text=once).stdout, once)

    def test_partition_writes_a_per_device_program(self):
        done = shardy("partition", EXAMPLES / "moe.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("spmd.all_to_all"), 2)
        self.assertEqual(shardy("convert", "-", text=done.stdout).stdout, done.stdout)

    REPLICATED = """sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x4xf32> {
  %0 = stablehlo.cholesky %a : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
"""
    NOTE = {"kind": "gathered", "op": "stablehlo.cholesky", "location": "3:8", "tensor": "operand 0", "dims": [0],
            "axes": '{"x"}', "reason": "the op needs the dim replicated", "bytes_moved": 32, "bytes_held": 64}

    def test_replicated_values_are_listed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "out.mlir"
            done = shardy("partition", "-", "--json", "-o", path, text=self.REPLICATED)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["notes"], [self.NOTE])
            self.assertIn("note: N_REPLICATED: stablehlo.cholesky: operand 0, dim 0 is gathered along {\"x\"}", done.stderr)
            self.assertIn("spmd.all_gather", path.read_text())
        done = shardy("run", "-", "--json", text=self.REPLICATED)
        self.assertEqual(json.loads(done.stdout)["notes"], [self.NOTE])

    PLAIN = "func.func @main(%a: tensor<64x4xf32>) -> tensor<64x4xf32> {\n  %0 = stablehlo.negate %a : tensor<64x4xf32>\n  return %0 : tensor<64x4xf32>\n}\n"

    def test_a_program_without_a_mesh_has_nothing_to_check(self):
        reason = "the program is not partitioned, as it has no main function with a mesh or shardings"
        fix = "note: shardy check FILE compares it under random shardings\n"
        done = shardy("run", "-", "--strict", text=self.PLAIN)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, f"-: error: --strict: {reason}; no value is replicated\n{fix}")
        done = shardy("run", "-", "--check", text=self.PLAIN)
        self.assertEqual((done.returncode, done.stderr), (0, f"-: warning: --check: {reason}; no value is compared\n{fix}"))
        report = json.loads(shardy("run", "-", "--strict", "--json", text=self.PLAIN).stdout)
        self.assertIn("no value is replicated", report["diagnostics"][0]["message"])
        self.assertEqual(shardy("run", "-", text=self.PLAIN).returncode, 0)
        self.assertEqual(shardy("run", "-", "--check", text='sdy.mesh @mesh = <["x"=2]>\n' + self.PLAIN).returncode, 0)

    def test_flags_take_no_words(self):
        for value in "yes", "on", "1", "no", "maybe":
            done = shardy("run", EXAMPLES / "mlp.json", f"--check={value}")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"--check: expected true, false or no value, got: {value}", done.stderr)
            self.assertEqual(shardy("report", EXAMPLES / "mlp.json", f"--json={value}").returncode, 2)
        self.assertIn("equal to the unsharded run", shardy("run", EXAMPLES / "mlp.json", "--check=true").stdout)
        self.assertNotIn("equal to the unsharded run", shardy("run", EXAMPLES / "mlp.json", "--check=false").stdout)

    def test_num_partitions_that_differs_from_the_mesh_is_an_error(self):
        text = """module attributes {mhlo.num_partitions = COUNT : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%a: tensor<64x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<64x4xf32> {
    %0 = stablehlo.negate %a : tensor<64x4xf32>
    return %0 : tensor<64x4xf32>
  }
}
"""
        warning = "warning: mhlo.num_partitions = 16: mesh @mesh has 8 devices; the program is partitioned for the devices of the mesh"
        for command in ["partition"], ["run", "--check"], ["report"], ["hints"]:
            done = shardy(command[0], "-", *command[1:], text=text.replace("COUNT", "16"))
            self.assertEqual(done.returncode, 0)
            self.assertIn(warning, done.stderr)
            for count in "8", "1":
                self.assertEqual(shardy(command[0], "-", *command[1:], text=text.replace("COUNT", count)).stderr, "")

    def test_a_reducer_that_is_not_a_monoid_is_reported_if_results_differ(self):
        text = """sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<f32> {
  %init = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "stablehlo.reduce"(%a, %init) <{dimensions = array<i64: 0>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    MORE
  }) : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
"""
        mean = text.replace("MORE", """%h = stablehlo.constant dense<0.5> : tensor<f32>
    %m = stablehlo.multiply %s, %h : tensor<f32>
    stablehlo.return %m : tensor<f32>""")
        note = "stablehlo.reduce: the reducer is not known to be a monoid"
        done = shardy("run", "-", "--check", text=mean)
        self.assertEqual(done.returncode, 1)
        self.assertIn("NOT EQUAL", done.stdout)
        self.assertIn(note, done.stdout)
        self.assertIn("StableHLO leaves the result open", done.stdout)
        report = json.loads(shardy("run", "-", "--check", "--json", text=mean).stdout)
        self.assertTrue(any(note in each["message"] for each in report["diagnostics"]))
        done = shardy("check", "-", "--cases", "40", text=mean)
        self.assertEqual(done.returncode, 1)
        self.assertIn(note, done.stdout)
        replicated = shardy("run", "-", "--check", text=mean.replace('[{"x"}]', "[{}]"))
        self.assertEqual(replicated.returncode, 0)
        self.assertNotIn("monoid", replicated.stdout)
        add = text.replace("MORE", "stablehlo.return %s : tensor<f32>")
        self.assertNotIn("monoid", shardy("run", "-", "--check", "--tolerance", "0", text=add).stdout)

    def test_strict_refuses_what_is_replicated(self):
        for command in "run", "partition":
            done = shardy(command, "-", "--strict", text=self.REPLICATED)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stdout, "")
            self.assertIn("3:8: error: N_REPLICATED: stablehlo.cholesky", done.stderr)
            self.assertEqual(shardy(command, "-", "--strict", text=self.REPLICATED.replace('{"x"}', "{}")).returncode, 0)

    def test_a_report_of_partition_needs_a_file_for_the_program(self):
        done = shardy("partition", "-", "--json", text=self.REPLICATED)
        self.assertEqual(done.returncode, 2)
        self.assertIn("-o FILE", done.stderr)

    def test_output_goes_to_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "out.json"
            done = shardy("convert", EXAMPLES / "mlp.json", "-o", path)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            self.assertEqual(path.read_text(), (EXAMPLES / "mlp.json").read_text())


def without_reducer_names(text):
    """The program of JSON, as text gives it that has no regions in a word: they have names then."""
    return json.loads(re.sub(r'"reducer":\s+{"op": ("\w+"), "args": \[[^]]*\],\s+"name": "[^"]*"}', r'"reducer": \1', text))


class Mlir(unittest.TestCase):
    NAMES = "mlp", "transformer", "moe"

    def text(self, *arguments, text=None):
        done = shardy(*arguments, text=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_programs_go_both_ways(self):
        for name in self.NAMES:
            json_text = self.text("convert", EXAMPLES / f"{name}.json")
            for form in ["--emit", "mlir"], ["--generic"]:
                mlir = self.text("convert", EXAMPLES / f"{name}.json", *form)
                as_json = self.text("convert", "-", "--emit", "json", text=mlir)
                self.assertEqual(without_reducer_names(as_json), json.loads(json_text))
                if form[0] == "--emit":
                    self.assertEqual(as_json, json_text)
            self.assertNotIn("stablehlo.return %", mlir)

    def test_every_stage_has_text(self):
        for name in self.NAMES:
            for stage in "propagate", "partition":
                mlir = self.text(stage, EXAMPLES / f"{name}.json", "--emit", "mlir")
                self.assertEqual(self.text("convert", "-", text=mlir), mlir)
                json_text = self.text(stage, EXAMPLES / f"{name}.json", "--emit", "json")
                unmarked = re.sub(r" {stablehlo.mesh = .*}$", "", mlir, flags=re.M).replace("sdy.constant", "stablehlo.constant")
                as_json = self.text("convert", "-", "--emit", "json", text=unmarked)
                self.assertEqual(without_reducer_names(as_json), json.loads(json_text))

    def test_file_names_choose_the_format(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mlp.mlir"
            self.text("convert", EXAMPLES / "mlp.json", "-o", path)
            self.assertTrue(path.read_text().startswith("module {\n"))
            self.assertIn("equal to the unsharded run", self.text("run", path, "--check"))
            self.assertTrue(self.text("convert", path, "--emit", "json").startswith("{"))

    def test_partitioning_keeps_what_is_written_on_the_module_and_its_functions(self):
        text = ('module @jit_f attributes {mhlo.num_partitions = 2 : i32} {\n'
                'sdy.mesh @mesh = <["x"=2]>\n'
                'func.func public @main(%arg0: tensor<2xf32> {jax.buffer_donor = true, '
                'sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<2xf32> {jax.result_info = "r"}) {\n'
                "  %0 = stablehlo.tanh %arg0 : tensor<2xf32>\n"
                "  return %0 : tensor<2xf32>\n}\n}\n")
        local = self.text("partition", "-", text=text)
        self.assertTrue(local.startswith("module @jit_f attributes {mhlo.num_partitions = 2 : i32} {\n"), local)
        self.assertIn('%arg0: tensor<1xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, '
                      "spmd.global_type = tensor<2xf32>}) -> (tensor<1xf32> {jax.result_info = \"r\"", local)

    def test_constants_may_be_in_the_resources_of_the_file(self):
        text = ('sdy.mesh @mesh = <["x"=2]>\n'
                'func.func @main(%arg0: tensor<2xf32>) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {\n'
                "  %cst = stablehlo.constant dense_resource<a> : tensor<2xf32>\n"
                "  %0 = stablehlo.add %cst, %arg0 : tensor<2xf32>\n"
                "  return %0 : tensor<2xf32>\n}\n"
                '{-# dialect_resources: { builtin: { a: "0x040000000000803F00000040" } } #-}\n')
        self.assertIn("equal to the unsharded run", self.text("run", "-", "--check", text=text))
        self.assertIn("dense<[1.000000e+00, 2.000000e+00]>", self.text("partition", "-", text=text))
        self.assertIn("dense_resource<a>", self.text("convert", "-", text=text))
        for command in ["run"], ["run", "--reference"], ["partition"]:
            done = shardy(*command, "-", text=text.replace("resource<a>", "resource<__elided__>"))
            self.assertEqual((done.returncode != 0, done.stdout), (True, ""))
            self.assertIn("constant data is elided", done.stderr)

    def test_errors_are_those_of_a_compiler(self):
        done = shardy("run", "-", text="module {\n  func.func @f() {\n    return %x : tensor<4xf32>\n  }\n}\n")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "-:3:12: error: use of undeclared SSA value name '%x'\n"
                                      "    return %x : tensor<4xf32>\n"
                                      "           ^\n")


class Explain(unittest.TestCase):
    PROGRAM = """
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %i: tensor<i32>)
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) {
  %0 = stablehlo.sine %x : tensor<8x8xf32>
  %1 = stablehlo.dot %x, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.custom_call @mystery(%1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = "stablehlo.case"(%i) ({
    %5 = stablehlo.cosine %2 : tensor<8x8xf32>
    stablehlo.return %5 : tensor<8x8xf32>
  }, {
    %5 = stablehlo.tanh %2 : tensor<8x8xf32>
    stablehlo.return %5 : tensor<8x8xf32>
  }) : (tensor<i32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}
"""

    def explain(self, *arguments, text=None):
        done = shardy("explain", "-", *arguments, text=text or self.PROGRAM)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_chain_goes_back_to_the_annotation(self):
        out = self.explain("--value", "%0")
        self.assertIn('%0: tensor<8x8xf32>, stablehlo.sine at 5:', out)
        self.assertIn("in @main", out)
        self.assertIn('  sharding <@mesh, [{"a", ?}, {?}]>\n  dim 0: "a"\n', out)
        self.assertRegex(out, r'    step \d+: stablehlo.sine at 5:\d+ propagated "a" forward along factor i, from %x \(aggressive, user priority 0, level \d\)')
        self.assertIn('    "a" is an annotation of %x\n', out)
        self.assertNotIn("%1:", out)

    def test_axes_of_results_come_from_the_function(self):
        values = json.loads(self.explain("--all", "--json"))["values"]
        by_name = {value["name"]: value for value in values}
        chain = by_name["%3"]["axes"][0]["chain"]
        self.assertEqual([link["kind"] for link in chain], ["step", "annotation"])
        self.assertEqual(chain[0]["op"], "function result")
        self.assertEqual(chain[0]["direction"], "backward")
        self.assertEqual(chain[1]["value"], "result 0")
        self.assertEqual(by_name["result 0"]["before"], '<@mesh, [{?}, {"b", ?}]>')

    def test_conflicts_name_winner_and_way_out(self):
        conflicts = json.loads(self.explain("--json"))["conflicts"]
        dot = [each for each in conflicts if each["op"] == "stablehlo.dot"]
        self.assertTrue(dot)
        self.assertEqual(dot[0]["axis"], '"a"')
        self.assertEqual(dot[0]["reason"], "other factor")
        self.assertIn("is on dim ", dot[0]["needed"])
        self.assertIn("factor", dot[0]["winner"])
        self.assertIn("conflict: stablehlo.dot at 6:", self.explain())

    def test_ops_without_a_rule_are_named_once(self):
        out = self.explain()
        self.assertEqual(out.count("no sharding rule: custom call 'mystery'"), 1)
        self.assertIn('add a rule that is correct for the op: sdy.sharding_rule = "i j -> i j need_replication={i, j}" is always correct; "i j -> i j", guessed from equal sizes, is correct only if each shard of the results needs only the same shard of the operands; checking::check with a kernel of the op tests a rule', out)
        helped = self.PROGRAM.replace("@mystery(%1)", '@mystery(%1) {sdy.sharding_rule = "i j -> i j"}')
        out = self.explain("--value", "%2", text=helped)
        self.assertNotIn("no sharding rule", out)
        self.assertIn('dim 1: "b"', out)

    def test_repeated_names_need_their_path(self):
        done = shardy("explain", "-", "--value", "%5", text=self.PROGRAM)
        self.assertEqual(done.returncode, 2)
        self.assertIn("several values are called %5", done.stderr)
        self.assertIn("@main/%3/1:%5", done.stderr)
        self.assertIn("stablehlo.tanh", self.explain("--value", "@main/%3/1:%5"))
        self.assertIn("stablehlo.cosine", self.explain("--value", "@main/%3/0:%5"))

    def test_unknown_values_are_errors(self):
        for option, name in ("value", "%99"), ("function", "@nowhere"):
            done = shardy("explain", "-", "--" + option, name, text=self.PROGRAM)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"no such {option}: {name}", done.stderr)

    def test_functions_are_explained_whole(self):
        out = self.explain("--function", "@main")
        for name in "%x:", "%0:", "%1:", "%3:", "result 0:":
            self.assertIn("\n" + name, "\n" + out)

    def test_strict_refuses_conflicts_and_accepts_their_absence(self):
        text = """
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.sine %x : tensor<8x8xf32>
  %1 = stablehlo.DOT %x, %0 : TYPE
  return %1 : tensor<8x8xf32>
}
"""
        good = text.replace("DOT", "add").replace("TYPE", "tensor<8x8xf32>")
        self.assertEqual(shardy("explain", "-", "--strict", text=good).returncode, 0)
        bad = text.replace("DOT", "dot").replace("TYPE", "(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>")
        done = shardy("explain", "-", "--strict", text=bad)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("strict: conflict: stablehlo.dot", done.stdout)
        self.assertEqual(shardy("explain", "-", text=bad).returncode, 0)



ONE_PUBLIC = """
sdy.mesh @m = <["x"=2]>
func.func public @step(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<4xf32> {
  %0 = call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""

# Both modules name a mesh and a function alike; what the second calls and shards is its own.
TWO_MODULES = """
module @one {
  sdy.mesh @m = <["x"=2]>
  func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<4xf32> {
    %0 = call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.negate %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
module @two {
  sdy.mesh @m = <["y"=4]>
  func.func @main(%a: tensor<8xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}) -> tensor<8xi32> {
    %0 = call @f(%a) : (tensor<8xi32>) -> tensor<8xi32>
    return %0 : tensor<8xi32>
  }
  func.func private @f(%a: tensor<8xi32>) -> tensor<8xi32> {
    %0 = stablehlo.not %a : tensor<8xi32>
    return %0 : tensor<8xi32>
  }
}
"""


class Programs(unittest.TestCase):
    """Name of the function of each module that is the program."""

    COMMANDS = ("run --check --no-f64", "partition", "report", "explain", "check --cases 5", "propagate", "hints")

    def program(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "program.mlir"
        path.write_text(text)
        return path

    def test_the_only_public_function_is_the_program(self):
        for command in self.COMMANDS:
            with self.subTest(command):
                name, *options = command.split()
                done = shardy(name, self.program(ONE_PUBLIC), *options)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_first_of_several_modules_is_the_program(self):
        for command in self.COMMANDS:
            with self.subTest(command):
                name, *options = command.split()
                done = shardy(name, self.program(TWO_MODULES), *options)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("note: the program is the module @one, the first of 2 that have functions", done.stderr)
        deep = shardy("report", self.program("module {\nmodule @b {\n" + TWO_MODULES + "}\n}\n"))
        self.assertEqual(deep.returncode, 0, deep.stderr)
        self.assertIn("note: the program is the module @one", deep.stderr)
        partitioned = shardy("partition", self.program(TWO_MODULES)).stdout
        self.assertIn("module @one", partitioned)
        self.assertNotIn("tensor<8xi32>", partitioned)

    def test_symbols_of_modules_are_their_own(self):
        printed = shardy("convert", self.program(TWO_MODULES))
        self.assertEqual(printed.returncode, 0, printed.stderr)
        for part in "@one", "@two", '<["x"=2]>', '<["y"=4]>':
            self.assertIn(part, printed.stdout)
        again = shardy("convert", self.program(printed.stdout))
        self.assertEqual(again.stdout, printed.stdout)
        outer = "sdy.mesh @m = <[\"z\"=8]>\n" + TWO_MODULES.replace('  sdy.mesh @m = <["y"=4]>\n', "").replace('{"y"}', '{"z"}')
        self.assertEqual(shardy("convert", self.program(outer)).returncode, 0)
        wrong = shardy("convert", self.program(TWO_MODULES.replace('[{"y"}]', '[{"x"}]')))
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("x", wrong.stderr)


class Interpret(unittest.TestCase):
    """Programs without shardings run as they are."""

    GOLDEN = """module @jit_main attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<2xf32> {jax.result_info = "", mhlo.layout_mode = "default"}) {
    %0 = call @inputs() : () -> tensor<2xf32>
    %1 = call @expected() : () -> tensor<2xf32>
    %2 = stablehlo.add %0, %0 : tensor<2xf32>
    stablehlo.custom_call @check.expect_close(%2, %1) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
    return %2 : tensor<2xf32>
  }
  func.func private @inputs() -> tensor<2xf32> {
    %cst = stablehlo.constant dense<[1.0, 2.5]> : tensor<2xf32>
    return %cst : tensor<2xf32>
  }
  func.func private @expected() -> tensor<2xf32> {
    %cst = stablehlo.constant dense<[2.0, 5.0]> : tensor<2xf32>
    return %cst : tensor<2xf32>
  }
}
"""
    SUM = """func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<i32>) {
  %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<2x3xf32>
  %2 = stablehlo.constant dense<7> : tensor<i32>
  return %1, %2 : tensor<2x3xf32>, tensor<i32>
}
"""

    @staticmethod
    def npy(descr, shape, data):
        header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
        header += " " * (-(len(header) + 11) % 64) + "\n"
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data

    def test_a_golden_program_passes(self):
        done = shardy("run", "-", text=self.GOLDEN)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "1 of 1 check passed\n", ""))

    def test_a_golden_program_fails(self):
        done = shardy("run", "-", text=self.GOLDEN.replace("[2.0, 5.0]", "[2.0, 5.5]"))
        self.assertEqual((done.returncode, done.stdout), (1, "0 of 1 check passed\n"))
        self.assertIn("-:6:5: error: stablehlo.custom_call: Elements values don't match", done.stderr)
        self.assertIn("index=[1], actual=5.000000e+00, expected=5.500000e+00", done.stderr)

    def test_results_are_printed_where_nothing_is_checked(self):
        text = "\n".join(line for line in self.GOLDEN.splitlines() if "custom_call" not in line)
        done = shardy("run", "-", text=text)
        self.assertEqual(done.stdout, "tensor<2xf32> {\n  [2.000000e+00, 5.000000e+00]\n}\n")

    def test_without_main_all_functions_without_arguments_run(self):
        text = """func.func @a() { %0 = stablehlo.constant dense<1> : tensor<i32>
  interpreter.print %0 : tensor<i32>
  check.expect_eq_const %0, dense<2> : tensor<i32>
  func.return }
func.func @with_argument(%x: tensor<i32>) { func.return }
func.func @b() { %0 = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %0, dense<1> : tensor<i32>
  func.return }
"""
        done = shardy("run", "-", text=text)
        self.assertEqual((done.returncode, done.stdout), (1, "%0 = tensor<i32> {1}\n1 of 2 checks passed\n"))
        self.assertIn("-:3:3: error: check.expect_eq_const: Element values don't match: 1 (actual) vs 2 (expected)", done.stderr)
        done = shardy("run", "-", "--json", text=text)
        self.assertEqual([each["name"] for each in json.loads(done.stdout)["functions"]], ["a", "b"])
        self.assertIn("%0 = tensor<i32> {1}\n", done.stderr)  # prints

    def test_parts_of_a_file_are_programs(self):
        part = "func.func @main() {\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n  check.expect_eq_const %0, dense<N> : tensor<i32>\n  return\n}\n"
        text = "// -----\n".join(part.replace("N", n) for n in "123")
        self.assertEqual(shardy("run", "-", text=text).returncode, 2)  # one program has one @main
        done = shardy("run", "-", "--split-input-file", text=text)
        # As in MLIR, one dash will do.
        self.assertEqual(shardy("run", "-", "-split-input-file", text=text).stdout, done.stdout)
        self.assertEqual(done.returncode, 1)
        self.assertIn("-:9:3: error:", done.stderr)
        self.assertIn("-:15:3: error:", done.stderr)
        self.assertEqual(done.stdout, "1 of 1 check passed\n0 of 1 check passed\n0 of 1 check passed\n")

    def test_parts_without_a_program_are_passed_over(self):
        part = "func.func @main() {\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n  check.expect_eq_const %0, dense<1> : tensor<i32>\n  return\n}\n"
        text = f"// RUN: %s\n\n// -----\n\n{part}\n// -----\n  // the end\n"
        done = shardy("run", "-", "--split-input-file", text=text)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "1 of 1 check passed\n", ""))
        self.assertEqual(shardy("run", "-", text="// nothing\n").returncode, 2)

    def test_parts_write_results_to_folders_of_their_own(self):
        part = "func.func @main() -> tensor<i32> {\n  %0 = stablehlo.constant dense<N> : tensor<i32>\n  return %0 : tensor<i32>\n}\n"
        for numbers, folders in ("57", ["part0", "part1"]), ("5", [""]):
            text = "// a comment\n// -----\n" + "// -----\n".join(part.replace("N", n) for n in numbers)
            with tempfile.TemporaryDirectory() as folder:
                done = shardy("run", "-", "--split-input-file", "--output-dir", folder, text=text)
                self.assertEqual(done.returncode, 0, done.stderr)
                written = {str(path.relative_to(folder)): path.read_bytes() for path in pathlib.Path(folder).rglob("*.npy")}
            self.assertEqual(written, {str(pathlib.Path(each) / "result0.npy"): self.npy("<i4", "()", struct.pack("<i", int(n)))
                                       for each, n in zip(folders, numbers)})

    def test_an_error_does_not_keep_other_functions_from_running(self):
        text = """func.func @a() { %0 = "my.op"() : () -> tensor<i32>
  func.return }
func.func @b() { %0 = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %0, dense<1> : tensor<i32>
  func.return }
"""
        done = shardy("run", "-", text=text)
        self.assertEqual((done.returncode, done.stdout), (1, "1 of 1 check passed\n"))
        self.assertIn("-:1:23: error: unsupported op my.op", done.stderr)

    def test_values_come_from_files_and_go_to_files(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "sum.mlir").write_text(self.SUM)
            (folder / "x.npy").write_bytes(self.npy("<f4", "(2, 3)", struct.pack("<6f", 1, 2, 3, 4, 5, 6)))
            (folder / "y.json").write_text("[10, 20, 30.5]")
            done = shardy("run", folder / "sum.mlir", "--input", folder / "x.npy", "--input", folder / "y.json",
                          "--output-dir", folder / "out")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((folder / "out" / "result0.npy").read_bytes(),
                             self.npy("<f4", "(2, 3)", struct.pack("<6f", 11, 22, 33.5, 14, 25, 36.5)))
            self.assertEqual((folder / "out" / "result1.npy").read_bytes(), self.npy("<i4", "()", struct.pack("<i", 7)))

    def test_an_archive_holds_all_inputs(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "sum.mlir").write_text(self.SUM)
            for method in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED:
                with zipfile.ZipFile(folder / "in.npz", "w", method) as archive:
                    archive.writestr("a.npy", self.npy("<f4", "(2, 3)", struct.pack("<6f", 1, 2, 3, 4, 5, 6)))
                    archive.writestr("b.npy", self.npy("<f4", "(3,)", struct.pack("<3f", 1, 0, 1)))
                done = shardy("run", folder / "sum.mlir", "--input", folder / "in.npz", "--json")
                if "without libzip" in done.stderr:
                    self.skipTest("built without libzip")
                self.assertEqual(done.returncode, 0, done.stderr)
                results = json.loads(done.stdout)["functions"][0]["results"]
                self.assertEqual(results[0], {"type": "tensor<2x3xf32>", "values": [[2, 2, 4], [5, 5, 7]]})
                self.assertEqual(results[1], {"type": "tensor<i32>", "values": 7})

    def test_bad_inputs_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "sum.mlir").write_text(self.SUM)
            (folder / "bad.npy").write_bytes(b"no array")
            (folder / "bad.npz").write_bytes(b"no archive")
            (folder / "short.json").write_text("[1, 2]")
            (folder / "y.json").write_text("[1, 2, 3]")
            (folder / "words.json").write_text('[1, 2, "x"]')
            for names, message in [
                (["bad.npy", "y.json"], "input 0 (FOLDER/bad.npy): not a .npy file"),
                (["y.json"], "the function takes 2 inputs, the files hold 1"),
                (["y.json", "y.json"], "input 0 (FOLDER/y.json): expected a list of 2 elements, found 3"),
                (["x.txt", "y.json"], "unknown kind of input: FOLDER/x.txt"),
                (["none.npy", "y.json"], "cannot read FOLDER/none.npy"),
                (["bad.npz"], "cannot read FOLDER/bad.npz"),
            ]:
                options = [part for name in names for part in ("--input", folder / name)]
                done = shardy("run", folder / "sum.mlir", *options)
                self.assertEqual(done.returncode, 2, names)
                self.assertIn("error: " + message.replace("FOLDER", str(folder)), done.stderr)

    def test_a_trace_has_a_process_per_device(self):
        text = """module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
func.func @main() {
  %0 = stablehlo.constant dense<1> : tensor<4xi32>
  %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4xi32>) -> tensor<8xi32>
  return
}
}
"""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json"
            done = shardy("run", "-", "--trace", path, text=text)
            self.assertEqual(done.returncode, 0, done.stderr)
            events = json.loads(path.read_text())["traceEvents"]
        processes = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
        rows = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
        self.assertEqual(sorted(processes.values()), ["device 0", "device 1"])
        for process in processes:
            self.assertEqual([row for (pid, _), row in sorted(rows.items()) if pid == process], ["compute", "communication"])
        self.assertEqual(len({tid for _, tid in rows}), 4)
        ran = {(processes[event["pid"]], rows[event["pid"], event["tid"]], event["name"]): event["args"] for event in events
               if event["ph"] == "X"}
        gather = "stablehlo.all_gather 1 group of 2 16 bytes"
        self.assertEqual({name for _, row, name in ran if row == "communication"}, {gather})
        self.assertEqual({name for _, row, name in ran if row == "compute"}, {"stablehlo.constant"})
        for device in "device 0", "device 1":
            arguments = ran[device, "communication", gather]
            self.assertEqual((arguments["bytes"], arguments["bytes_sent"]), (32, 16))
            self.assertEqual((arguments["op"], arguments["axes"], arguments["value"]), ("stablehlo.all_gather", "1 group of 2", "%1"))
        flows = [event for event in events if event["ph"] in "stf"]
        self.assertEqual([event["ph"] for event in flows], ["s", "f"])
        self.assertEqual({rows[event["pid"], event["tid"]] for event in flows}, {"communication"})
        self.assertEqual({event["pid"] for event in flows}, set(processes))
        self.assertEqual(len({event["id"] for event in flows}), 1)

    def test_a_sharded_run_can_be_traced(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json"
            done = shardy("run", EXAMPLES / "mlp.json", "--check", "--trace", path, "--output-dir", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            events = json.loads(path.read_text())["traceEvents"]
            self.assertTrue((pathlib.Path(folder) / "result0.npy").exists())
        self.assertEqual(sum(event["name"] == "process_name" for event in events), 8)
        self.assertIn("s", [event["ph"] for event in events])
        sums = {event["name"] for event in events if event["name"].startswith("spmd.all_reduce") and event["ph"] == "X"}
        self.assertEqual(len(sums), 1)
        self.assertRegex(sums.pop(), r'^spmd.all_reduce \{"model"\} [0-9]+ bytes$')

    def test_reference_runs_unsharded(self):
        done = shardy("run", EXAMPLES / "mlp.json", "--reference")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("tensor<"))
        self.assertNotIn("devices", done.stdout)
        self.assertEqual(shardy("run", EXAMPLES / "mlp.json", "--reference").stdout, done.stdout)
        self.assertNotEqual(shardy("run", EXAMPLES / "mlp.json", "--reference", "--seed", "1").stdout, done.stdout)

    def test_a_grid_can_be_given(self):
        text = "func.func @main() -> tensor<ui32> {\n  %0 = stablehlo.partition_id : tensor<ui32>\n  return %0 : tensor<ui32>\n}\n"
        self.assertEqual(shardy("run", "-", text=text).stdout, "tensor<ui32> {0}\n")
        self.assertEqual(shardy("run", "-", "--grid", "1x2", text=text).stdout,
                         "@main on device 0:\ntensor<ui32> {0}\n@main on device 1:\ntensor<ui32> {1}\n")
        self.assertEqual(shardy("run", "-", "--grid", "x", text=text).returncode, 2)
        for grid in "0x1", "1x1048577", "1048576x1048576":
            self.assertIn("expected 1 to 1048576 processes, got: " + grid,
                          shardy("run", "-", "--grid", grid, text=text).stderr)

    def test_limits_end_a_run(self):
        loop = """func.func @main() {
  %0 = stablehlo.constant dense<true> : tensor<i1>
  %1 = stablehlo.while(%i = %0) : tensor<i1> cond {
    stablehlo.return %i : tensor<i1>
  } do {
    stablehlo.return %i : tensor<i1>
  }
  return
}
"""
        for option, message in [("--max-steps", "E_STEP_LIMIT: more than 100 steps"),
                                ("--max-iterations", "E_STEP_LIMIT: while exceeded 100 iterations")]:
            done = shardy("run", "-", option, "100", text=loop)
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr)
        iota = "func.func @main() -> tensor<1000xf32> {\n  %0 = stablehlo.iota dim = 0 : tensor<1000xf32>\n  return %0 : tensor<1000xf32>\n}\n"
        done = shardy("run", "-", "--max-bytes", "1000", text=iota)
        self.assertIn("-:2:8: error: E_MEMORY_LIMIT: more than 1000 bytes are live", done.stderr)
        for option in ["--max-steps", "--max-iterations", "--max-bytes"]:
            done = shardy("run", "-", option, "-1", text=iota)
            self.assertEqual(done.returncode, 2)
            self.assertIn(option, done.stderr)

    def test_arguments_that_no_run_may_hold_are_not_made_up(self):
        text = "func.func @main(%a: tensor<SIZExf32>, %b: tensor<f32>) -> tensor<f32> {\n  return %b : tensor<f32>\n}\n"
        done = shardy("run", "-", text=text.replace("SIZE", "1000000000000"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("-:1:1: error: E_MEMORY_LIMIT: more than 17179869184 bytes are live", done.stderr)
        self.assertEqual(shardy("run", "-", "--max-bytes", "404", text=text.replace("SIZE", "100")).returncode, 0)
        done = shardy("run", "-", "--max-bytes", "403", text=text.replace("SIZE", "100"))
        self.assertIn("E_MEMORY_LIMIT: more than 403 bytes are live", done.stderr)

    def test_nothing_to_run(self):
        done = shardy("run", "-", text="func.func private @f(tensor<i32>)\n")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the module has no function to run", done.stderr)


class BadInput(unittest.TestCase):
    def check(self, done, *texts):
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        for text in texts:
            self.assertIn(text, done.stderr)

    def test_no_such_file(self):
        self.check(shardy("run", "/nowhere/x.json"), "error: cannot read /nowhere/x.json")

    def test_unknown_kind_of_file(self):
        self.check(shardy("run", __file__), f"error: {__file__} is neither MLIR text nor JSON: it begins with `#!/usr/bin/env python3`")

    def test_wrong_program(self):
        text = (EXAMPLES / "mlp.json").read_text()
        program = json.loads(text)
        self.assertIn("functions", program)
        self.check(shardy("run", "-", text=text.replace('{"axes": ["data"]', '{"axes": ["nowhere"]')), ": error: ", '"nowhere"', "note: at /functions/0/args/0/sharding/0/axes/0\n", 'the axes of the mesh: "data", "model"')

    def test_truncated_program(self):
        text = (EXAMPLES / "mlp.json").read_text()
        self.check(shardy("convert", "-", text=text[: len(text) // 2]), "error:")

    def test_deep_nesting(self):
        self.check(shardy("convert", "-", text='{"shardy": ' + "[" * 5_000_000), "error:")

    def test_output_that_cannot_be_written(self):
        self.check(shardy("convert", EXAMPLES / "mlp.json", "-o", "/nowhere/x.json"), "error: cannot write /nowhere/x.json")

    def test_usage(self):
        for arguments in [], ["fly"], ["run"], ["run", "x.json", "--threads", "many"], ["convert", "x.json", "--check"]:
            self.assertEqual(shardy(*arguments).returncode, 2, arguments)
        self.assertEqual(shardy("--help").returncode, 0)


def wrong_programs():
    """Name, program and errors of each row of json_errors.txt, which tests/text reads as well."""
    table = pathlib.Path(__file__).parent.parent / "text" / "json_errors.txt"
    for row in table.read_text().split("\n=== ")[1:]:
        name, rest = row.split("\n", 1)
        program, errors = rest.split("\n---\n", 1)
        yield name, program, errors


def as_printed(errors, path, program):
    """Output of the command line for `place: message` and the notes below."""
    lines = []
    for line in filter(None, errors.split("\n")):
        if line.startswith("    "):
            lines.append(f"note: {line[4:]}")
            continue
        place, message = line.split(": ", 1)
        lines.append(f"{path}:{place}: error: {message}")
        if not place.startswith("/"):
            row, column = map(int, place.split(":"))
            lines += [[*program.split("\n"), ""][row - 1], " " * (column - 1) + "^"]
    return "".join(f"{line}\n" for line in lines)


class WrongPrograms(unittest.TestCase):
    @staticmethod
    def by_pointers(stderr, path, program):
        """With the pointer of the note as the place, and the line of the place as a note, once the place was seen to be in the text."""
        lines, place = [], None
        for line in stderr.splitlines():
            found = re.fullmatch(rf"({re.escape(str(path))}):(\d+):(\d+): (error: .*)", line)
            if found:
                place = (len(lines), int(found[2]), int(found[3]), found[4])
            if line.startswith("note: at /") and place:
                at, row, column, message = place
                text = program.split("\n")[row - 1]
                assert text.encode()[column - 1:column].strip(b" ,:"), (line, text, column)  # a value begins there
                lines[at:at + 3] = [f"{path}:{line[len('note: at '):]}: {message}"]
                line = f"note: line {row}"
            lines.append(line)
        return "".join(f"{line}\n" for line in lines)

    def test_the_error_names_file_and_place(self):
        count = 0
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "wrong.json"
            for name, program, errors in wrong_programs():
                if not program.strip():
                    continue  # reported by the command line before the reader sees it
                path.write_text(program)
                done = shardy("convert", path)
                with self.subTest(name):
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertEqual(self.by_pointers(done.stderr, path, program), as_printed(errors, path, program))
                count += 1
        self.assertGreaterEqual(count, 160)

    def test_bytes_that_are_no_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "wrong.json"
            for program in b'{"shardy": 1}\0', b'{"shardy": 1, "comment": "\xff"}', b"[" * 10_000_000:
                path.write_bytes(program)
                done = shardy("convert", path)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, r"^[^\n]+/wrong\.json:1:\d+: error: [^\n]+\n[^\n]*\n *\^\n$")



class Reshard(unittest.TestCase):
    # The first rows of C.6 of docs/spec/resharding.md, for elements of one byte.
    ROWS = [('<["x"=2, "y"=2]>', "8x8xi8", '[{"x", "y"}, {}]', '[{}, {"y", "x"}]', 28, 12),
            ('<["x"=2, "y"=2]>', "8x8xi8", '[{"x", "y"}, {}]', '[{}, {"x"}]', 40, 28),
            ('<["a"=2, "b"=4, "c"=2]>', "16x16xi8", '[{"a"}, {"b"}]', '[{"b"}, {"a"}]', 48, 32),
            ('<["x"=2, "y"=3, "z"=2]>', "24x24xi8", '[{"x"}, {"y"}]', '[{"y", "z"}, {}]', 256, 116)]

    def ask(self, mesh, shape, start, end, *more):
        return shardy("reshard", "--mesh", mesh, "--shape", shape, "--from", start, "--to", end, *more)

    def test_plans_cost_what_the_spec_lists(self):
        for *question, reference, best in self.ROWS:
            report = json.loads(self.ask(*question, "--json").stdout)
            self.assertEqual((report["reference"]["bytes"], report["best"]["bytes"]), (reference, best))
            self.assertTrue(report["best"]["proven"])
            self.assertLessEqual(report["least"]["bytes"], best)
            for plan in report["reference"], report["best"]:
                for key in "bytes", "messages":
                    self.assertEqual(plan[key], sum(step[key] for step in plan["steps"]))

    def test_the_text_is_that_of_the_page(self):
        page = (EXAMPLES.parent / "docs/resharding.md").read_text()
        block = next(part for part in page.split("```") if part.startswith("\n$ shardy reshard"))
        shown = block.split("\n", 2)[2]
        done = self.ask('<["x"=2, "y"=2]>', "8x8xf32", '[{"x", "y"}, {}]', '[{}, {"x"}]')
        self.assertEqual((done.returncode, done.stdout), (0, shown))

    def test_links_and_memory_count(self):
        question = '<["x"=2, "y"=2]>', "8x8xf32", '[{"x", "y"}, {}]', '[{}, {"x"}]'
        slow = json.loads(self.ask(*question, "--json", "--axis-cost", "*=full:100GB/s:1us").stdout)
        self.assertEqual(slow["best"]["messages"], 1)
        tight = json.loads(self.ask(*question, "--json", "--axis-cost", "*=full:100GB/s:1us",
                                    "--max-live-bytes", 256).stdout)
        self.assertEqual(tight["best"]["messages"], 2)
        self.assertEqual(self.ask(*question, "--max-live-bytes", 100).stderr,
                         "error: no plan holds at most 100 bytes on a device\n")

    def test_wrong_words_name_their_option(self):
        mesh, shape, start, end = '<["x"=2]>', "8xf32", '[{"x"}]', "[{}]"
        for arguments, error_text in [(("<[", shape, start, end), "--mesh: "), ((mesh, "8x?xf32", start, end), "--shape: "),
                                ((mesh, shape, '[{"z"}]', end), "--from: unknown axis name"),
                                ((mesh, shape, start, "{"), "--to: "),
                                ((mesh, shape, start, end, "--axis-cost", "x=torus"), "--axis-cost: "),
                                ((mesh, shape, start, end, "--axis-cost", "y=full"), "--axis-cost: unknown axis name: y"),
                                ((mesh, shape, start, start, "--to-mesh", '<["y"=2]>'), "--to: unknown axis name"),
                                ((mesh, "8x8xf32", start, end), "cannot reshard a tensor of rank 2")]:
            done = self.ask(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("error: " + error_text, done.stderr)

    def test_programs_are_partitioned_with_either(self):
        program = """sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}]>}) {
  return %x : tensor<8x8xf32>
}
"""
        for options, kinds in [((), ["all_to_all"]), (("--resharding=best",), ["all_to_all"]),
                               (("--resharding=reference",), ["permute", "all_to_all"])]:
            done = shardy("partition", "-", *options, text=program)
            self.assertEqual([kind for kind in ("permute", "all_to_all") if f"spmd.{kind}" in done.stdout], kinds)
            done = shardy("run", "-", "--check", *options, text=program)
            self.assertIn("\nequal to the unsharded run\n", done.stdout)

    def test_costs_are_of_axes_of_a_mesh(self):
        program = """func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<MESH, [{"model"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<MESH, [{}]>}) {
  return %x : tensor<8xf32>
}
"""
        inlined = program.replace("MESH", 'mesh<["model"=2]>')
        named = 'sdy.mesh @mesh = <["model"=2]>\nsdy.mesh @idle = <["spare"=2]>\n' + program.replace("MESH", "@mesh")
        bare = re.sub(r" \{sdy.sharding = .*?>\}", "", program)
        error_text = "warning: a cost for an unknown mesh axis: modle\nnote: did you mean model?\n"
        listed = "warning: a cost for an unknown mesh axis: z\nnote: axes: model, spare\n"
        for command in "run", "partition", "report", "hints":
            for text, costs, expected in [(named, "z=ring", listed), (inlined, "modle=ring,model=full", error_text), (inlined, "model=ring,*=full", ""), (named, "modle=ring", error_text),
                                          (named, "spare=ring", ""), (bare, "modle=ring", "")]:
                done = shardy(command, "-", "--axis-cost", costs, text=text)
                self.assertEqual((done.returncode, expected in done.stderr, "a cost for" in done.stderr), (0, True, expected != ""),
                                 (command, costs, done.stderr))


class Collectives(unittest.TestCase):
    # Two gathers of 8 * 8 * 4 / 4 bytes to 3 devices each, or one.
    PROGRAM = """sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = sdy.sharding_constraint %a <@mesh, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %b <@mesh, [{}, {}]> : tensor<8x8xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
"""
    SAID = "remark: sink-collectives at sdy.all_gather: a device sends 192 bytes in 1 message, was 384 bytes in 2 messages"

    def report(self, *options, text=PROGRAM):
        done = shardy("run", "-", "--check", "--json", *options, text=text)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_rewrites_are_chosen(self):
        for options, gathers in [((), 1), (("--optimize-collectives=all",), 1), (("--optimize-collectives=none",), 2),
                                 (("--optimize-collectives=hoist-slices",), 2), (("--resharding=reference",), 2),
                                 (("--optimize-collectives=reuse-reshard-prefix,sink-collectives",), 1),
                                 (("--resharding=reference", "--optimize-collectives=all"), 1)]:
            report = self.report(*options)
            self.assertEqual(report["collectives"]["spmd.all_gather"]["count"], gathers, options)
            self.assertEqual(len(report["rewrites"]), 2 - gathers)
        done = shardy("run", "-", "--optimize-collectives=move-earlier", text=self.PROGRAM)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no such rule: move-earlier", done.stderr)

    def test_rewrites_are_reported(self):
        self.assertEqual(self.report()["rewrites"], [
            {"rule": "sink-collectives", "op": "sdy.all_gather", "location": "5:8", "bytes_before": 384, "bytes_after": 192,
             "messages_before": 2, "messages_after": 1}])
        for command in "run", "partition":
            self.assertNotIn("remark", shardy(command, "-", text=self.PROGRAM).stderr)
            self.assertIn(self.SAID, shardy(command, "-", "--show-rewrites", text=self.PROGRAM).stderr)

    def test_products_of_large_operands_become_loops(self):
        program = """sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %b: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.sharding_constraint %b <@mesh, [{}, {}]> : tensor<64x8xf32>
  %1 = stablehlo.dot_general %a, %0, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
"""
        loads = []
        for option in (), ("--max-gather-bytes=2048",), ("--max-gather-bytes=2047",), ("--max-gather-bytes=0",):
            report = self.report(*option, text=program)
            sent = sum(kind["bytes_sent_per_device"] for kind in report["collectives"].values())
            loads.append((sent, "spmd.permute" in report["collectives"], report["peak_bytes_per_device"]))
        self.assertEqual([load[:2] for load in loads], [(1536, False)] * 2 + [(1536, True)] * 2)
        self.assertLess(loads[2][2], loads[0][2] - 1000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
