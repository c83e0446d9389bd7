#!/usr/bin/env python3
"""Writes the wrong-call test: scripts/api_calls.py OUT writes OUT/all_headers.hpp, OUT/aggregates.hpp and
OUT/calls_LAYER.cpp.

Each public function is called with arguments that are drawn at random (tests/api/draw.hpp), valid and invalid ones; so a new function cannot be
forgotten. LEFT_OUT lists functions that cannot be called so, each with its reason; TEMPLATES has the arguments of templates.
Ends with 77, which CTest counts as skipped, where clang's bindings are not there.
"""

import pathlib
import re
import sys

import public_functions

LEFT_OUT = {
    "shardy::partitioning::OpLowering": "only a partitioning makes one: tests/partitioning calls it",
    "shardy::ir::FormList": "asked while compiling",
    "shardy::ir::<deduction guide for Field>": "asked while compiling",
    "shardy::set_contract_handler": "the test has the handler for itself",
}

LOOKUP = "[&](std::string_view) { return mesh; }"
SELF = "auto& self = draw.self<{}>(); "
TEMPLATES = {
    "shardy::mesh_of": "auto& a0 = draw.get<UnresolvedSharding>(); auto& mesh = draw.get<std::optional<Mesh>>(); "
                       f"use(shardy::mesh_of(a0, {LOOKUP}));",
    "shardy::prefix_of_parts": "auto& a0 = draw.get<AxisList>(); "
                               "use(shardy::prefix_of_parts(a0, [](const AxisRef& ref) { return std::optional(ref); }));",
    "shardy::resolve_per_value": "auto& a0 = draw.get<std::vector<UnresolvedSharding>>(); auto& a1 = draw.get<std::vector<ValueShape>>(); "
                                 f"auto& mesh = draw.get<std::optional<Mesh>>(); use(shardy::resolve_per_value(a0, a1, {LOOKUP}));",
    "shardy::LimitChecker::may_continue": SELF.format("LimitChecker") + "use(self.may_continue([] { return int64_t{8}; }));",
    "shardy::TensorSharding::for_each_axis": SELF.format("TensorSharding") + "self.for_each_axis([](const AxisRef& ref) { use(ref); });",
    "shardy::TensorSharding::any_axis": SELF.format("TensorSharding") + "use(self.any_axis([](const AxisRef& ref) { return ref.axis > 0; }));",
    "shardy::TensorSharding::any_dim_or_replicated_axis":
        SELF.format("TensorSharding") + "use(self.any_dim_or_replicated_axis([](const AxisRef& ref) { return ref.axis > 0; }));",
    "shardy::checking::Random::pick": "auto& a0 = draw.get<std::vector<int64_t>>(); auto& self = draw.get<checking::Random>(); use(self.pick(a0));",
    "shardy::ir::AttributeMap::get": SELF.format("ir::AttributeMap") + "use(self.get<ir::IntegerAttr>(draw.get<std::string>()) != nullptr);",
    "shardy::ir::AttributeMap::edit": SELF.format("ir::AttributeMap") + "use(self.edit<ir::IntegerAttr>(draw.get<std::string>()) != nullptr);",
    "shardy::ir::Attribute::Attribute": 'use(ir::Attribute(draw.value<TensorSharding>())); use(ir::Attribute("text"));',
    "shardy::ir::Attribute::as": SELF.format("ir::Attribute") + "use(self.as<Mesh>() != nullptr);",
    "shardy::ir::Attribute::edit": SELF.format("ir::Attribute") + "use(self.edit<Mesh>() != nullptr);",
    "shardy::ir::Attribute::visit": SELF.format("ir::Attribute") + "use(self.visit([](const auto& form) { return sizeof(form); }));",
    "shardy::ir::Literal::at": SELF.format("ir::Literal") + "use(self.at<float>(draw.value<int64_t>()));",
    "shardy::ir::Module::attribute": SELF.format("ir::Module") + "auto& a0 = draw.get<ir::OpId>(); auto& a1 = draw.get<std::string>(); "
                                     "use(self.attribute<ir::IntegerAttr>(a0, a1) != nullptr);",
    "shardy::ir::literal_from": "auto& a0 = draw.get<ir::Type>(); auto& a1 = draw.get<std::vector<int64_t>>(); use(ir::literal_from(a0, a1));",
    "shardy::ir::Type::as": SELF.format("ir::Type") + "use(self.as<ir::TensorType>() != nullptr);",
    "shardy::ir::read_view": "use(ir::read_view<ir::ConcatenateOp>(draw.get<ir::AttributeMap>()));",
    "shardy::ir::view": "auto& a0 = draw.get<ir::Module>(); auto& a1 = draw.get<ir::OpId>(); use(ir::view<ir::ConcatenateOp>(a0, a1)); "
                        "use(ir::view<ir::SliceOp>(a0, a1));",
    "shardy::ir::attributes_of": "use(ir::attributes_of(draw.get<ir::ConcatenateOp>()));",
    "shardy::ir::pre_order": "auto& a0 = draw.get<ir::Module>(); auto& a1 = draw.get<ir::BlockId>(); "
                             "use(ir::pre_order(a0, a1, [](ir::OpId) { return true; }));",
    "shardy::ir::post_order": "auto& a0 = draw.get<ir::Module>(); auto& a1 = draw.get<ir::BlockId>(); "
                              "use(ir::post_order(a0, a1, [](ir::OpId) { return true; }));",
    "shardy::rules::OpView::attribute": SELF.format("rules::OpView") + "use(self.attribute<Mesh>(draw.get<std::string>()) != nullptr);",
    "shardy::simulation::Tensor::elements": SELF.format("simulation::Tensor") + "use(self.elements<float>());",
    "shardy::simulation::TensorWriter::elements": SELF.format("simulation::TensorWriter") + "use(self.elements<float>().size());",
    "shardy::checked_product": "use(shardy::checked_product(draw.get<std::vector<int64_t>>()));",
    "shardy::product": "use(shardy::product(draw.get<std::vector<int64_t>>()));",
    "shardy::read_list": "auto& a0 = draw.get<Scanner>(); use(shardy::read_list(a0, draw.get<std::string>(), [&] { return a0.int64().map([](int64_t) {}); }));",
    "shardy::TypedId::TypedId<Tag>": "use(ir::OpId(draw.value<uint32_t>()));",
    "shardy::TypedId::valid": "use(draw.get<ir::OpId>().valid());",
    "shardy::TypedId::index": "use(draw.get<ir::OpId>().index());",
}

