#include "simulation/kernels/sort_order.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "shardy/ir/shape_ops.hpp"
#include "simulation/element.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {
namespace {

/// Sides of the comparator that a value depends on, as bits: 1 is left, 2 is right.
unsigned sides_of(const ir::Module& module, ir::BlockId block, ir::ValueId value) {
  unsigned sides = 0;
  std::vector<ir::ValueId> pending = {value};
  std::set<ir::ValueId> seen;
  while (!pending.empty()) {
    const ir::ValueId next = pending.back();
    pending.pop_back();
    if (!seen.insert(next).second) continue;
    const auto args = module.args(block);
    const auto arg = std::ranges::find(args, next);
    if (arg != args.end()) sides |= (arg - args.begin()) % 2 == 0 ? 1U : 2U;
    const ir::OpId op = module.defining_op(next);
    if (!op.valid() || module.parent_block(op) != block) continue;
    for (const ir::ValueId operand : module.operands(op)) pending.push_back(operand);
  }
  return sides;
}

/// Unsigned numbers in the order of the values; floats in their total order.
template <class T>
uint64_t ordinal(T x) {
  if constexpr (std::same_as<T, Bool>) {
    return x.raw;
  } else if constexpr (Integer<T>) {
    constexpr uint64_t kSign = kSigned<T> ? uint64_t{1} << 63 : 0;
    return static_cast<uint64_t>(widen(x)) ^ kSign;
  } else {
    using Bits = BitsOf<T>;
    const auto bits = std::bit_cast<Bits>(x);
    return is_negative(x) ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | kSignMask<T>);
  }
}

std::vector<uint64_t> ordinals(const Tensor& keys, bool descending) {
  std::vector<uint64_t> made;
  made.reserve(static_cast<std::size_t>(keys.num_elements()));
  with_element(keys.type().element(), [&]<class T>(Tag<T>) {
    if constexpr (std::same_as<T, Bool> || Integer<T> || Float<T>) {
      for (const T key : keys.elements<T>()) {
        made.push_back(descending ? ~ordinal(key) : ordinal(key));
      }
    }
  });
  return made;
}

std::vector<double> numbers(const Tensor& keys, bool descending) {
  std::vector<double> made;
  made.reserve(static_cast<std::size_t>(keys.num_elements()));
  with_element(keys.type().element(), [&]<class T>(Tag<T>) {
    if constexpr (Float<T>) {
      for (const T key : keys.elements<T>()) {
        made.push_back(descending ? -to_double(key) : to_double(key));
      }
    }
  });
  return made;
}

bool has_order(ir::ElementType element) {
  return with_element(
      element, []<class T>(Tag<T>) { return std::same_as<T, Bool> || Integer<T> || Float<T>; });
}

}  // namespace

Result<std::optional<KeyOrder>> KeyOrder::recognize(const KernelRequest& request) {
  const ir::Module& module = request.module;
  const ir::BlockId block = module.block(request.op);
  const ir::OpId op = module.defining_op(module.operand(module.last_op(block), 0));
  if (!op.valid() || module.kind(op) != ir::OpKind::Compare) return std::nullopt;
  const auto view = ir::view<ir::CompareOp>(module, op);
  if (view.direction != "LT" && view.direction != "GT") return std::nullopt;
  std::vector<ir::ValueId> sides = module.operands(op);
  const ir::ElementType element = module.type(sides[0]).element();
  if (!has_order(element)) return std::nullopt;
  bool descending = view.direction == "GT";
  if (sides_of(module, block, sides[0]) == 2) {  // a(q) < b(p) is b(p) > a(q)
    std::swap(sides[0], sides[1]);
    descending = !descending;
  }
  if (sides_of(module, block, sides[0]) != 1 || sides_of(module, block, sides[1]) != 2) {
    return std::nullopt;
  }
  SHARDY_TRY(std::optional<LaneFunction> keys, LaneFunction::make_for(request, sides));
  if (!keys) return std::nullopt;
  const bool total = !ir::is_float(element) || view.type == "TOTALORDER";
  return KeyOrder(std::move(*keys), descending, total);
}

Result<KeyOrder::AnyKeys> KeyOrder::keys(Tensors arguments,
                                         std::span<const Tensor> captured) const {
  const int64_t num_elements = arguments.front().num_elements();
  SHARDY_TRY(const LaneFunction::Lanes function, function_.lanes(num_elements, captured));
  SHARDY_TRY(const Tensors made, function(std::move(arguments)));
  if (total_) {
    return Keys<uint64_t>{ordinals(made[0], descending_), ordinals(made[1], descending_)};
  }
  return Keys<double>{numbers(made[0], descending_), numbers(made[1], descending_)};
}

}  // namespace shardy::simulation
