#include "simulation/kernels/kernel_table.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shardy/ir/verify.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/support/detail/math.hpp"
#include "simulation/machine.hpp"
#include "simulation/program.hpp"

namespace shardy::simulation {
namespace {

template <ir::OpKind kKind>
constexpr KernelMaker maker_of() {
  if constexpr (ir::has_trait(kKind, ir::kNoKernel)) {
    return nullptr;
  } else {
    return &make_kernel_of<kKind>;
  }
}

/// Makers in the order of OpKind; null if the op has no kernel.
constexpr KernelMaker kMakers[] = {
#define SHARDY_OP(kind, ...) maker_of<ir::OpKind::kind>(),
#include <shardy/ir/ops/all.inc>
#undef SHARDY_OP
    nullptr};

KernelMaker find_maker(ir::OpKind kind) { return kMakers[static_cast<std::size_t>(kind)]; }

}  // namespace

const ForeignKernel* find_foreign(const ForeignKernels::KernelsByName& kernels,
                                  std::string_view name) {
  const auto found = kernels.find(name);
  return found != kernels.end() ? &found->second : nullptr;
}

Kernel foreign_kernel(const KernelRequest& request, ForeignKernel kernel, std::string name) {
  const ir::Module& module = request.module;
  std::vector<ir::Type> types;
  for (const ir::ValueId result : module.results(request.op)) types.push_back(module.type(result));
  return
      [kernel = std::move(kernel), name = std::move(name),
       attributes = module.attributes(request.op), types = std::move(types),
       op_name = std::string(module.name(request.op)),
       location = module.source_location(request.op)](const KernelCall& call) -> Result<Tensors> {
        Result<Tensors> results = kernel({name, attributes, call.operands, types});
        if (!results) return results;
        const bool fits = std::ranges::equal(
            *results, types,
            [](const Tensor& x, const ir::Type& type) { return x && x.type() == type; });
        if (fits) return results;
        return fail_at(location, op_name + ": the kernel of " + name +
                                     " gave results of other types than declared");
      };
}

bool has_kernel(ir::OpKind kind) { return find_maker(kind) != nullptr; }

Result<Kernel> make_kernel(const KernelRequest& request) {
  const ir::Module& module = request.module;
  if (const KernelMaker make = find_maker(module.kind(request.op))) {
    SHARDY_TRY_STATUS(ir::verify_types(module, request.op));
    if (is_exact_function(module, request.op)) return exact_function(request);
    return make(request);
  }
  const std::string name(module.name(request.op));
  const bool is_foreign = module.is(request.op, ir::OpKind::Unknown);
  const ForeignKernel* own =
      is_foreign && request.foreign != nullptr ? find_foreign(request.foreign->ops, name) : nullptr;
  if (own != nullptr) return foreign_kernel(request, *own, name);
  Error error{"unsupported op " + name, module.source_location(request.op)};
  if (is_foreign) error.notes.emplace_back("an embedder can give it a kernel (ForeignKernels)");
  return tl::unexpected(std::move(error));
}

namespace {

/// The module of a definition and its compiled program. The program points to the module, so both
/// are allocated together.
struct Definition {
  ir::Module module;
  Program program;
};

Result<ir::Module> write_definition(const OpReader& reader, const Composition& compose) {
  ir::GraphBuilder graph;
  graph.location(reader.module().source_location(reader.op()));
  graph.function("main");
  std::vector<ir::ValueId> operands;
  for (std::size_t index = 0; index < reader.num_operands(); ++index) {
    operands.push_back(graph.argument(reader.operand(index)));
  }
  graph.ret(compose(graph, operands));
  return graph.finish();
}

Status verify_results(const OpReader& reader, const ir::Module& definition, ir::OpId main) {
  const ir::OpId last = definition.last_op(definition.entry(main));
  const auto results = definition.operands(last);
  SHARDY_TRY_STATUS(reader.expect(results.size() == reader.module().num_results(reader.op()),
                                  "has another number of results"));
  for (std::size_t index = 0; index < results.size(); ++index) {
    const ir::Type& type = definition.type(results[index]);
    SHARDY_TRY_STATUS(reader.expect_result(type.dims(), type.element(), index));
  }
  return {};
}

}  // namespace

Result<Kernel> composed_kernel(const KernelRequest& request, const Composition& compose) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  auto definition = std::make_shared<Definition>();
  SHARDY_TRY(definition->module, reader.at_op(write_definition(reader, compose)));
  const std::optional<ir::OpId> main = definition->module.find_symbol("main");
  SHARDY_ASSERT(main.has_value());
  SHARDY_TRY_STATUS(verify_results(reader, definition->module, *main));
  SHARDY_TRY(definition->program, compile_function(definition->module, *main, {}));
  return [definition = std::shared_ptr<const Definition>(std::move(definition))](
             const KernelCall& call) -> Result<Tensors> {
    return run_to_end(definition->program, {call.operands.begin(), call.operands.end()});
  };
}

