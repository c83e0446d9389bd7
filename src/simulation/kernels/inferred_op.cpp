#include "simulation/kernels/inferred_op.hpp"

#include <optional>

#include "shardy/ir/infer.hpp"
#include "simulation/kernels/conversion.hpp"

namespace shardy::simulation {

Result<OpReader> read_inferred(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request, std::nullopt, std::nullopt));
  const ir::Module& module = request.module;
  ir::OpSpec spec{.kind = module.kind(request.op),
                  .operands = module.operands(request.op),
                  .attributes = module.attributes(request.op)};
  const auto regions = module.regions(request.op);
  spec.regions.assign(regions.begin(), regions.end());
  for (const ir::ValueId result : module.results(request.op)) {
    spec.result_types.push_back(module.type(result));
  }
  const Result<std::vector<ir::Type>> computed = ir::infer_result_types(module, spec);
  if (!computed) return fail_at(module.location_text(request.op), computed.error().message);
  if (*computed == spec.result_types) return reader;
  return reader.fail("the results are declared as " + ir::to_string(spec.result_types) +
                     ", computed as " + ir::to_string(*computed));
}

Result<std::vector<int64_t>> integers_or_ones(const OpReader& reader, std::string_view name,
                                              std::size_t count) {
  if (!reader.module().attributes(reader.op()).contains(name)) {
    return std::vector<int64_t>(count, 1);
  }
  SHARDY_TRY(const auto values, reader.integers(name, count));
  return std::vector<int64_t>(values.begin(), values.end());
}

Status expect_conversion(const OpReader& reader, const ir::Type& from, ir::ElementType to) {
  if (from.element() == to || Conversion::pick(from.element(), to)) return {};
  return reader.unsupported_element(from.element());
}

Result<Tensor> converted(const Tensor& x, ir::ElementType to) {
  if (x.type().element() == to) return x;
  const std::optional<Conversion> conversion = Conversion::pick(x.type().element(), to);
  if (!conversion) return fail("element type has no arithmetic");
  SHARDY_TRY(TensorWriter out, TensorWriter::make(x.type().with_element(to)));
  conversion->run(x.data(), out.data(), static_cast<std::size_t>(x.num_elements()));
  return std::move(out).finish();
}

}  // namespace shardy::simulation
