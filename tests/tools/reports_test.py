#!/usr/bin/env python3
"""Reports in JSON follow docs/reports.schema.json.

usage: reports_test.py SHARDY PROJECT
"""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema

SHARDY, PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
SCHEMA = json.loads((PROJECT / "docs/reports.schema.json").read_text(encoding="utf-8"))
OPEN = ("/collectives", "/axis_bytes")  # their keys are names
EXAMPLES = PROJECT / "examples"
PLAIN = """func.func @main() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


def report_of(*arguments, text=None):
    done = subprocess.run([SHARDY, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=300, check=False)
    return json.loads(done.stdout)


def validator(kind):
    schema = {"$schema": SCHEMA["$schema"], "$defs": SCHEMA["$defs"], "$ref": "#/$defs/" + kind}
    return jsonschema.validators.validator_for(SCHEMA)(schema)


def samples():
    """A report and more of each kind but `mpi_run`, which mpi_test.py compares."""
    programs = [EXAMPLES / name for name in ("mlp.json", "transformer.json", "moe.json", "jax/transformer_sdy.mlir")]
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            yield "run", report_of("run", program, "--check", "--json")
            yield "run", report_of("run", program, "--json")
            yield "interpret", report_of("run", program, "--reference", "--json")
            yield "partition", report_of("partition", program, "--json", "-o", f"{folder}/out.mlir")
            yield "report", report_of("report", program, "--json", "--why", "--memory")
            yield "report", report_of("report", program, "--json")
            yield "diff", report_of("diff", program, programs[0], "--json")
            yield "explain", report_of("explain", program, "--all", "--json")
            yield "hints", report_of("hints", program, "--tries", "10", "--json")
        for program in programs[0], EXAMPLES / "jax/fsdp_sdy.mlir":
            yield "autoshard", report_of("autoshard", program, "--effort", "20", "--json")
        report_of("autoshard", programs[0], "--effort", "20", "--export-problem", f"{folder}/problem.json", "--json")
        yield "autoshard_problem", report_of("autoshard", "--problem", f"{folder}/problem.json", "--json")
        yield "autoshard_front", report_of("autoshard", programs[0], "--front", "2", "--effort", "20", "--json")
        yield "check", report_of("check", programs[0], "--cases", "3", "--json")
        yield "check", report_of("check", "-", "--cases", "2", "--json", text=PLAIN)
        yield "interpret", report_of("run", "-", "--json", text=PLAIN)
        yield "show", report_of("show", programs[0], "--value", "%0", "--json")
        yield "show", report_of("show", "--mesh", '<["x"=2]>', "--shape", "4", "--sharding", "P('x')", "--json")
        yield "reshard", report_of("reshard", "--mesh", '<["x"=2]>', "--shape", "4xf32", "--from", "P('x')", "--to", "P()", "--json")
        for command in "run", "check", "report", "diff", "explain", "hints", "autoshard":
            yield "refusal", report_of(command, "-", "--json", text="func.func")


KINDS = {reference["$ref"].split("/")[-1] for reference in SCHEMA["oneOf"]}


def nodes(value, path=""):
    """The objects in a value, with their paths, innermost first."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from nodes(child, f"{path}/{key}")
    if isinstance(value, dict):
        yield path, value


class Reports(unittest.TestCase):
    def test_it_is_a_schema(self):
        type(validator("run")).check_schema(SCHEMA)

    def test_each_report_names_its_definition_and_is_an_instance(self):
        kinds = set()
        for kind, report in samples():
            kinds.add(kind)
            with self.subTest(kind):
                self.assertEqual(list(report)[:2], ["schema", "schema_version"])
                self.assertEqual((report["schema"], report["schema_version"]), (f"reports.schema.json#/$defs/{kind}", 1))
                validator(kind).validate(report)
        self.assertEqual(kinds | {"mpi_run"}, KINDS)

    def test_pages_and_expected_output_hold_instances(self):
        found = 0
        for page in [*(PROJECT / "docs").rglob("*.md"), *(PROJECT / "tests/tools").rglob("*.out")]:
            text = page.read_text(encoding="utf-8")
            for start in re.finditer(r"^\{\s*\"schema\": \"reports", text, re.MULTILINE):
                report = json.JSONDecoder().raw_decode(text, start.start())[0]
                found += 1
                with self.subTest(page=page.name, at=start.start()):
                    jsonschema.validators.validator_for(SCHEMA)(SCHEMA).validate(report)
        self.assertGreater(found, 10)

    def test_each_object_is_closed_and_each_list_has_a_type(self):
        for path, node in nodes(SCHEMA["$defs"]):
            with self.subTest(path):
                if "properties" in node:
                    self.assertIs(node["additionalProperties"], False)
                    self.assertTrue(node["required"])
                if node.get("type") == "object":
                    self.assertTrue("properties" in node or isinstance(node["additionalProperties"], dict))
                if node.get("type") == "array":
                    self.assertIn("items", node)

    def test_no_report_is_one_with_an_unknown_member(self):
        for kind, report in samples():
            for path, value in nodes(report):
                if not value or path.endswith(OPEN):
                    continue
                value["unknown member"] = None
                with self.subTest(kind, path=path):
                    self.assertFalse(validator(kind).is_valid(report))
                del value["unknown member"]
                break

    def test_no_report_is_one_without_a_member_or_with_another_type(self):
        seen = set()
        for kind, report in samples():
            if kind in seen:
                continue
            seen.add(kind)
            for name in SCHEMA["$defs"][kind]["required"]:
                for change in "missing", "type":
                    wrong = copy.deepcopy(report)
                    if change == "missing":
                        del wrong[name]
                    else:
                        wrong[name] = {"of": "no member"} if not isinstance(report[name], dict) else 3
                    with self.subTest(kind, name=name, change=change):
                        self.assertFalse(validator(kind).is_valid(wrong))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
