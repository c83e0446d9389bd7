#!/usr/bin/env python3
"""Every program named on the command line is an instance of the schema: schema_test.py SCHEMA PROGRAM..."""
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.validators.validator_for(schema).check_schema(schema)
for path in sys.argv[2:]:
    jsonschema.validate(json.load(open(path, encoding="utf-8")), schema)
try:  # a check that cannot fail is none
    jsonschema.validate({"shardy": 1, "function": []}, schema)
except jsonschema.ValidationError:
    print(len(sys.argv) - 2, "programs are valid")
else:
    sys.exit("the schema accepts an unknown key")
