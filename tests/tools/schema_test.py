#!/usr/bin/env python3
"""The schema and the reader agree: schema_test.py SCHEMA SHARDY PROGRAM...

The programs named are instances of the schema; what is wrong by docs/json.md is refused by both, what is right by none.
"""
import json
import pathlib
import subprocess
import sys
import unittest

import jsonschema

SCHEMA = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
SHARDY = sys.argv[2]
PROGRAMS = sys.argv[3:]
VALIDATOR = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)

GATHER = {"dimension_numbers": {"offset_dims": [1], "collapsed_slice_dims": [0], "start_index_map": [0],
                                "index_vector_dim": 1}, "slice_sizes": [1, 5]}
CONVOLUTION = {"batch_group_count": 1, "feature_group_count": 1,
               "dimension_numbers": {"input_batch": 0, "input_feature": 2, "input_spatial": [1],
                                     "kernel_input_feature": 1, "kernel_output_feature": 2, "kernel_spatial": [0],
                                     "output_batch": 0, "output_feature": 2, "output_spatial": [1]}}
DOT = {"dot_dimension_numbers": {"lhs_contracting": [1], "rhs_contracting": [0]}}


def program(op, args):
    return {"shardy": 1, "functions": [{"name": "main", "args": args, "body": [{"name": "r", **op}], "return": ["r"]}]}


def gather(**changes):
    return program({"op": "gather", "operands": ["arg0", "arg1"], "attributes": {**GATHER, **changes}},
                   ["f32[4,5]", "i64[2,1]"])


def convolution(**changes):
    return program({"op": "convolution", "operands": ["arg0", "arg1"], "attributes": {**CONVOLUTION, **changes}},
                   ["f32[1,8,1]", "f32[3,1,1]"])


def dot(**changes):
    return program({"op": "dot_general", "operands": ["arg0", "arg1"], "attributes": DOT, **changes},
                   ["f32[4,5]", "f32[5,6]"])


def unary(op, **changes):
    return program({"op": op, "operands": ["arg0"], **changes}, ["f32[4,5]"])


def without(attributes, name):
    return {key: value for key, value in attributes.items() if key != name}


