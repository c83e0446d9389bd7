#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <span>

#include "checking/ir_names.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/view.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/ir/window_ops.hpp"
#include "shardy/rules/op_view.hpp"

namespace shardy::checking {

namespace {

/// The rounding of a value: the length of its longest chain of float sums, and the least precise
/// type in it.
struct Rounding {
  double length = 0;
  double epsilon = 0;

  void join(const Rounding& other) {
    length = std::max(length, other.length);
    epsilon = std::max(epsilon, other.epsilon);
  }
};

double epsilon_of(ElementType element) {
  switch (element) {
    case ElementType::F64:
    case ElementType::Complex128:
      return 0x1p-52;
    case ElementType::F32:
    case ElementType::Complex64:
      return 0x1p-23;
    case ElementType::F16:
      return 0x1p-10;
    case ElementType::BF16:
      return 0x1p-7;
    default:
      return ir::is_float(element) ? 0x1p-2 : 0;
  }
}

/// Returns the product of the sizes of these dims of the first operand.
double length_along(const Module& module, OpId op, std::span<const int64_t> dims) {
  const ir::Type& type = module.type(module.operand(op, 0));
  double length = 1;
  for (const int64_t dim : dims) {
    length *= static_cast<double>(type.dim(static_cast<std::size_t>(dim)));
  }
  return length;
}

/// Returns whether the op on shards of its operands can have partial sums as results.
bool has_reductions(const Module& module, OpId op, const rules::Registry& rules) {
  const rules::RuleResult rule = rules.lowering_rule_for(rules::OpView(module, op));
  return rule && *rule && !(*rule)->reduction_factors().empty();
}

/// Returns the largest number of elements that contribute to one element of the result in an order
/// that lowering can change; 0 for ops without sums.
double reduced_length(const Module& module, OpId op, const rules::Registry& rules) {
  const auto num_elements = [&](std::size_t operand) {
    return static_cast<double>(module.type(module.operand(op, operand)).num_elements());
  };
  switch (module.kind(op)) {
    case OpKind::DotGeneral:
      return length_along(module, op, ir::view<ir::DotGeneralOp>(module, op).dims.lhs_contracting);
    case OpKind::ChloRaggedDot:
      return length_along(module, op, ir::view<ir::RaggedDotOp>(module, op).dims->lhs_contracting);
    case OpKind::Reduce:
      return length_along(module, op, ir::view<ir::ReduceOp>(module, op).dims);
    case OpKind::ReduceWindow: {
      double size = 1;
      for (const ir::WindowDim& dim : ir::view<ir::ReduceWindowOp>(module, op).window) {
        size *= static_cast<double>(dim.size);
      }
      return size;
    }
    case OpKind::Dot:
    case OpKind::Einsum:
    case OpKind::Convolution:
      return num_elements(1);
    case OpKind::UnaryEinsum:
    case OpKind::Scatter:
    case OpKind::SelectAndScatter:
    case OpKind::Fft:
    case OpKind::BatchNormTraining:
    case OpKind::BatchNormGrad:
      return num_elements(module.is(op, OpKind::Scatter) ? module.num_operands(op) - 1 : 0);
    case OpKind::CustomCall:
    case OpKind::Unknown:
      return has_reductions(module, op, rules) ? num_elements(0) : 0;
    default:
      return 0;
  }
}

/// The rounding of function bodies, without the rounding of their arguments.
struct FunctionRoundings {
  const rules::Registry& rules;
  std::map<OpId, Rounding> known = {};
};

/// The assumed trip count of loops with unknown trip counts, a usual order of magnitude.
constexpr double kLoopRounds = 128;

Rounding own_rounding(const Module& module, OpId op, const FunctionRoundings& functions) {
  if (module.is(op, OpKind::FuncCall)) {
    const auto callee = ir::callee_of(module, op);
    const auto found = callee ? functions.known.find(*callee) : functions.known.end();
    return found == functions.known.end() ? Rounding() : found->second;
  }
  if (module.num_operands(op) == 0) return {};
  const ir::Type& type = module.type(module.operand(op, 0));
  const double epsilon = type.is_static_tensor() ? epsilon_of(type.element()) : 0;
  const double length = epsilon != 0 ? reduced_length(module, op, functions.rules) : 0;
  return length != 0 ? Rounding{length, epsilon} : Rounding();
}

/// Returns the rounding of a block's ops, each multiplied by the iterations of its loops.
Rounding rounding_in(const Module& module, ir::BlockId block, const FunctionRoundings& functions) {
  struct Around {
    OpId op;
    double rounds = 1;
  };
  Rounding total;
  // The ops around the current one, outermost first.
  std::vector<Around> around{{module.parent_op(block)}};
  for (const OpId op : ir::pre_order(module, block)) {
    while (around.back().op != module.parent_op(op)) around.pop_back();
    const double rounds = around.back().rounds;
    const Rounding own = own_rounding(module, op, functions);
    // 1000 nested loops have infinite rounds.
    if (own.length != 0) total.length += rounds * own.length;
    total.epsilon = std::max(total.epsilon, own.epsilon);
    if (module.regions(op).empty()) continue;
    around.push_back({op, module.is(op, OpKind::While) ? rounds * kLoopRounds : rounds});
  }
  return total;
}

/// Computes the rounding of all functions, callees first. Does not follow recursive calls.
FunctionRoundings function_roundings(const Module& module, const rules::Registry& rules) {
  FunctionRoundings functions{rules};
  for (const OpId function : ir::functions_in_post_order(module)) {
    functions.known[function] = rounding_in(module, module.entry(function), functions);
  }
  return functions;
}

/// Returns the rounding of the op itself and of the ops in its regions.
Rounding added_rounding(const Module& module, OpId op, const FunctionRoundings& functions) {
  Rounding added = own_rounding(module, op, functions);
  const double rounds = module.is(op, OpKind::While) ? kLoopRounds : 1;
  for (const ir::RegionId region : module.regions(op)) {
    for (const ir::BlockId block : module.blocks(region)) {
      const Rounding inside = rounding_in(module, block, functions);
      added.length += rounds * inside.length;
      added.epsilon = std::max(added.epsilon, inside.epsilon);
    }
  }
  return added;
}

/// Returns the rounding of the operands, and of outer values that the regions use.
Rounding input_rounding(const Module& module, OpId op, std::span<const Rounding> known) {
  Rounding rounding;
  const auto join_operands = [&](OpId user) {
    for (const ValueId operand : module.operands(user)) rounding.join(known[operand.index()]);
  };
  join_operands(op);
  for (const ir::RegionId region : module.regions(op)) {
    for (const ir::BlockId block : module.blocks(region)) {
      for (const OpId inner : ir::pre_order(module, block)) join_operands(inner);
    }
  }
  return rounding;
}

Rounding rounding_of(const Module& module, OpId op, std::span<const Rounding> known,
                     const FunctionRoundings& functions) {
  Rounding rounding = input_rounding(module, op, known);
  const Rounding added = added_rounding(module, op, functions);
  rounding.length += added.length;
  rounding.join({0, added.epsilon});
  if (rounding.length == 0) return rounding;
  // A value computed from an inexact value has at least the rounding error of its own type.
  for (const ValueId result : module.results(op)) {
    const ir::Type& type = module.type(result);
    if (type.is_tensor()) rounding.join({0, epsilon_of(type.element())});
  }
  return rounding;
}

/// Returns the tolerances of a program without composites.
std::vector<Tolerance> tolerances_of(const Module& module, OpId function,
                                     const rules::Registry& rules) {
  const FunctionRoundings functions = function_roundings(module, rules);
  std::vector<Rounding> known(module.num_values());
  for (const OpId op : module.ops(module.entry(function))) {
    const Rounding rounding = rounding_of(module, op, known, functions);
    for (const ValueId result : module.results(op)) known[result.index()].join(rounding);
  }
  std::vector<Tolerance> tolerances;
  for (const ValueId value : module.returned_values(function)) {
    const ir::Type& type = module.type(value);
    const bool is_float = type.is_tensor() && epsilon_of(type.element()) != 0;
    const Rounding& rounding = known[value.index()];
    const bool inexact = is_float && rounding.length > 0;
    tolerances.push_back({inexact ? rounding.epsilon * (8 + rounding.length) : 0});
  }
  return tolerances;
}

}  // namespace

std::vector<Tolerance> result_tolerances(const Module& module, OpId function,
                                         const rules::Registry& rules) {
  const std::vector<OpId> ops = ir::pre_order(module);
  const bool has_composites =
      std::ranges::any_of(ops, [&](OpId op) { return module.is(op, OpKind::Composite); });
  if (!has_composites) return tolerances_of(module, function, rules);
  Module called = module;  // bodies replace composites
  const bool all_known = passes::composites_to_calls(called, {}, true).empty();
  return tolerances_of(all_known ? called : module, function, rules);
}

namespace {

/// The elements of a tensor as doubles: one part each, or two for complex numbers.
class ElementParts {
 public:
  explicit ElementParts(const simulation::Tensor& tensor)
      : bytes_(tensor.bytes()),
        type_(part_type(tensor.type().element())),
        size_(ir::size_bytes(type_)),
        per_element_(ir::is_complex(tensor.type().element()) ? 2 : 1),
        count_(tensor.num_elements() * per_element_) {}

