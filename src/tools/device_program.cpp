#include "tools/device_program.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/support/detail/quote.hpp"
#include "text/attribute_codec.hpp"
#include "tools/usage.hpp"
#include "tools/values.hpp"

namespace shardy::tools {

using simulation::Tensor;
using simulation::Tensors;

namespace {

/// Returns the type of one value per device, along a new major dim.
ir::Type stacked(const ir::Type& type, int64_t devices) {
  if (!type.is_tensor()) return type;
  std::vector<int64_t> dims = {devices};
  dims.insert(dims.end(), type.dims().begin(), type.dims().end());
  return ir::Type::tensor(std::move(dims), type.element());
}

std::vector<Tensors> unstack(const Tensors& values, const std::vector<ir::Type>& types,
                             int64_t devices) {
  std::vector<Tensors> arguments(static_cast<std::size_t>(devices));
  for (int64_t device = 0; device < devices; ++device) {
    for (std::size_t index = 0; index < values.size(); ++index) {
      const ir::Type& type = types[index];
      arguments[static_cast<std::size_t>(device)].push_back(
          type.is_tensor() ? values[index].part(type, device * type.num_elements())
                           : values[index]);
    }
  }
  return arguments;
}

Result<Tensor> stack(const std::vector<Tensors>& outputs, std::size_t index) {
  const Tensor& first = outputs.front()[index];
  if (!first.type().is_tensor()) return first;
  SHARDY_TRY(auto writer,
             simulation::TensorWriter::make(stacked(first.type(), std::ssize(outputs))));
  std::byte* to = writer.data();
  for (const Tensors& each : outputs) {
    to = std::ranges::copy(each[index].bytes(), to).out;
  }
  return std::move(writer).finish();
}

Result<simulation::GlobalResult> run_local(const ir::Module& module, ir::OpId main,
                                           const Tensors& values, const CommandOptions& options,
                                           const simulation::RunOptions& run) {
  const int64_t devices = simulation::num_devices(module, main);
  SHARDY_TRY(
      simulation::RunResult result,
      simulation::run(module, module.symbol_name(main),
                      unstack(values, module.arg_types(main), devices), run, options.context.runs));
  simulation::GlobalResult all{{}, std::move(result.devices), std::move(result.checks)};
  for (std::size_t index = 0; index < result.outputs.front().size(); ++index) {
    SHARDY_TRY(Tensor value, stack(result.outputs, index));
    all.outputs.push_back(std::move(value));
  }
  return all;
}

}  // namespace

Status check_device_options(const CommandOptions& options) {
  const char* const option = options.stages.compare     ? "--check"
                             : options.reference        ? "--reference"
                             : !options.devices.empty() ? "--devices"
                                                        : nullptr;
  if (option == nullptr) return {};
  return tl::unexpected(
      Error{.message = std::string(option) + " needs the program before partitioning",
            .notes = {"the program is already a per-device program"}});
}

Result<Tensors> read_device_arguments(const ir::Module& module, const CommandOptions& options) {
  const ir::OpId main = *module.main_function();
  if (!options.local_buffers) {
    return read_arguments(module, main, simulation::global_arg_types(module, main), options);
  }
  std::vector<ir::Type> types = module.arg_types(main);
  for (ir::Type& type : types) type = stacked(type, simulation::num_devices(module, main));
  return read_arguments(module, main, types, options);
}

Result<checking::CheckReport> run_devices(const ir::Module& module, const Tensors& values,
                                          const CommandOptions& options,
                                          const simulation::RunOptions& run) {
  const ir::OpId main = *module.main_function();
  checking::CheckReport report;
  if (options.local_buffers) {
    SHARDY_TRY(report.sharded, run_local(module, main, values, options, run));
  } else {
    SHARDY_TRY(report.sharded, simulation::run_global(module, module.symbol_name(main), values, run,
                                                      options.context.runs));
  }
  report.compiled.program = module;
  return report;
}

namespace {

using Sizes = std::map<std::string, int64_t, std::less<>>;

/// Parses mesh sizes. Errors: text of another form, an axis without a name, an axis that occurs
/// twice.
Result<Sizes> parse_sizes(std::string_view text) {
  Sizes sizes;
  bool has_more = true;
  while (has_more) {
    const std::string_view item = text.substr(0, text.find(','));
    has_more = item.size() < text.size();
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t equals = std::min(item.find('='), item.size());
    if (equals == 0 || equals == item.size()) {
      return fail("--devices: expected AXIS=SIZE, got: " + std::string(item));
    }
    const std::string axis(item.substr(0, equals));
    Result<int64_t> size = read_integer<int64_t>(item.substr(equals + 1), 1);
    if (!size)
      return tl::unexpected(
          with_prefix("--devices: axis " + in_quotes(axis) + ": ", std::move(size).error()));
    if (!sizes.emplace(axis, *size).second) {
      return fail("--devices: the axis " + in_quotes(axis) + " has two sizes");
    }
  }
  return sizes;
}

/// Makes shardings and axes refer to meshes by name again, as in a file.
void spell_all(ir::AttributeMap& attributes) {
  std::vector<ir::NamedAttribute> unresolved;
  for (const ir::NamedAttribute& entry : attributes) {
    unresolved.push_back({entry.name, text::unresolved(entry.value)});
  }
  for (ir::NamedAttribute& entry : unresolved) attributes.set(entry.name, std::move(entry.value));
}

Result<Mesh> resized(const Mesh& mesh, const Sizes& sizes, Sizes& unused) {
  std::vector<MeshAxis> axes(mesh.axes().begin(), mesh.axes().end());
  for (MeshAxis& axis : axes) {
    const auto found = sizes.find(axis.name);
    if (found == sizes.end()) continue;
    axis.size = found->second;
    unused.erase(axis.name);
  }
  return Mesh::make(std::move(axes));
}

/// Returns the axis names of all meshes, each once.
std::vector<std::string> axis_names(const ir::Module& module) {
  std::vector<std::string> names;
  for (const ir::OpId op : module.meshes()) {
    const Mesh* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr) continue;
    for (const MeshAxis& axis : mesh->axes()) {
      if (std::ranges::find(names, axis.name) == names.end()) names.push_back(axis.name);
    }
  }
  return names;
}

Status resize_all(ir::Module& module, const Sizes& sizes) {
  Sizes unused = sizes;
  for (const ir::OpId op : module.meshes()) {
    const Mesh* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr || mesh->axes().empty()) continue;
    Result<Mesh> changed = resized(*mesh, sizes, unused);
    if (!changed) return tl::unexpected(with_prefix("--devices: ", std::move(changed).error()));
    module.attributes(op).set(ir::attr::kMesh, *std::move(changed));
  }
  if (unused.empty()) return {};
  Error error{"--devices: no mesh has the axis " + in_quotes(unused.begin()->first)};
  const std::vector<std::string> names = axis_names(module);
  add_suggestion(error, unused.begin()->first, names);
  error.notes.push_back(names.empty() ? "the program has no mesh with axes"
                                      : "axes of the program: " + joined(names));
  return tl::unexpected(std::move(error));
}

}  // namespace

DiagnosedResult<void> resize_meshes(ir::Module& module, std::string_view text) {
  if (text.empty()) return {};
  const Result<Sizes> sizes = parse_sizes(text);
  if (!sizes) return tl::unexpected(Diagnostics{sizes.error()});
  for (const ir::OpId op : ir::pre_order(module)) {
    spell_all(module.attributes(op));
    if (!module.is(op, ir::OpKind::Func)) continue;
    for (ir::AttributeMap& each : module.function(op).arg_attributes) spell_all(each);
    for (ir::AttributeMap& each : module.function(op).result_attributes) spell_all(each);
  }
  const Status status = resize_all(module, *sizes);
  if (!status) return tl::unexpected(Diagnostics{status.error()});
  Diagnostics errors = ir::resolve(module);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return {};
}

}  // namespace shardy::tools
