#include "partitioning/device_number.hpp"

#include "ir/meshes_in_use.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/pass.hpp"

namespace shardy::partitioning {

using ir::AttributeMap;
using ir::Builder;
using ir::ElementType;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

namespace {

Type device_type() { return Type::tensor({}, ElementType::I64); }

/// One digit of a device number: (number / stride) mod size.
struct Digit {
  int64_t stride = 1;
  int64_t size = 1;
};

/// Merges sub-axes that are adjacent in the mesh into one digit.
std::vector<Digit> digits_of(const Mesh& mesh, std::span<const AxisRef> axes) {
  std::vector<Digit> digits;
  for (const AxisRef& axis : axes) {
    if (axis.size == 1) continue;
    int64_t stride = mesh.axis_size(axis.axis) / axis.next();
    for (int32_t minor = axis.axis + 1; minor < mesh.num_axes(); ++minor) {
      stride *= mesh.axis_size(minor);
    }
    if (!digits.empty() && digits.back().stride == stride * axis.size) {
      digits.back() = {stride, digits.back().size * axis.size};
    } else {
      digits.push_back({stride, axis.size});
    }
  }
  return digits;
}

ValueId with_number(Builder& builder, OpKind kind, ValueId value, int64_t number) {
  return builder.create_value(kind, {value, i64_constant(builder, number)}, device_type());
}

ValueId digit_of(Builder& builder, const Mesh& mesh, const Digit& digit, ValueId device) {
  ValueId value = device;
  if (digit.stride > 1) value = with_number(builder, OpKind::Divide, value, digit.stride);
  if (digit.stride * digit.size == mesh.num_devices()) return value;  // the most major digit
  return with_number(builder, OpKind::Remainder, value, digit.size);
}

ValueId constant(Builder& builder, const ir::Literal& literal) {
  AttributeMap attributes;
  attributes.set(ir::attr::kValue, literal);
  return builder.create_value(OpKind::Constant, {}, literal.type(), std::move(attributes));
}

}  // namespace

ValueId i64_constant(Builder& builder, int64_t number) {
  return constant(builder, ir::int_splat_literal(device_type(), number));
}

ValueId device_number(Builder& builder, OpKind kind) {
  const ValueId number = builder.create_value(kind, {}, Type::tensor({}, ElementType::UI32));
  return builder.create_value(OpKind::Convert, {number}, device_type());
}

ValueId table_entry(Builder& builder, const std::vector<int64_t>& table, ValueId index) {
  const Type type = Type::tensor({static_cast<int64_t>(table.size())}, ElementType::I64);
  AttributeMap sizes;
  sizes.set(ir::attr::kSliceSizes, ir::DenseArrayAttr{ElementType::I64, {1}});
  const ValueId entry = builder.create_value(
      OpKind::DynamicSlice, {constant(builder, ir::literal_from(type, table)), index},
      Type::tensor({1}, ElementType::I64), std::move(sizes));
  return builder.create_value(OpKind::Reshape, {entry}, device_type());
}

ValueId coordinate_of(Builder& builder, const Mesh& mesh, std::span<const AxisRef> axes,
                      ValueId device) {
  const std::vector<Digit> digits = digits_of(mesh, axes);
  if (digits.empty()) return i64_constant(builder, 0);
  if (!mesh.device_ids().empty()) {
    std::vector<int64_t> table(static_cast<std::size_t>(mesh.num_devices()));
    for (int64_t position = 0; position < mesh.num_devices(); ++position) {
      table[static_cast<std::size_t>(mesh.device_at(position))] = shard_index(mesh, axes, position);
    }
    return table_entry(builder, table, device);
  }
  ValueId value = digit_of(builder, mesh, digits.front(), device);
  for (std::size_t index = 1; index < digits.size(); ++index) {
    value = with_number(builder, OpKind::Multiply, value, digits[index].size);
    const ValueId digit = digit_of(builder, mesh, digits[index], device);
    value = builder.create_value(OpKind::Add, {value, digit}, device_type());
  }
  return value;
}

Diagnostics wrong_device_counts(const ir::Module& module) {
  Diagnostics errors;
  const std::vector<ir::OpId> functions = ir::program_functions(module);
  const int64_t devices = ir::devices_of(module, functions);
  for (const ir::OpId function : functions) {
    if (module.is_external(function)) continue;
    for (const ir::OpId op : ir::pre_order(module, module.entry(function))) {
      const auto* axes = module.attribute<ir::AxesAttr>(op, ir::attr::kAxes);
      if (!ir::is_spmd(module.kind(op)) || axes == nullptr) continue;
      if (axes->mesh.num_devices() == devices) continue;
      errors.push_back(passes::error_at(
          module, op,
          std::string(module.name(op)) + ": its mesh has " +
              std::to_string(axes->mesh.num_devices()) + " devices, but the program runs on " +
              std::to_string(devices) + "; all meshes of a program have as many devices"));
      errors.back().code = "E_MESH_MISMATCH";
    }
  }
  return errors;
}

}  // namespace shardy::partitioning
