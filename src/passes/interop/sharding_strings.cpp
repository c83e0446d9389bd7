#include "passes/interop/sharding_strings.hpp"

#include <utility>

#include "shardy/algebra/hlo_export.hpp"
#include "shardy/algebra/hlo_named.hpp"
#include "shardy/algebra/hlo_sharding.hpp"

namespace shardy::passes {

namespace {

Result<std::string> device_text(const TensorSharding& sharding,
                                std::span<const std::string> manual) {
  const ReductionOp reduction = sharding.reduction_op();
  if (!manual.empty() && !sharding.unreduced_axes().empty()) {
    return fail("a sharding with unreduced axes inside of a manual computation has no text");
  }
  const TensorSharding sum =
      reduction == ReductionOp::Sum
          ? sharding
          : sharding.with_unreduced(sharding.unreduced_axes(), ReductionOp::Sum);
  SHARDY_TRY(HloSharding hlo, export_hlo(sum, manual));
  if (reduction != ReductionOp::Sum && sharding_size(sharding.unreduced_axes()) > 1) {
    SHARDY_TRY(hlo, hlo.with_metadata(std::string("op_type=\"sdy::reduction_op\" op_name=\"") +
                                      (reduction == ReductionOp::Max ? "MAX" : "MIN") + "\""));
  }
  return to_string(hlo);
}

}  // namespace

Result<std::string> ShardingStrings::of(const TensorSharding& sharding,
                                        std::span<const std::string> manual) const {
  if (!with_names) return device_text(sharding, manual);
  const bool is_plain = sharding.empty_axes() && sharding.is_fully_closed() && manual.empty();
  if (simplifies_replicated && is_plain && !sharding.mesh().is_maximal()) {
    return std::string("{mesh[], replicated}");
  }
  UnresolvedAxisList axes;
  for (const std::string& name : manual) axes.push_back({name, std::nullopt});
  return to_string(named_hlo_of(sharding, axes));
}

Result<std::string> ShardingStrings::of(std::span<const TensorSharding> shardings,
                                        std::span<const std::string> manual) const {
  if (shardings.size() == 1) return of(shardings[0], manual);
  std::string text;
  for (std::size_t index = 0; index < shardings.size(); ++index) {
    SHARDY_TRY(const std::string one, of(shardings[index], manual));
    if (index > 0) text += ", ";
    if (index > 0 && index % 5 == 0) text += "/*index=" + std::to_string(index) + "*/";
    text += one;
  }
  return "{" + text + "}";
}

}  // namespace shardy::passes