RIGHT = {
    "gather": gather(),
    "gather with tags": gather(slice_sizes={"array": [1, 5], "type": "i64"},
                               dimension_numbers={"gather": GATHER["dimension_numbers"]}),
    "convolution": convolution(window_strides=[1], window_reversal=[False], padding=[[0, 0]]),
    "convolution with tags": convolution(padding={"dense": [[0, 0]], "type": "i64[1,2]"}),
    "replica groups": program({"op": "all_gather", "operands": ["arg0"], "type": "f32[4]",
                               "attributes": {"all_gather_dim": 0, "replica_groups": [[0], [1]]}}, ["f32[4]"]),
    "an attribute of another dialect": unary("negate", attributes={"my.note": 1}),
    "an attribute taken literally": unary("negate", attributes={".note": 1}),
    "dot_general without type": dot(),
    "dot_general with type": dot(type="f32[4,6]"),
    "words in a list": dot(attributes={**DOT, "precision_config": ["HIGH", "DEFAULT"]}),
    "an unknown op": unary("foreign.op", type="f32[4,5]"),
    "a name taken literally": unary(".tanh", type="f32[4,5]"),
    "a sharding in its own key": {**unary("sdy.reshard", sharding=["x", None]), "meshes": {"m": {"x": 2}}},
    "a tensor of another dialect": unary("foreign.op", type="!foreign.type<a>"),
    "a tuple": unary("tuple", type="tuple<tensor<4x5xf32>>"),
}
WRONG = {
    "an unknown key of a program": {"shardy": 1, "function": []},
    "an unknown key of gather": gather(dimension_numbers={"offset_dim": [1]}),
    "a key of gather in scatter": program(
        {"op": "scatter", "operands": ["arg0"], "attributes": {"scatter_dimension_numbers": {"offset_dims": [1]}}},
        ["f32[4]"]),
    "an unknown key of convolution": convolution(dimension_numbers={"input_batch_dimension": 0}),
    "a convolution without its keys": program({"op": "convolution", "operands": ["arg0", "arg1"]},
                                              ["f32[1,8,1]", "f32[3,1,1]"]),
    "a convolution without dims": program({"op": "convolution", "operands": ["arg0", "arg1"],
                                           "attributes": without(CONVOLUTION, "dimension_numbers")},
                                          ["f32[1,8,1]", "f32[3,1,1]"]),
    "a convolution without groups": program({"op": "convolution", "operands": ["arg0", "arg1"],
                                             "attributes": without(CONVOLUTION, "feature_group_count")},
                                            ["f32[1,8,1]", "f32[3,1,1]"]),
    "padding that is not a list of pairs": convolution(padding=[[0, 0, 0]]),
    "padding in one list": convolution(padding=[0, 0]),
    "a misspelled attribute": gather(slice_size=[1, 5]),
    "an attribute of an op that has none": unary("negate", attributes={"dimensions": [0]}),
    "a list where convolution has a dim": convolution(
        dimension_numbers={**CONVOLUTION["dimension_numbers"], "input_batch": [0]}),
    "slice_sizes that are not a list": gather(slice_sizes=5),
    "slice_sizes of no integers": gather(slice_sizes=[1.5, 5]),
    "slice_sizes as a list attribute": gather(slice_sizes={"list": [1, 5]}),
    "no slice_sizes": program({"op": "gather", "operands": ["arg0", "arg1"],
                               "attributes": without(GATHER, "slice_sizes")}, ["f32[4,5]", "i64[2,1]"]),
    "no attributes": unary("transpose"),
    "convolution dims in a dot": dot(attributes={"dot_dimension_numbers": {"input_batch": 0}}),
    "an unknown word": program({"op": "compare", "operands": ["arg0", "arg0"],
                                "attributes": {"comparison_direction": "LESS"}}, ["f32[4]"]),
    "an unknown word in a list": dot(attributes={**DOT, "precision_config": ["HI"]}),
    "no type where it is a choice": unary("reshape"),
    "no type of an unknown op": unary("foreign.op"),
    "an unknown op of StableHLO": unary("nagate"),
    "an unknown type": program({"op": "negate", "operands": ["arg0"]}, ["x"]),
    "an unknown element type": program({"op": "negate", "operands": ["arg0"]}, ["f33[4]"]),
    "a boolean for a number": program({"op": "concatenate", "operands": ["arg0"], "attributes": {"dimension": True}},
                                      ["f32[4]"]),
    "a number for a name": unary("custom_call", type="f32[4,5]", attributes={"call_target_name": 3}),
    "a function as an op": {"shardy": 1, "body": [{"op": "func.func", "results": []}]},
}


def reads(value):
    done = subprocess.run([SHARDY, "convert", "-"], input=json.dumps(value), capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stderr


class Schema(unittest.TestCase):
    def test_it_is_a_schema(self):
        type(VALIDATOR).check_schema(SCHEMA)

    def test_programs_are_instances(self):
        for path in PROGRAMS:
            with self.subTest(path):
                VALIDATOR.validate(json.loads(pathlib.Path(path).read_text(encoding="utf-8")))

    def test_what_is_right_is_taken_by_both(self):
        for name, value in RIGHT.items():
            with self.subTest(name):
                done, errors = reads(value)
                self.assertTrue(done, errors)
                VALIDATOR.validate(value)

    def test_what_is_wrong_is_refused_by_both(self):
        for name, value in WRONG.items():
            with self.subTest(name):
                self.assertFalse(VALIDATOR.is_valid(value), "the schema accepts it")
                self.assertFalse(reads(value)[0], "the reader accepts it")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