# Operators of the language and its library on values: nothing that a caller can get wrong.
PLAIN = {"operator=="}


def base_type(spelling):
    """The type of an object that can be given for a parameter."""
    kind = spelling.strip()
    kind = re.sub(r" ?&&?$", "", kind)
    if kind.startswith("const ") and not kind.endswith("*"):
        kind = kind[len("const "):]
    if kind.endswith("*const"):
        kind = kind[: -len("const")]
    return cpp_type(kind)


def cpp_type(kind):
    return re.sub(r", 18446744073709551615(UL)?", "", kind)


def passed(spelling, name):
    """By reference it is the object itself, else what is moved out of it."""
    if spelling.endswith("&&"):
        return f"std::move({name})"
    return name if spelling.endswith("&") else f"std::move({name})"


def prepared(function):
    """(statements that draw the arguments, the arguments)"""
    statements, arguments = [], []
    for index, (spelling, _) in enumerate(function.parameters):
        items = re.fullmatch(r"std::initializer_list<(.*)>", spelling)
        if items:
            arguments.append("{" + f"draw.value<{items[1]}>(), draw.value<{items[1]}>()" + "}")
            continue
        statements.append(f"auto& a{index} = draw.get<{base_type(spelling)}>();")
        arguments.append(passed(spelling, f"a{index}"))
    return statements, arguments


def call_text(function):
    if function.is_template:
        return TEMPLATES[function.name]
    statements, arguments = prepared(function)
    listed = ", ".join(arguments)
    name = function.name.rsplit("::", 1)[-1]
    if function.kind == "constructor":
        call = f"{function.owner}({listed})" if listed else f"{function.owner}()"
        if f"Values<{function.owner}>" in BEHIND:
            call = f"std::make_unique<{function.owner}>({listed})"
    elif function.kind == "static":
        call = f"{function.owner}::{name}({listed})"
    elif function.owner:
        statements.append(f"auto& self = draw.self<{function.owner}>();")
        object_text = "std::as_const(self)" if function.is_const else "std::move(self)" if function.is_rvalue else "self"
        call = f"{object_text}.{name}({listed})"
    else:
        call = f"{function.name}({listed})"
    statements.append(f"{call};" if function.result == "void" and function.kind != "constructor" else f"use({call});")
    return " ".join(statements)