Result<Tensors> run_single_op(ir::OpKind kind, ir::AttributeMap attributes,
                              std::span<const Tensor> operands,
                              const std::vector<ir::Type>& result_types) {
  std::vector<ir::Type> types;
  for (const Tensor& operand : operands) types.push_back(operand.type());
  ir::Module module;
  const ir::BlockId body = module.entry(module.add_function("main", types, result_types));
  ir::OpSpec spec{.kind = kind};
  spec.operands.assign(module.args(body).begin(), module.args(body).end());
  spec.result_types = result_types;
  spec.attributes = std::move(attributes);
  const ir::OpId op = module.create(std::move(spec));
  module.append(body, op);
  return evaluate(module, op, operands);
}

}  // namespace shardy::simulation

namespace shardy::simulation {
namespace {

/// Returns an error for a dynamic type. Spec: stablehlo 36.
Status expect_static(const OpReader& reader, const ir::Type& type) {
  const Status status = expect_runnable(type);
  if (status) return {};
  return tl::unexpected<Error>(reader.at_op(status.error()));
}

/// A shape split at one dim: rows before the dim, and contiguous elements from the dim on.
struct RowsFrom {
  int64_t rows;
  int64_t length;

  RowsFrom(std::span<const int64_t> dims, std::size_t dim)
      : rows(product(dims.first(dim))), length(product(dims.subspan(dim))) {}
};

}  // namespace

bool are_distinct_dims(std::span<const int64_t> dims, int64_t rank) {
  std::vector<int64_t> sorted(dims.begin(), dims.end());
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end() &&
         std::ranges::all_of(sorted, [&](int64_t dim) { return dim >= 0 && dim < rank; });
}

Error OpReader::at_op(Error error) const {
  error.message.insert(0, std::string(module_->name(op_)) + ": ");
  error.location = module_->source_location(op_);
  return error;
}

Result<OpReader> OpReader::make(const KernelRequest& request) {
  const OpReader reader(request.module, request.op);
  const ir::Module& module = request.module;
  for (const ir::ValueId operand : module.operands(request.op)) {
    SHARDY_TRY_STATUS(expect_static(reader, module.type(operand)));
  }
  for (const ir::ValueId result : module.results(request.op)) {
    SHARDY_TRY_STATUS(expect_static(reader, module.type(result)));
  }
  return reader;
}

Status OpReader::expect(bool holds, std::string_view message) const {
  if (holds) return {};
  return fail(message);
}

Status OpReader::expect_counts(std::size_t num_operands, std::size_t num_results) const {
  if (this->num_operands() == num_operands && module_->num_results(op_) == num_results) return {};
  return fail("takes " + std::to_string(num_operands) + " operands and gives " +
              std::to_string(num_results) + " results");
}

Status OpReader::expect_result(std::span<const int64_t> dims, ir::ElementType element,
                               std::size_t index) const {
  const ir::Type& declared = result(index);
  if (std::ranges::equal(declared.dims(), dims) && declared.element() == element) return {};
  ir::TensorType computed;
  computed.dims.assign(dims.begin(), dims.end());
  computed.element = element;
  const Result<ir::Type> type = ir::Type::make_tensor(computed.dims, computed.element);
  return fail("result " + std::to_string(index) + " is declared as " + ir::to_string(declared) +
              (type ? ", computed as " + ir::to_string(*type) : ", which is too large"));
}

Result<TensorWriter> filled_with(const ir::Type& type, const Tensor& scalar) {
  SHARDY_TRY(const Tensor value, converted(scalar, type.element()));
  SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
  StridedCopy({{type.num_elements(), 0, 1}}, ir::size_bytes(type.element()))
      .run(value.data(), out.data());
  return out;
}

Result<Tensor> concatenate(std::span<const Tensor> parts, std::size_t dim, const ir::Type& result) {
  SHARDY_TRY(TensorWriter out, TensorWriter::make(result));
  const std::size_t bytes = ir::size_bytes(result.element());
  const RowsFrom to(result.dims(), dim);
  int64_t offset = 0;
  for (const Tensor& part : parts) {
    const int64_t length = RowsFrom(part.type().dims(), dim).length;
    StridedCopy({{to.rows, length, to.length}, {length, 1, 1}}, bytes, 0, offset)
        .run(part.data(), out.data());
    offset += length;
  }
  return std::move(out).finish();
}

Result<Tensor> block_of(const Tensor& tensor, std::size_t dim, int64_t count, int64_t index) {
  std::vector<int64_t> sizes(tensor.type().dims().begin(), tensor.type().dims().end());
  const RowsFrom from(sizes, dim);
  sizes[dim] /= count;
  const ir::Type type = tensor.type().with_dims(sizes);
  const int64_t length = from.length / count;
  if (from.rows == 1) return tensor.part(type, index * length);
  SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
  StridedCopy({{from.rows, from.length, length}, {length, 1, 1}}, ir::size_bytes(type.element()),
              index * length, 0)
      .run(tensor.data(), out.data());
  return std::move(out).finish();
}

}  // namespace shardy::simulation