  int64_t count() const { return count_; }
  int64_t per_element() const { return per_element_; }
  double at(int64_t index) const {
    const auto bytes = bytes_.subspan(static_cast<std::size_t>(index) * size_, size_);
    if (type_ == ElementType::F32) return static_cast<double>(loaded<float>(bytes));
    if (type_ == ElementType::F64) return loaded<double>(bytes);
    return ir::decode_double(bytes, type_);
  }

 private:
  static ElementType part_type(ElementType element) {
    return ir::is_complex(element) ? ir::part_of(element) : element;
  }
  template <class T>
  static T loaded(std::span<const std::byte> bytes) {
    T value;
    std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  }

  std::span<const std::byte> bytes_;
  ElementType type_;
  std::size_t size_;  // of a part
  int64_t per_element_;
  int64_t count_;
};

bool same_part(double got, double want, double bound) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want);
  if (std::isinf(got) || std::isinf(want)) return got == want;
  return std::abs(got - want) <= bound;
}

/// Checks whether exactly one of the two numbers is finite.
bool is_overflow(double got, double want) { return std::isfinite(got) != std::isfinite(want); }

double distance(double got, double want) {
  if (same_part(got, want, 0)) return 0;
  const double difference = std::abs(got - want);
  return std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity();
}

/// Calls `visit(element)` for each element whose bits differ. Requires: equal types.
template <class Visit>
void for_different_bits(const simulation::Tensor& a, const simulation::Tensor& b, Visit visit) {
  constexpr int64_t kTogether = 512;
  const auto size = static_cast<int64_t>(ir::size_bytes(a.type().element()));
  const int64_t count = a.num_elements();
  const auto differ = [&](int64_t first, int64_t elements) {
    return std::memcmp(a.data() + first * size, b.data() + first * size,
                       static_cast<std::size_t>(elements * size)) != 0;
  };
  for (int64_t first = 0; first < count; first += kTogether) {
    const int64_t end = std::min(first + kTogether, count);
    if (!differ(first, end - first)) continue;
    for (int64_t element = first; element < end; ++element) {
      if (differ(element, 1)) visit(element);
    }
  }
}

}  // namespace