def drawn_classes():
    text = (public_functions.ROOT / "tests" / "api" / "values.hpp").read_text(encoding="utf-8")
    found = re.findall(r"SHARDY_DRAWN(_BEHIND)?\(([\w:]+)\);", text)
    return {f"shardy::{name}" for _, name in found}, {f"Values<shardy::{name}>" for inner, name in found if inner}


DRAWN, BEHIND = drawn_classes()


def aggregates_text(found):
    lines = ["// Written by scripts/api_calls.py.", "#pragma once", "", '#include "api/values.hpp"', "", "namespace shardy::api_test {", ""]
    for name, words in found.enums.items():
        lines += ["template <>", f"struct Values<{name}> {{", f"  static {name} make(Draw& draw) {{",
                  f"    constexpr std::array<{name}, {len(words)}> kAll = {{{', '.join(f'{name}::{word}' for word in words)}}};",
                  "    return draw.one_of(kAll);", "  }", "};"]
    wanted = {name: fields for name, fields in found.aggregates.items() if name not in DRAWN}
    for name in wanted:
        lines += ["template <>", f"struct Values<{name}> {{", f"  static {name} make(Draw& draw);", "};"]
    for name, fields in wanted.items():
        lines.append(f"inline {name} Values<{name}>::make([[maybe_unused]] Draw& draw) {{")
        if fields:
            if any("TypedId<" in kind for kind, _ in fields):
                lines.append("  draw.spoil();  // ids of nothing")
            lines.append(f"  if (auto plain = at_times_plain<{name}>(draw)) return *std::move(plain);")
        for index, (kind, _) in enumerate(fields):
            lines.append(f"  auto& f{index} = draw.get<{base_type(kind)}>();")
        values = ", ".join(f"f{index}" if kind.endswith("&") else f"std::move(f{index})" for index, (kind, _) in enumerate(fields))
        lines += [f"  return {name}{{{values}}};", "}"]
    return "\n".join([*lines, "", "}  // namespace shardy::api_test", ""])


def layer_of(function):
    return function.header.split("/")[1]


def promise(function):
    """The outcome of a wrong call of the function: the text of docs/functions.md."""
    requires = re.search(r"Requires(?:, all three)?: (.*?)(?=(?: (?:Errors|Cost|Spec|Example|Text|Order)(?:, \w+)?: )|$)", function.comment)
    if requires:
        return "requires", requires[1].strip()
    if re.search(r"\b(Result|RuleResult|Status|DiagnosedResult|expected|Diagnostics)\b", function.result):
        return "error", ""
    return "any", ""


def calls_text(layer, functions):
    lines = ["// Written by scripts/api_calls.py.", '#include "api/calls.hpp"', '#include "aggregates.hpp"', "",
             "namespace shardy::api_test {", "", f"void add_{layer}_calls(std::vector<Call>& calls) {{"]
    for function in functions:
        may_fail = "true" if promise(function)[0] == "requires" else "false"
        lines.append(f"  calls.push_back({{{quoted(function.signature())}, {may_fail}, []([[maybe_unused]] Draw& draw) {{ {call_text(function)} }}}});")
    return "\n".join([*lines, "}", "", "}  // namespace shardy::api_test", ""])


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def is_called(function):
    name = function.name.rsplit("::", 1)[-1]
    owner = function.name.rsplit("::", 1)[0]
    return function.name not in LEFT_OUT and owner not in LEFT_OUT and name not in PLAIN and not is_copy(function)


def is_copy(function):
    own = {f"const {function.owner} &", f"{function.owner} &&"}
    name = function.name.rsplit("::", 1)[-1]
    return (function.kind == "constructor" or name == "operator=") and len(function.parameters) == 1 and function.parameters[0][0] in own


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    found = public_functions.read()
    missing = [function.name for function in found.functions if function.is_template and is_called(function) and function.name not in TEMPLATES]
    if missing:
        sys.exit("error: scripts/api_calls.py does not say how to call the templates " + ", ".join(sorted(set(missing))))
    headers = public_functions.public_headers()
    write(out / "all_headers.hpp", "".join(["// Written by scripts/api_calls.py.\n#pragma once\n", *(f'#include "{header}"\n' for header in headers)]))
    write(out / "aggregates.hpp", aggregates_text(found))
    layers = sorted({layer_of(function) for function in found.functions})
    for layer in layers:
        write(out / f"calls_{layer}.cpp", calls_text(layer, [each for each in found.functions if layer_of(each) == layer and is_called(each)]))


def write(path, text):
    """Only where it changes, so that nothing is compiled again for nothing."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
