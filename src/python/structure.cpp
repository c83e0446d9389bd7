// The ops and values of a program, for loops in Python.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/bindings.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "text/attribute_codec.hpp"
#include "text/json_attribute.hpp"
#include "text/json_writer.hpp"

namespace shardy::python {

namespace py = pybind11;

namespace {

/// An op of a program. Keeps the program alive.
struct PythonOp {
  PythonProgram program;
  ir::OpId id;

  const ir::Module& module() const { return program.module(); }
  friend bool operator==(const PythonOp& a, const PythonOp& b) {
    return &a.module() == &b.module() && a.id == b.id;
  }
};

/// A result of an op or an argument of a block.
struct PythonValue {
  PythonProgram program;
  ir::ValueId id;

  const ir::Module& module() const { return program.module(); }
  const ir::Type& type() const { return module().type(id); }
  friend bool operator==(const PythonValue& a, const PythonValue& b) {
    return &a.module() == &b.module() && a.id == b.id;
  }
};

std::vector<PythonValue> values_of(const PythonProgram& program,
                                   const std::vector<ir::ValueId>& ids) {
  std::vector<PythonValue> values;
  for (const ir::ValueId id : ids) values.push_back({program, id});
  return values;
}

bool is_program_op(const ir::Module& module, ir::OpId op) {
  return !module.is(op, ir::OpKind::SdyMesh);
}

std::vector<PythonOp> ops_of(const PythonProgram& program) {
  std::vector<PythonOp> ops;
  for (const ir::OpId op : ir::pre_order(program.module())) {
    if (is_program_op(program.module(), op)) ops.push_back({program, op});
  }
  return ops;
}

/// Returns all values in program order. The results of an op come first, then the arguments of its
/// regions, then the values in its regions.
std::vector<PythonValue> all_values(const PythonProgram& program) {
  const ir::Module& module = program.module();
  std::vector<PythonValue> values;
  for (const ir::OpId op : ir::pre_order(module)) {
    for (const ir::ValueId result : module.results(op)) values.push_back({program, result});
    for (const ir::RegionId region : module.regions(op)) {
      for (const ir::BlockId block : module.blocks(region)) {
        for (const ir::ValueId argument : module.args(block)) values.push_back({program, argument});
      }
    }
  }
  return values;
}

// ---- Ops ----------------------------------------------------------------------------------------

/// Returns the attributes in their JSON form. A literal with more than kListedElements elements is
/// given as text.
py::dict attributes_of(const PythonOp& op) {
  constexpr int64_t kListedElements = 64;
  const ir::Module& module = op.module();
  text::NamedMeshes meshes;
  for (const ir::OpId mesh : module.meshes()) {
    if (const auto* value = module.attribute<Mesh>(mesh, ir::attr::kMesh)) {
      meshes.emplace_back(module.symbol_name(mesh), *value);
    }
  }
  text::AttributeContext context{.meshes = &meshes, .max_elements = kListedElements};
  if (module.num_results(op.id) == 1) context.result_type = module.type(module.result(op.id));
  py::dict attributes;
  for (const ir::NamedAttribute& entry : module.attributes(op.id)) {
    text::JsonWriter writer(100);
    text::write_attribute(writer, entry.value, text::attribute_slot(module.name(op.id), entry.name),
                          context);
    attributes[py::str(std::string(entry.name))] = from_json(writer.take());
  }
  return attributes;
}

/// Returns the ops directly in the regions of an op, without the ops of nested regions.
std::vector<PythonOp> body_of(const PythonOp& op) {
  std::vector<PythonOp> body;
  for (const ir::RegionId region : op.module().regions(op.id)) {
    for (const ir::BlockId block : op.module().blocks(region)) {
      for (const ir::OpId inner : op.module().ops(block)) body.push_back({op.program, inner});
    }
  }
  return body;
}

std::optional<PythonOp> parent_of(const PythonOp& op) {
  const ir::OpId parent = op.module().parent_op(op.id);
  return parent.valid() ? std::optional<PythonOp>({op.program, parent}) : std::nullopt;
}

std::string repr_op(const PythonOp& op) {
  std::string text = "<shardy.Op " + std::string(op.module().name(op.id));
  const std::string location = op.module().location_text(op.id);
  return text + (location.empty() ? "" : " at " + location) + ">";
}

void bind_op(py::module_& module) {
  py::class_<PythonOp>(module, "Op", "An op of a program.")
      .def_property_readonly(
          "name", [](const PythonOp& op) { return std::string(op.module().name(op.id)); },
          "As `stablehlo.add`.")
      .def_property_readonly(
          "location", [](const PythonOp& op) { return op.module().location_text(op.id); },
          "The place in the source; empty if unknown.")
      .def_property_readonly(
          "symbol", [](const PythonOp& op) { return std::string(op.module().symbol_name(op.id)); },
          "The name of a function, without @; empty for other ops.")
      .def_property_readonly(
          "operands",
          [](const PythonOp& op) { return values_of(op.program, op.module().operands(op.id)); },
          "Values that the op reads.")
      .def_property_readonly(
          "results",
          [](const PythonOp& op) { return values_of(op.program, op.module().results(op.id)); },
          "Values that the op defines.")
      .def_property_readonly("attributes", &attributes_of, "By name, in the form of JSON.")
      .def_property_readonly("body", &body_of, "The ops directly in the regions of the op.")
      .def_property_readonly("parent", &parent_of, "The op whose region contains the op, or None.")
      .def("__eq__",
           [](const PythonOp& op, py::handle other) {
             return py::isinstance<PythonOp>(other) && op == other.cast<const PythonOp&>();
           })
      .def("__hash__", [](const PythonOp& op) { return std::hash<uint32_t>()(op.id.value); })
      .def("__repr__", &repr_op);
}

// ---- Values -------------------------------------------------------------------------------------

std::string value_name(const PythonValue& value) { return value.program.names()(value.id); }

std::optional<TensorSharding> sharding_of(const PythonValue& value) {
  const auto owner = ir::shardable_value(value.module(), value.id);
  return owner ? ir::get_sharding(value.module(), value.id) : std::nullopt;
}

std::optional<PythonOp> definer_of(const PythonValue& value) {
  const ir::ValueOwner owner = value.module().owner(value.id);
  return owner.is_result() ? std::optional<PythonOp>({value.program, owner.op}) : std::nullopt;
}

/// Returns each user of the value once, in the order of the uses.
std::vector<PythonOp> users_of(const PythonValue& value) {
  std::vector<PythonOp> users;
  for (const ir::Use& use : value.module().uses(value.id)) {
    const PythonOp user{value.program, use.op};
    if (std::ranges::find(users, user) == users.end()) users.push_back(user);
  }
  return users;
}

void bind_value(py::module_& module) {
  py::class_<PythonValue>(module, "Value",
                          "A result of an op, or an argument of a function or a region.")
      .def_property_readonly("name", &value_name, "As for explain: `%arg0`, `%4#1`.")
      .def_property_readonly(
          "type", [](const PythonValue& value) { return short_type(value.type()); },
          "As `f32[4,8]`.")
      .def_property_readonly(
          "shape", [](const PythonValue& value) { return shape_tuple(value.type()); },
          "Sizes of the dims; -1 if unknown.")
      .def_property_readonly(
          "dtype", [](const PythonValue& value) { return dtype_name(value.type()); },
          "The dtype of its arrays.")
      .def_property_readonly("sharding", &sharding_of, "Its sharding, or None.")
      .def_property_readonly("op", &definer_of, "The op that defines it; None for an argument.")
      .def_property_readonly("users", &users_of, "The ops that read it.")
      .def("__eq__",
           [](const PythonValue& value, py::handle other) {
             return py::isinstance<PythonValue>(other) && value == other.cast<const PythonValue&>();
           })
      .def("__hash__",
           [](const PythonValue& value) { return std::hash<uint32_t>()(value.id.value); })
      .def("__repr__", [](const PythonValue& value) {
        return "<shardy.Value " + value_name(value) + ": " + short_type(value.type()) + ">";
      });
}

}  // namespace

void bind_structure(py::module_& module, py::class_<PythonProgram>& program) {
  bind_op(module);
  bind_value(module);
  program
      .def_property_readonly("ops", &ops_of,
                             "All ops in program order, an op before those of its regions.")
      .def_property_readonly("values", &all_values, "All values in program order.")
      .def(
          "__iter__", [](const PythonProgram& self) { return py::iter(py::cast(ops_of(self))); },
          "Iterates over the ops.");
}

}  // namespace shardy::python
