#!/usr/bin/env python3
"""The document of `shardy view` against the reports of the other commands, on all examples.

view_document_test.py SHARDY ROOT
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

import programs

try:
    import jsonschema
except ImportError:  # Debian's python3-jsonschema
    jsonschema = None

SHARDY, ROOT = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
EXAMPLES = sorted(path for path in (ROOT / "examples").rglob("*") if path.suffix in (".json", ".mlir"))
TWO = ['%arg0=[{"fsdp"}, {}]', "%arg0=[{}, {}]"]
FSDP = ROOT / "examples/jax/fsdp_sdy.mlir"


def shardy(*arguments, **options):
    return subprocess.run([SHARDY, *map(str, arguments)], capture_output=True, text=True, check=False, **options)


def json_of(*arguments):
    done = shardy(*arguments, "--json") if arguments[0] != "view" else shardy(*arguments, "--format=json")
    return json.loads(done.stdout) if done.returncode in (0, 1) and done.stdout else None


class Document:
    """A document of a program, with its columns as rows."""

    def __init__(self, data):
        self.data, self.strings = data, data["strings"]

    def rows(self, table, row, key, begin=None):
        offsets = table[begin or key + "_begin"]
        return table[key][offsets[row]:offsets[row + 1]] if key in table else range(offsets[row], offsets[row + 1])

    def sharding(self, number):
        return None if number < 0 else self.data["shardings"][number]["text"]

    def decision(self, number):
        """As explain --json prints it."""
        table = self.data["explain"]["decisions"]
        get = lambda name: table[name][number]
        text = lambda name: self.strings[get(name)]
        kind = ["step", "group", "import", "annotation"][get("kind")]
        if kind == "annotation":
            return {"kind": kind, "axis": text("axis"), "value": text("from")}
        if kind == "import":
            return {"kind": kind, "axis": text("axis"), "value": text("to"), "from": text("from")}
        if kind == "group":
            return {"kind": kind, "step": get("step"), "axis": text("axis"), "from": text("from")}
        return {"kind": kind, "step": get("step"), "op": text("op"), "location": text("location"), "factor": text("factor"),
                "axis": text("axis"), "direction": text("direction"), "from": text("from"), "strategy": text("strategy"),
                "user_priority": get("user_priority"), "level": get("level")}

    def chain(self, last):
        chain = []
        while last >= 0:
            chain.append(self.decision(last))
            last = self.data["explain"]["decisions"]["previous"][last]
        return chain

    def after_step(self, step):
        """The sharding of each row of explain.values."""
        steps = self.data["steps"]
        now = list(steps["start"])
        for index, number in enumerate(steps["number"]):
            if number > step:
                break
            for change in range(steps["change_begin"][index], steps["change_begin"][index + 1]):
                now[steps["change"]["row"][change]] = steps["change"]["after"][change]
        return [self.sharding(number) for number in now]

    def cells(self, layout):
        """{indices of a shard: (elements, devices)} of a picture that is not grouped."""
        ids = self.data["head"]["meshes"][layout["mesh"]]["device_ids"]
        cells = {(): ([], 0)}
        for dim in layout["dims"]:
            assert dim["shards_per_cell"] == 1
            cells = {(*indices, cell): (elements + [[dim["begin"][cell], dim["end"][cell]]], at + dim["at"][cell])
                     for indices, (elements, at) in cells.items() for cell in range(dim["cells"])}
        positions = lambda at: [at + replica + summand for replica in layout["replica_at"] for summand in layout["summand_at"]]
        return {indices: (elements, [ids[each] if ids else each for each in positions(at)])
                for indices, (elements, at) in cells.items()}


def agrees(chain, printed):
    """Checks whether a chain is the printed one, which may refer to another value at its end."""
    last = printed[-1] if printed else {}
    if last.get("kind") != "elsewhere":
        return chain == printed
    length = len(printed) - 1
    return chain[:length] == printed[:length] and chain[length].get("step") == last["step"]


class DocumentTest(unittest.TestCase):
    def each_example(self):
        found = 0
        for path in EXAMPLES:
            done = shardy("view", path, "--format=json")
            if done.returncode != 0:
                self.assertNotEqual(shardy("report", path).returncode, 0, f"{path}: {done.stderr}")
                continue
            found += 1
            with self.subTest(path.name):
                yield path, Document(json.loads(done.stdout))
        self.assertGreater(found, 10)

    def test_documents_fit_their_schema(self):
        if jsonschema is None:
            self.skipTest("python3-jsonschema is missing")
        schema = json.loads((ROOT / "docs/view.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        for _, document in self.each_example():
            jsonschema.validate(document.data, schema)
        jsonschema.validate(json_of("view", FSDP, "--hints"), schema)
        jsonschema.validate(json_of("view", FSDP, "--after", TWO[1]), schema)

    def test_report_is_that_of_report(self):
        for path, document in self.each_example():
            report = json_of("report", path)
            self.assertEqual(document.data["report"], report)
            totals = {row["id"]: row for row in document.data["head"]["totals"]}
            lines = dict(re.match(r"(.{24})(.*)", line).groups() for line in shardy("report", path).stdout.split("\n\n")[0].splitlines())
            for row in document.data["head"]["totals"][:7]:
                self.assertEqual(lines[row["label"].ljust(24)], row["text"])
            self.assertEqual(totals["bytes"]["value"], report["bytes"])
            self.assertEqual(totals["collectives"]["value"], report["collectives_run"])
            self.assertEqual(totals["seconds"]["value"], report["modelled_seconds"])
            self.assertEqual(totals["peak"]["value"], report["peak"]["bytes"])
            self.assertEqual(totals["useful"]["value"], report["efficiency"])
            memory = document.data["memory"]
            if memory["bytes"]:
                self.assertEqual(max(memory["bytes"]), report["peak"]["bytes"])
                self.assertEqual(memory["bytes"][memory["peak"]], report["peak"]["bytes"])

    def test_collectives_are_attributed_to_ops(self):
        for _, document in self.each_example():
            rows, links = document.data["report"]["collectives"], document.data["collectives"]
            nodes = document.data["nodes"]
            roots = [number for number, parent in enumerate(nodes["parent"]) if parent < 0]
            known = [number for number, node in enumerate(links["node"]) if node >= 0]
            self.assertEqual(sum(nodes["bytes"][root] for root in roots),
                             sum(rows[number]["bytes"] * rows[number]["times"] for number in known))
            for number in known:
                self.assertEqual(document.strings[nodes["location"][links["node"][number]]], rows[number]["location"])

    def test_chains_are_those_of_explain(self):
        for path, document in self.each_example():
            explained = json_of("explain", path, "--all")
            table = document.data["explain"]
            self.assertEqual(table["conflicts"], explained["conflicts"])
            self.assertEqual(table["missing_rules"], explained["missing_rules"])
            self.assertEqual(len(table["values"]["value"]), len(explained["values"]))
            for row, value in enumerate(explained["values"]):
                self.assertEqual(document.strings[table["values"]["after"][row]], value["after"] or "")
                self.assertEqual(document.strings[table["values"]["before"][row]], value["before"] or "")
                number = table["values"]["value"][row]
                self.assertEqual(document.strings[document.data["values"]["name"][number]], value["name"])
                axes = range(table["values"]["axis_begin"][row], table["values"]["axis_begin"][row + 1])
                self.assertEqual(len(axes), len(value["axes"]))
                for axis, wanted in zip(axes, value["axes"]):
                    self.assertEqual(document.strings[table["axes"]["axis"][axis]], wanted["axis"])
                    chain = document.chain(table["axes"]["last"][axis])
                    self.assertTrue(agrees(chain, wanted["chain"]), (value["name"], chain, wanted["chain"]))

    def test_a_value_asked_for_by_its_name_has_the_chain_of_explain(self):
        data = json_of("view", ROOT / "examples/mlp.json")
        document = Document(data)
        asked = 0
        for number, ask in enumerate(data["values"]["ask"]):
            if data["values"]["kind"][number] == 2 or not document.rows(data["values"], number, "explain"):
                continue
            explained = json_of("explain", ROOT / "examples/mlp.json", "--value", document.strings[ask])
            row = document.rows(data["values"], number, "explain")[0]
            table = data["explain"]
            chains = [document.chain(table["axes"]["last"][axis])
                      for axis in range(table["values"]["axis_begin"][row], table["values"]["axis_begin"][row + 1])]
            for chain, axis in zip(chains, explained["values"][0]["axes"], strict=True):
                self.assertTrue(agrees(chain, axis["chain"]), (chain, axis["chain"]))
            asked += 1
        self.assertGreater(asked, 5)

    def test_pictures_are_those_of_show(self):
        generator = random.Random(1)
        for path, document in self.each_example():
            values = document.data["values"]
            shown = [number for number in range(len(values["name"])) if values["sharding"][number] >= 0 and values["layout"][number] >= 0
                     and values["kind"][number] != 2]
            for number in generator.sample(shown, min(len(shown), 4)):
                ask = document.strings[values["ask"][number]]
                show = json_of("show", path, "--value", ask)
                layout = document.data["layouts"][values["layout"][number]]
                self.assertIsNotNone(show, f"{path} {ask}")
                row = show["values"][0]
                self.assertEqual(layout["num_shards"], row["num_shards"])
                self.assertEqual(layout["local_shape"], row["local_shape"])
                self.assertEqual((layout["replicas"], layout["summands"]), (row["replicas"], row["summands"]))
                self.assertEqual(layout["text"], row["sharding"])
                cells = document.cells(layout)
                self.assertEqual({tuple(shard["indices"]): (shard["elements"], [holder["device"] for holder in shard["holders"]])
                                  for shard in row["shards"]}, cells)
                text = shardy("show", path, "--value", ask).stdout.splitlines()
                for line in layout["lines"]:
                    self.assertIn(line, text)

    def test_steps_are_those_of_show(self):
        generator = random.Random(2)
        for path, document in self.each_example():
            values, steps = document.data["values"], document.data["steps"]
            shown = [number for number in range(len(values["name"])) if values["sharding"][number] >= 0
                     and values["kind"][number] != 2 and len(document.rows(values, number, "explain")) == 1]
            if not shown or steps["count"] == 0:
                continue
            for step in sorted({0, steps["count"] // 2, steps["count"] - 1}):
                number = generator.choice(shown)
                show = json_of("show", path, "--value", document.strings[values["ask"][number]], "--step", step)
                now = document.after_step(step)[document.rows(values, number, "explain")[0]]
                title = show["values"][0]["title"]
                self.assertIn(now if now is not None else "without a sharding", title)
            final = document.after_step(steps["count"])
            self.assertEqual(final, [document.strings[after] or None for after in document.data["explain"]["values"]["after"]])

    def test_timeline_is_that_of_report(self):
        with tempfile.TemporaryDirectory() as folder:
            for path, document in self.each_example():
                out = pathlib.Path(folder) / "timeline.json"
                self.assertEqual(shardy("report", path, "--timeline", out).returncode, 0)
                events = json.loads(out.read_text())["traceEvents"]
                names = [event["args"]["name"] for event in events if event["ph"] == "M" and event["name"] == "thread_name"]
                timeline = document.data["timeline"]
                self.assertEqual(timeline["rows"], names)
                events = [event for event in events if event["ph"] == "X"]
                self.assertEqual(timeline["ts"], [event["ts"] for event in events])
                self.assertEqual(timeline["dur"], [event["dur"] for event in events])
                self.assertEqual([document.strings[name] for name in timeline["name"]], [event["name"] for event in events])
                self.assertEqual([row + 1 for row in timeline["row"]], [event["tid"] for event in events])
            rates = ["--operations-per-second=1e10", "--memory-bytes-per-second=1e10", "--hide=weights:0.5"]
            self.assertEqual(shardy("report", FSDP, "--timeline", out, *rates).returncode, 0)
            events = [event for event in json.loads(out.read_text())["traceEvents"] if event["ph"] == "X"]
            self.assertEqual(json_of("view", FSDP, *rates)["timeline"]["dur"], [event["dur"] for event in events])

    def test_hints_are_those_of_hints(self):
        data = json_of("view", FSDP, "--hints")
        hints = json_of("hints", FSDP)
        self.assertEqual(data["hints"]["document"], hints)
        self.assertEqual(len(data["hints"]["links"]), len(hints["hints"]))
        text = shardy("hints", FSDP).stdout
        names = [data["strings"][data["values"]["name"][links[0]]] for links in data["hints"]["links"] if links]
        self.assertEqual(names, [hint["value"] for hint, links in zip(hints["hints"], data["hints"]["links"]) if links])
        for patch in data["hints"]["patches"]:
            self.assertIn(patch, text)
        self.assertIsNone(json_of("view", FSDP)["hints"])

    def test_comparisons_are_those_of_diff(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        decoders = [pathlib.Path(folder.name) / name for name in ("bad.mlir", "good.mlir")]
        for path in decoders:
            path.write_text(programs.decoder(layers=4, num_ops=40, bad=path.stem == "bad"))
        for arguments in ([FSDP, ROOT / "tests/tools/report/replicated.mlir"], [FSDP, "--after", TWO[1]], decoders):
            data = json_of("view", *arguments)
            diff = json_of("diff", *arguments)
            self.assertEqual(data["diff"], diff)
            self.assertEqual(data["before"]["report"], json_of("report", arguments[0]))
            rows = [re.match(r"(.{24})(.{20})(.{20})(.{12})$", line).groups()
                    for line in shardy("diff", *arguments).stdout.splitlines()[1:6]]
            self.assertEqual([[row[key] for key in ("label", "before", "after", "change")] for row in data["head"]["rows"]],
                             [[cell.strip() for cell in row] for row in rows])
            self.assertEqual(len(data["pairs"]["before"]), len(data["pairs"]["shardings"]))
            self.assertEqual(data["pairs"]["shardings"], list(range(len(diff["shardings"]))))
            self.assertGreater(len(diff["shardings"]), 0)
            for before, after, index in zip(data["pairs"]["before"], data["pairs"]["after"], data["pairs"]["shardings"]):
                for side, value in (("before", before), ("after", after)):
                    document = Document(data[side])
                    row = diff["shardings"][index]
                    closed = re.sub(r"(, )?\?", "", document.sharding(data[side]["values"]["sharding"][value]) or "")
                    self.assertEqual(closed, row[side])  # the report lists final shardings: without open dims
                    self.assertEqual(document.strings[data[side]["values"]["type"][value]], row["type"])
                    argument = re.match(r"argument (\d+) of @main", row["made_by"])
                    self.assertEqual([data[side]["values"]["kind"][value], data[side]["values"]["number"][value]][:2 if argument else 1],
                                     [1, int(argument[1])] if argument else [0])

    def test_options_of_the_report_are_those_of_report(self):
        options = ["--axis-cost", "fsdp=ring:10GB/s:1us", "--operations-per-second", "1e12", "--memory-bytes-per-second", "1e11", "--why"]
        self.assertEqual(json_of("view", FSDP, *options)["report"], json_of("report", FSDP, *options))

    def test_a_per_device_program_has_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            device = pathlib.Path(folder) / "device.mlir"
            self.assertEqual(shardy("partition", FSDP, "-o", device).returncode, 0)
            data = json_of("view", device)
            self.assertEqual(data["report"], json_of("report", device))
            self.assertTrue(all(node >= 0 for node in data["collectives"]["node"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
