"""Output of `shardy explain`: golden reports, and names as the files give them.

explain_test.py SHARDY EXAMPLES [--approve]
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

SHARDY, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])
FOLDER = pathlib.Path(__file__).parent / "explain"


def shardy(*arguments, text=None):
    return subprocess.run([SHARDY, *map(str, arguments)], input=text, capture_output=True, text=True)


def commands(program):
    """Arguments in lines `// explain ARGUMENTS`, in JSON of `"comment": ["explain ARGUMENTS", ...]`."""
    if program.suffix == ".json":
        return json.loads(program.read_text())["comment"]
    lines = program.read_text().splitlines()
    return [line.removeprefix("// ") for line in lines if line.startswith("// explain")]


def golden(program):
    """The commands of a program with their outputs, as in its .out file after the title."""
    out = ""
    for command in commands(program):
        done = shardy("explain", program, *command.split()[1:])
        messages = done.stderr.replace(str(program), program.name)
        out += f"$ {command}\n{done.stdout}{messages}exit {done.returncode}\n"
    return out


class Growth(unittest.TestCase):
    """Twice the program is twice the report: chains, and calls in calls, are printed once."""

    TYPE = "tensor<8x8xf32>"
    MESH = 'sdy.mesh @mesh = <["a"=2, "b"=2]>\n'
    SHARDED = TYPE + ' {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}'

    def chain(self, size):
        ops = "".join(f"  %v{i + 1} = stablehlo.sine %v{i} : {self.TYPE}\n" for i in range(size))
        return (f"{self.MESH}func.func @main(%v0: {self.SHARDED}) -> {self.TYPE} {{\n{ops}"
                f"  return %v{size} : {self.TYPE}\n}}\n")

    def backward(self, size):
        return self.chain(size).replace(self.SHARDED, self.TYPE).replace(f"-> {self.TYPE}", f"-> ({self.SHARDED})")

    def groups(self, size):
        ops = "".join(f"  %v{i + 1} = stablehlo.sine %v{i} : {self.TYPE}\n  %w{i} = stablehlo.sine %y : {self.TYPE}\n"
                      f"  sdy.sharding_group %v{i + 1} group_id={i} : {self.TYPE}\n"
                      f"  sdy.sharding_group %w{i} group_id={i} : {self.TYPE}\n" for i in range(size))
        return (f"{self.MESH}func.func @main(%v0: {self.SHARDED}, %y: {self.TYPE}) -> {self.TYPE} {{\n{ops}"
                f"  return %v{size} : {self.TYPE}\n}}\n")

    def calls(self, size):
        """Each function calls the next one."""
        functions = "".join(
            f"func.func private @f{i}(%x: {self.TYPE}) -> {self.TYPE} {{\n  %0 = stablehlo.sine %x : {self.TYPE}\n"
            f"  %1 = call @f{i + 1}(%0) : ({self.TYPE}) -> {self.TYPE}\n  return %1 : {self.TYPE}\n}}\n" for i in range(size))
        return (f"{self.MESH}func.func @main(%x: {self.SHARDED}) -> {self.TYPE} {{\n"
                f"  %0 = call @f0(%x) : ({self.TYPE}) -> {self.TYPE}\n  return %0 : {self.TYPE}\n}}\n{functions}"
                f"func.func private @f{size}(%x: {self.TYPE}) -> {self.TYPE} {{\n  return %x : {self.TYPE}\n}}\n")

    def test_reports_grow_with_the_program(self):
        for program in self.chain, self.backward, self.groups, self.calls:
            for options in ["--all"], ["--all", "--json"]:
                small, large = (len(shardy("explain", "-", *options, text=program(size)).stdout) for size in (64, 256))
                with self.subTest(program.__name__, options=options):
                    self.assertGreater(small, 64 * 50)
                    self.assertLess(large, 4.5 * small)

    def test_one_value_has_its_whole_chain(self):
        out = shardy("explain", "-", "--value", "%v256", text=self.chain(256)).stdout
        self.assertEqual(out.count(" propagated "), 256)
        self.assertIn('"a" is an annotation of %v0', out)


class Messages(unittest.TestCase):
    """Errors have their place and a remedy, for all commands alike."""

    MARKERS = (FOLDER / "manual_markers.mlir").read_text()
    RESULT = (FOLDER / "function_result.mlir").read_text()

    def test_ops_without_a_rule_have_a_place_and_a_hint(self):
        text = (FOLDER / "missing_rule.mlir").read_text()
        for command in "propagate", "partition":
            messages = shardy(command, "-", text=text).stderr
            self.assertIn("-:5:8: warning: no sharding rule for custom call 'fused'\n", messages)
            self.assertIn('note: add a rule that is correct for the op: sdy.sharding_rule = "i j -> i j need_replication={i, j}" is always correct; "i j -> i j", guessed from equal sizes, is correct only if each shard of the results needs only the same shard of the operands; checking::check with a kernel of the op tests a rule\n', messages)
        program = {"shardy": 1, "functions": [{"name": "main", "args": ["tensor<8xf32>"], "return": ["%y"], "body": [
            {"name": "y", "op": "my.op", "operands": ["%arg0"], "type": "tensor<8xf32>"}]}]}
        messages = shardy("propagate", "-", text=json.dumps(program)).stderr
        self.assertRegex(messages, r"^-:1:100: warning: no sharding rule for op 'my.op'\n.*\n *\^\n"
                               r'note: add a rule that is correct for the op: sdy.sharding_rule = "i -> i need_replication=\{i\}" is always correct; "i -> i", guessed from equal sizes, is correct only if each shard of the results needs only the same shard of the operands; checking::check with a kernel of the op tests a rule\nnote: at /functions/0/body/0\n$')

    def test_edges_of_manual_computations_cannot_have_a_rule(self):
        messages = shardy("propagate", "-", "--import=none", text=self.MARKERS).stderr
        self.assertIn("5:8: warning: no sharding rule for custom call 'SPMDFullToShardShape'", messages)
        self.assertIn("write the ops between such calls as one sdy.manual_computation", messages)
        self.assertNotIn("add a rule", messages)
        done = shardy("partition", "-", "--import=none", text=self.MARKERS)
        self.assertEqual(done.returncode, 2)
        self.assertIn("5:8: error: E_UNSUPPORTED_OP: stablehlo.custom_call: it is at the boundary of a manual", done.stderr)

    def test_a_program_per_device_is_not_partitioned_again(self):
        for op, type_text in (
                ('"spmd.device_id"() <{mesh = @m}> : () ->', "tensor<i64>"),
                ('"spmd.all_gather"(%arg0) <{axes = #sdy<axis_ref_list{"x"}>, dim = 0 : i64, mesh = @m}> : '
                 '(tensor<4xi64>) ->', "tensor<8xi64>")):
            program = (f'sdy.mesh @m = <["x"=2]>\nfunc.func @main(%arg0: tensor<4xi64>) -> {type_text} {{\n'
                       f"  %0 = {op} {type_text}\n  return %0 : {type_text}\n}}\n")
            done = shardy("partition", "-", text=program)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("the program is already a per-device program", done.stderr)

    def test_shardings_of_function_results_are_taken_from_custom_calls(self):
        done = shardy("run", "-", "--check", text=self.RESULT)
        self.assertEqual((done.returncode, done.stderr), (0, "-: note: imported 1 xla.sdy.sharding\n"))
        out = shardy("partition", "-", text=self.RESULT).stdout
        self.assertIn("tensor<4x16xf32>", out)
        self.assertNotIn("custom_call", out)
        out = shardy("propagate", "-", text=self.RESULT).stdout
        self.assertIn('%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}', out)
        elsewhere = self.RESULT.replace("<@mesh, [{\\22", "<@elsewhere, [{\\22")
        done = shardy("propagate", "-", text=elsewhere)
        self.assertIn("result - unknown mesh: @elsewhere", done.stderr)
        self.assertEqual(done.returncode, 2)
        done = shardy("propagate", "-", "--import=none", text=elsewhere)
        self.assertIn("warning: the sharding of a function result that a custom call carries is left out: "
                      "unknown mesh: @elsewhere", done.stderr)
        self.assertEqual(done.returncode, 0)

    def test_manual_axes_that_no_sharding_names(self):
        text = """sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{?}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<8xf32>) {
    %s = stablehlo.slice %y [0:4] : (tensor<8xf32>) -> tensor<4xf32>
    sdy.return %s : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""
        messages = shardy("opt", "-", "--sdy-add-data-flow-edges", "--sdy-basic-propagate", text=text).stderr
        self.assertIn("-:3:8: error: 'sdy.manual_computation' op has an open sharding that does not use the full manual axis "
                      "\"a\": <@mesh, [{?}]>\n", messages)
        self.assertIn("note: run sdy-manual-axes-cleanup first", messages)
        closed = text.replace("{?}", "{}").replace(
            "%s = stablehlo.slice %y", "%e = sdy.data_flow_edge %y sharding=<@mesh, [{?}]> : tensor<8xf32>\n    %s = stablehlo.slice %e")
        messages = shardy("opt", "-", "--sdy-add-data-flow-edges", "--sdy-basic-propagate", text=closed).stderr
        self.assertIn("-:3:8: error: 'sdy.manual_computation' op operand 0 - manual axis \"a\" must appear in the outer sharding\n", messages)
        self.assertIn("note: a dim or `replicated` of each in_sharding", messages)

    def test_groups_that_disagree_have_a_place(self):
        text = """sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.sine %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
  sdy.sharding_group %x group_id=0 : tensor<8xf32>
  sdy.sharding_group %0 group_id=0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""
        for command in "propagate", "explain":
            messages = shardy(command, "-", text=text).stderr
            self.assertIn("-:3:8: warning: members of sharding group 0 have conflicting shardings\n", messages)
            self.assertIn('note: <@mesh, [{"a"}]> at 2:1, <@mesh, [{"b"}]> here', messages)

    def test_a_program_without_main(self):
        text = "func.func @f() {\n  return\n}\nfunc.func @g() {\n  return\n}\n"
        for command in "propagate", "partition", "explain":
            messages = shardy(command, "-", text=text).stderr
            self.assertIn("-:1:1: error: Failed to lookup function: main\n", messages)
            self.assertIn("is called @main; the module has @f, @g\n", messages)

    def test_a_mesh_that_is_no_mesh_is_one_error(self):
        program = {"shardy": 1, "meshes": [{"name": "mesh", "axes": [["x", -2]]}], "functions": [
            {"name": "main", "args": [{"name": "x", "type": "tensor<8x4xf32>", "sharding": [["x"], []]}],
             "body": [{"name": "y", "op": "stablehlo.sine", "operands": ["x"], "sharding": '[{"x"}, {}]'}], "return": ["y"]}]}
        for meshes in program["meshes"], {"mesh": {"x": -2}}:
            messages = shardy("convert", "-", text=json.dumps({**program, "meshes": meshes})).stderr
            self.assertEqual(messages.count("error:"), 1, messages)
            self.assertIn("axis size must be at least 1, got: -2", messages)


class PrintedNames(unittest.TestCase):
    """Names of values in our outputs are accepted by explain."""

    PROGRAM = (EXAMPLES / "jax" / "fsdp_sdy.mlir").read_text()

    def names(self, command, text, *options):
        out = shardy(command, "-", *options, text=text).stdout
        return re.findall(r"^ *%(\S+) = ", out, re.MULTILINE), out

    def test_names_of_the_source_survive(self):
        source = re.findall(r"^ *%(\S+) = ", self.PROGRAM, re.MULTILINE)
        self.assertEqual(self.names("propagate", self.PROGRAM)[0], source)
        named = re.sub(r"%(\d+)\b", r"%v.\1", self.PROGRAM)
        for command in "convert", "propagate":
            self.assertEqual(self.names(command, named)[0], [f"v.{name}" for name in source])
        as_json = shardy("propagate", "-", "--emit=json", text=named).stdout
        self.assertEqual([item["name"] for item in json.loads(as_json)["functions"][0]["body"]], [f"v.{name}" for name in source])
        printed = shardy("propagate", "-", text=named).stdout
        unmarked = re.sub(r" {stablehlo.mesh = .*}$", "", printed, flags=re.M).replace("sdy.constant", "stablehlo.constant")
        self.assertEqual(shardy("convert", "-", "--emit=mlir", text=as_json).stdout, unmarked)

    def test_explain_takes_all_names_of_a_partitioned_program(self):
        names, out = self.names("partition", self.PROGRAM)
        self.assertTrue({"_4_partial", "arg1_gathered", "_3_gathered", "7"} <= set(names), names)
        for name in names:
            done = shardy("explain", "-", "--value", "%" + name, text=self.PROGRAM)
            inside = re.search(rf"^      .*%{re.escape(name)} = ", out, re.MULTILINE)  # of a reducer, a value of no tensor
            self.assertEqual(done.returncode, 2 if inside else 0, (name, done.stderr))
            base = re.sub(r"^_?(\w+?)_(partial|gathered|exchanged).*$", r"\1", name)
            if not inside:
                self.assertTrue(done.stdout.startswith(f"%{base}: "), (name, done.stdout))

    def test_odd_names(self):
        program = {"shardy": 1, "meshes": {"m": {"x": 2}}, "functions": [{"name": "main", "args": [{"name": "my arg", "type": "f32[8]", "sharding": ["x"]}],
                                                                         "return": ["1st"], "body": [
            {"name": "1st", "op": "sine", "operands": ["my arg"], "sharding": [None]}, {"op": "cosine", "operands": ["1st"]}]}]}
        text = json.dumps(program)
        names, out = self.names("partition", text, "--emit=mlir")
        self.assertIn("@main(%my_arg: ", out)
        self.assertEqual(names, ["_1st", "_1st_gathered"])
        body = json.loads(shardy("partition", "-", text=text).stdout)["functions"][0]
        self.assertEqual([body["args"][0]["name"], *(item["name"] for item in body["body"])], ["my arg", "1st", "_1st_gathered"])
        for name, base in ("my_arg", "my arg"), ("_1st", "1st"), ("%my arg", "my arg"), ("%1st", "1st"), ("%_1st_gathered", "1st"):
            self.assertTrue(shardy("explain", "-", "--value", name, text=text).stdout.startswith(f"%{base}: "), name)

    def test_a_name_of_several_functions_means_the_one_in_main(self):
        text = """sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.sine %a : tensor<8xf32> loc("embed"("model.py":31:8))
  %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32> loc("model.py":32:8)
  %2 = stablehlo.sine %1 : tensor<8xf32> loc("head"("model.py":40:8))
  %3 = stablehlo.sine %2 : tensor<8xf32> loc("head"("model.py":40:20))
  return %3 : tensor<8xf32>
}
func.func private @f(%b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.cosine %b : tensor<8xf32> loc("model.py":31:8)
  return %0 : tensor<8xf32>
}
"""
        def ask(*arguments):
            done = shardy("explain", "-", *arguments, text=text)
            return [line for line in done.stdout.split("\n") if line.startswith("%")], done.stderr
        sine = "%0: tensor<8xf32>, stablehlo.sine at model.py:31 (embed), in @main"
        cosine = "%0: tensor<8xf32>, stablehlo.cosine at model.py:31:8, in @f called by %1"
        self.assertEqual(ask("--value", "%0"), ([sine], ""))
        self.assertEqual(ask("--value", "%0", "--function", "@f"), ([cosine], ""))
        self.assertEqual(ask("--value", "%0", "--all")[0], [sine, cosine])
        self.assertEqual(ask("--value", "model.py:31"), ([sine], ""))
        self.assertEqual(ask("--value", "@f:%0"), ([cosine], ""))
        self.assertEqual(ask("--value", "embed"), ([sine], ""))
        self.assertEqual(ask("--value", "model.py:40:20")[0], ["%3: tensor<8xf32>, stablehlo.sine at model.py:40 (head), in @main"])
        self.assertEqual(ask("--value", "model.py:40"), ([], "-: error: several values are called model.py:40\nnote: @main:%2\nnote: @main:%3\n"
                                                             "note: --all explains each of them\n"))
        self.assertEqual(len(ask("--value", "head", "--all")[0]), 2)
        self.assertTrue(ask("--value", "model.py:33")[1].startswith("-: error: no such value: model.py:33\n"))


class Ranking(unittest.TestCase):
    """Three layers alike; the first one's reshard is shared by the others."""
    TEXT = """sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %z: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s0 = stablehlo.subtract %x, %y : tensor<8x8xf32>
  %t0 = sdy.sharding_constraint %s0 <@mesh, [{"a"}, {}]> : tensor<8x8xf32>
  %s1 = stablehlo.subtract %t0, %y : tensor<8x8xf32>
  %t1 = sdy.sharding_constraint %s1 <@mesh, [{"a"}, {}]> : tensor<8x8xf32>
  %s2 = stablehlo.subtract %t1, %y : tensor<8x8xf32>
  %t2 = sdy.sharding_constraint %s2 <@mesh, [{"a"}, {}]> : tensor<8x8xf32>
  return %t2 : tensor<8x8xf32>
}
"""

    def ask(self, *options):
        done = shardy("explain", "-", *options, text=self.TEXT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_what_costs_comes_first_and_layers_are_folded(self):
        messages = self.ask()
        conflicts = re.findall(r"^conflict: .* at (\d+):9, factor (\w)", messages, re.MULTILINE)
        self.assertEqual(conflicts, [("3", "j"), ("3", "i"), ("5", "j"), ("5", "i")])
        self.assertIn("  leads to: spmd.all_to_all {\"a\"} of tensor<8x4xf32>, 64 bytes\n", messages.partition(", factor i:")[0])
        self.assertIn("  and 3 more like it at 7:9\n", messages)
        self.assertRegex(messages, r"384 +3  along \"b\": %s0: tensor<8x8xf32>, stablehlo.subtract at 3:9: no tensor of its def or its users has it")
        self.assertRegex(messages, r"256 +1  along \"a\", \"b\": %z: tensor<8x8xf32>: ")

    def test_filters(self):
        self.assertNotIn("replicated where", self.ask("--conflicts"))
        self.assertIn("factor j", self.ask("--conflicts", "--axis", "a"))
        self.assertEqual(self.ask("--conflicts", "--axis", "b"), "no conflicts match the options\n")
        self.assertNotIn("at 3:9", self.ask("--conflicts", "--line", "5:9").replace("at 7:9", ""))
        self.assertNotIn("%z", self.ask("--line", "5"))
        self.assertNotIn("\"b\"", self.ask("--axis", "a").partition("replicated where")[2])
        self.assertIn("  ... 3 more; --top=4 shows all\n", self.ask("--conflicts", "--top", "1"))
        self.assertEqual(len(json.loads(self.ask("--json", "--top", "1"))["conflicts"]), 9)
        done = shardy("explain", "-", "--axis", "z", text=self.TEXT)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", "-: error: no such axis: z\nnote: axes: a, b\n"))

    def test_values_list_axes_of_replication(self):
        self.assertIn("  replicated along \"b\": no tensor of its def or its users has it\n", self.ask("--value", "%s0"))
        self.assertIn("  replicated along \"a\": ", self.ask("--value", "%z"))

    def test_a_result_has_the_alternatives_that_its_op_lost(self):
        text = """sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x8xf32> {
  %c = stablehlo.add %a, %b : tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}
"""
        shown = shardy("explain", "-", "--value", "%c", text=text).stdout
        for operand, factor, winner in ("%a", "j", "i"), ("%b", "i", "j"):
            self.assertIn(f'  also possible: "x" along factor {factor} in {operand}; lost because: factor {winner} in {operand} has it, annotation', shown)
        found = json.loads(shardy("explain", "-", "--value", "%c", "--json", text=text).stdout)["conflicts"]
        self.assertEqual([each["results"] for each in found], [["%c"]] * 3)
        self.assertEqual({each["target"] for each in found}, {"%a", "%b", "%c"})
        self.assertNotIn("also possible", shardy("explain", "-", "--value", "%a", text=text).stdout)

    def test_a_program_that_does_not_compile_has_no_collectives(self):
        text = self.TEXT.replace("  return", "  %e = stablehlo.custom_call @what(%t2) : (tensor<8x8xf32>) -> tensor<8x8xf32>\n  return")
        done = shardy("explain", "-", "--conflicts", text=text)
        self.assertEqual(done.returncode, 0)
        if "leads to" not in done.stdout:
            self.assertIn("note: collectives are not known, as the program does not compile: ", done.stderr)


class Golden(unittest.TestCase):
    maxDiff = None

    def test_reports(self):
        programs = sorted([*FOLDER.glob("*.mlir"), *FOLDER.glob("*.json")])
        self.assertGreaterEqual(len(programs), 6)
        for program in programs:
            expected = program.with_suffix(".out")
            title = expected.read_text().partition("\n")[0]
            self.assertTrue(title.startswith("# "), f"{expected.name}: the first line is not a title")
            out = f"{title}\n{golden(program)}"
            if "--approve" in sys.argv:
                expected.write_text(out)
            with self.subTest(program.name):
                self.assertMultiLineEqual(out, expected.read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