double largest_magnitude(const simulation::Tensor& tensor) {
  SHARDY_EXPECTS(tensor && tensor.type().is_static_tensor());
  const ElementParts parts(tensor);
  double largest = 0;
  for (int64_t index = 0; index < parts.count(); ++index) {
    const double magnitude = std::abs(parts.at(index));
    if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
  }
  return largest;
}

double largest_error(const simulation::Tensor& got, const simulation::Tensor& want) {
  const ElementParts from(got);
  const ElementParts to(want);
  SHARDY_EXPECTS(from.count() == to.count());
  double largest = 0;
  for (int64_t index = 0; index < to.count(); ++index) {
    const double error = std::abs(from.at(index) - to.at(index));
    if (std::isfinite(error)) largest = std::max(largest, error);
  }
  return largest;
}

TensorDifference compare(const simulation::Tensor& got, const simulation::Tensor& want,
                         const Tolerance& tolerance) {
  const ElementParts got_parts(got);
  const ElementParts want_parts(want);
  TensorDifference difference;
  difference.magnitude = largest_magnitude(want);
  const double bound = tolerance.allowed(difference.magnitude);
  for_different_bits(got, want, [&](int64_t element) {
    bool same = true;
    for (int64_t part = 0; part < want_parts.per_element(); ++part) {
      const double a = got_parts.at(element * want_parts.per_element() + part);
      const double b = want_parts.at(element * want_parts.per_element() + part);
      if (tolerance.overflow && is_overflow(a, b)) continue;
      difference.largest = std::max(difference.largest, distance(a, b));
      const bool both_nan = std::isnan(a) && std::isnan(b);
      const bool close = tolerance.relative > 0 && same_part(a, b, bound);
      same = same && (both_nan || close);
    }
    if (same) return;
    ++difference.mismatches;
    if (!difference.first_mismatch) difference.first_mismatch = element;
  });
  return difference;
}

}  // namespace shardy::checking
