#!/usr/bin/env python3
"""Writes the tables of ops in the documents: op_docs.py SHARDY [--check], from the root of the project.

`SHARDY op-list` lists the ops. From it are made the table of ops in docs/json.md, between its two marks, and in
docs/shardy.schema.json the definitions `knownOp` and `opRules`. With --check nothing is written; what differs is an error.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/json.md"
SCHEMA = ROOT / "docs/shardy.schema.json"
BEGIN = "<!-- ops: made by scripts/op_docs.py -->\n"
END = "<!-- end of ops -->\n"
DEFAULT_DIALECT = "stablehlo."
WIDTH = 120
# Kinds of attributes except numbers: their description in the page, and the definition of the schema.
KINDS = {
    "any": ("an [attribute](#attributes)", "attribute"),
    "bool": ("`true` or `false`", "booleanValue"),
    "unit": ("`true`", "unitValue"),
    "string": ("string", "stringValue"),
    "at": ("string", "stringValue"),
    "symbol": ("symbol", "symbolValue"),
    "enum": None,
    "i32enum": None,
    "words": None,
    "array": ("integers", "arrayValue"),
    "bools": ("booleans", "booleansValue"),
    "list": ("list", "listValue"),
    "dict": ("[dict](#attributes)", "dictValue"),
    "literal": ("[elements](#literals)", "literalValue"),
    "pairs": ("pairs", "pairsValue"),
    "groups": ("lists of integers", "rowsValue"),
    "opaque": ("[opaque](#attributes)", "opaqueValue"),
    "algorithm": ("[opaque](#attributes)", "opaqueValue"),
    "dot": ("[dims](#dims-by-name)", "dotValue"),
    "ragged_dot": ("[dims](#dims-by-name)", "raggedDotValue"),
    "gather": ("[dims](#dims-by-name)", "gatherValue"),
    "scatter": ("[dims](#dims-by-name)", "scatterValue"),
    "conv": ("[dims](#dims-by-name)", "convolutionValue"),
    "mesh": ("[mesh](#meshes)", "meshValue"),
    "sharding": ("[sharding](#shardings)", "shardingValue"),
    "shardings": ("[shardings](#shardings)", "shardingsValue"),
    "axes": ("axes", "axesValue"),
    "axeslists": ("lists of axes", "axesListsValue"),
    "alltoall": ("`axes`, `source`, `target`", "allToAllValue"),
    "manual": ("names of axes", "manualAxesValue"),
    "permute": ("[permute map](#attributes)", "permuteValue"),
}
# In the key "sharding" of the op as well.
SHARDING_KEYS = ("sharding", "out_sharding")
# Attributes of other dialects, of any op, and of the text of a program.
FOREIGN_KEYS = r"\.|^\$|egmentSizes$|_segment_sizes$"
# Their attributes are not listed.
OPEN_OPS = ("builtin.module", "chlo.scan", "func.func")


def read_ops(shardy):
    """[{"name", "operands", "results", "regions", "given", "attributes"}] in the order of the library."""
    ops = []
    text = subprocess.run([shardy, "op-list"], check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        cells = line.split("\t")
        if cells[0]:
            ops.append({**dict(zip(("name", "operands", "results", "regions", "given"), cells)), "attributes": []})
        else:
            ops[-1]["attributes"].append(
                dict(zip(("name", "kind", "enum", "words", "required", "default"), cells[1:])))
    return ops


def kind_of(attribute):
    """Description in the page, and the definition of the schema; None for words."""
    if re.fullmatch(r"u?i\d+", attribute["kind"]):
        return ("integer", "integerValue")
    if re.fullmatch(r"b?f\d+", attribute["kind"]):
        return ("number", "floatValue")
    return KINDS[attribute["kind"]]


def spellings(name):
    return [name, name.removeprefix(DEFAULT_DIALECT)] if name.startswith(DEFAULT_DIALECT) else [name]


# ---- The page ----------------------------------------------------------------------------------------------------------


def attribute_text(attribute):
    words = " ".join(f"`{word}`" for word in attribute["words"].split())
    kind = kind_of(attribute)
    text = kind[0] if kind else ("list of " if attribute["kind"] == "words" else "") + words
    return f"`{attribute['name']}`{'' if attribute['required'] else '?'}: {text}"


def names_text(names):
    """`inputs+` is one or more, `operands*` any number."""
    return " ".join(f"`{name.rstrip('+*')}`{'...' if name[-1] in '+*' else ''}" for name in names.split())


def rows_of(ops):
    """Ops that have everything in common share a row."""
    rows = {}
    for op in ops:
        if op["name"] in ("builtin.module", "func.func", "sdy.mesh"):
            continue  # not among the ops of JSON
        attributes = "; ".join(attribute_text(each) for each in op["attributes"])
        cells = (names_text(op["operands"]), names_text(op["results"]) + (" (typed)" if op["given"] else ""),
                 names_text(op["regions"]), attributes)
        rows.setdefault((op["name"].split(".")[0], cells), []).append(spellings(op["name"])[-1])
    return rows


def page_table(ops):
    lines = ["| op | operands | results | regions | attributes |", "| --- | --- | --- | --- | --- |"]
    for (_, cells), names in sorted(rows_of(ops).items(), key=lambda row: (row[0][0] != "stablehlo", row[0][0], row[1])):
        lines.append("| " + " | ".join([", ".join(f"`{name}`" for name in sorted(names)), *cells]) + " |")
    return "\n".join(line.replace("|  |", "| |").replace("|  |", "| |") for line in lines) + "\n"


def new_page(ops):
    text = PAGE.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    return head + BEGIN + page_table(ops) + END + rest.split(END)[1]


# ---- The schema --------------------------------------------------------------------------------------------------------


def tagged(tag):
    return {"allOf": [{"$ref": "#/$defs/tagged"}, {"required": [tag]}]}


def attribute_schema(attribute):
    kind = kind_of(attribute)
    if kind:
        return {"$ref": f"#/$defs/{kind[1]}"}
    word = {"anyOf": [{"enum": attribute["words"].split()}, tagged("enum")]}
    return {"anyOf": [{"type": "array", "items": word}, tagged("list")]} if attribute["kind"] == "words" else word


def attributes_schema(op):
    names = [each["name"] for each in op["attributes"] if each["required"] and each["name"] not in SHARDING_KEYS]
    attributes = {"properties": {each["name"]: attribute_schema(each) for each in op["attributes"]},
                  "patternProperties": {FOREIGN_KEYS: True}, "additionalProperties": False}
    if not names:
        return {"properties": {"attributes": attributes}}
    return {"required": ["attributes"], "properties": {"attributes": {**attributes, "required": names}}}


def op_rules(ops):
    rules = {}
    for op in ops:
        if op["name"] not in OPEN_OPS:
            then = attributes_schema(op)
            rules.setdefault(json.dumps(then), (then, []))[1].extend(spellings(op["name"]))
    given = [spelled for op in ops if op["given"] for spelled in spellings(op["name"])]
    typed = {"anyOf": [{"required": ["type"]}, {"required": ["results"]}]}
    return [*({"if": {"properties": {"op": {"enum": names}}}, "then": then} for then, names in rules.values()),
            {"if": {"properties": {"op": {"enum": given}}}, "then": typed},
            {"if": {"not": {"properties": {"op": {"$ref": "#/$defs/knownOp"}}}},
             "then": {**typed, "properties": {"op": {"pattern": "\\.", "not": {"const": "func.func"}}}}}]


def new_schema(ops):
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    schema["$defs"]["knownOp"]["enum"] = sorted(
        spelled for op in ops if op["name"] != "func.func" for spelled in spellings(op["name"]))
    schema["$defs"]["opRules"]["allOf"] = op_rules(ops)
    return json_text(schema, 0, 0) + "\n"


def json_text(value, indent, used):
    """On one line if it fits after `used` characters, else one member a line; plain lists fill their lines."""
    line = json.dumps(value)
    if not isinstance(value, (dict, list)) or used + len(line) + 1 <= WIDTH:
        return line
    blanks = " " * (indent + 2)
    if isinstance(value, dict):
        keys = [f"{blanks}{json.dumps(key)}: " for key in value]
        members = [key + json_text(each, indent + 2, len(key)) for key, each in zip(keys, value.values())]
        return "{\n" + ",\n".join(members) + "\n" + " " * indent + "}"
    if all(isinstance(each, str) for each in value):
        return "[\n" + filled([json.dumps(each) for each in value], blanks) + "\n" + " " * indent + "]"
    members = [blanks + json_text(each, indent + 2, indent + 2) for each in value]
    return "[\n" + ",\n".join(members) + "\n" + " " * indent + "]"


def filled(words, blanks):
    lines = [blanks + words[0]]
    for word in words[1:]:
        if len(lines[-1]) + len(word) + 3 <= WIDTH:
            lines[-1] += ", " + word
        else:
            lines[-1] += ","
            lines.append(blanks + word)
    return "\n".join(lines)


def main():
    ops = read_ops(sys.argv[1])
    stale = []
    for path, text in ((PAGE, new_page(ops)), (SCHEMA, new_schema(ops))):
        if path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.relative_to(ROOT))
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
    for path in stale if "--check" in sys.argv else []:
        print(f"{path}: not what scripts/op_docs.py makes of the definitions of ops")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
