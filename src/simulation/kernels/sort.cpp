// Kernels of sort, which permutes all operands together, line by line and stably, and of
// chlo.top_k, which returns the greatest elements of each row and their positions. Spec: stablehlo
// 25.1, 29.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "shardy/ir/shape_ops.hpp"
#include "shardy/support/detail/prime_field.hpp"
#include "simulation/element.hpp"
#include "simulation/kernels/elementwise.hpp"
#include "simulation/kernels/fold.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/lane_function.hpp"

namespace shardy::simulation {
namespace {

/// A comparator of the form `less(p, q) = key(p) < key'(q)`. Its keys are computed for all elements
/// at once. JAX's comparators of one operand have this form: they first make all NaNs equal and all
/// zeros equal.
class KeyOrder {
 public:
  /// Returns the order of the comparator; std::nullopt if the comparator has another form.
  static Result<std::optional<KeyOrder>> recognize(const KernelRequest& request);

  /// The keys as numbers whose `<` is the comparator. NaN keys equal nothing.
  template <class T>
  struct Keys {
    std::vector<T> left;
    std::vector<T> right;
  };
  using AnyKeys = std::variant<Keys<uint64_t>, Keys<double>>;
  /// `arguments` are the comparator's arguments, each with all elements.
  Result<AnyKeys> keys(Tensors arguments, std::span<const Tensor> captured) const;

 private:
  KeyOrder(LaneFunction function, bool descending, bool total)
      : function_(std::move(function)), descending_(descending), total_(total) {}

  LaneFunction function_;
  bool descending_;
  bool total_;  // floats are compared by TOTALORDER
};

/// Returns the sides of the comparator on which a value depends, as bits: 1 is left, 2 is right.
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

/// Maps values to unsigned numbers in the same order; floats in their total order.
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

struct SortPlan {
  std::optional<KeyOrder> keys;
  LaneFunction less;
  int64_t line;                   // number of elements of a line
  std::vector<CopyDim> to_lines;  // copies from the operands' layout to consecutive lines
  std::vector<ir::Type> results;
};

/// The positions of the elements, in the order of the lines.
using Order = std::vector<int64_t>;

Result<Order> unsorted(const SortPlan& plan) {
  const ir::Type& type = plan.results.front();
  Order places(static_cast<std::size_t>(type.num_elements()));
  std::iota(places.begin(), places.end(), 0);
  Order order(places.size());
  StridedCopy(plan.to_lines, sizeof(int64_t))
      .run(std::as_bytes(std::span(places)).data(),
           std::as_writable_bytes(std::span(order)).data());
  return order;
}

/// The smallest number of elements that is worth a separate thread.
constexpr int64_t kSortGrain = int64_t{1} << 13;

/// Sorts the lines, which threads divide among themselves.
template <class T>
void sort_by(const KeyOrder::Keys<T>& keys, int64_t line, Order& order, ThreadPool* pool) {
  const auto less = [&](int64_t p, int64_t q) {
    return keys.left[static_cast<std::size_t>(p)] < keys.right[static_cast<std::size_t>(q)];
  };
  for_ranges(pool, std::ssize(order) / line, kSortGrain / line + 1,
             [&](int64_t begin, int64_t end) {
               for (int64_t at = begin; at < end; ++at) {
                 const auto first = order.begin() + at * line;
                 std::stable_sort(first, first + line, less);
               }
             });
}

// ---- Any comparator ----------------------------------------------------------------------------

/// The comparator, applied to elements by their positions.
class PlaceOrder {
 public:
  PlaceOrder(const LaneFunction::Lanes& less, const Tensors& arguments)
      : less_(less), arguments_(arguments) {}

  /// Returns for each i whether element p[i] is less than element q[i], as i1.
  Result<Tensor> compare(const Order& p, const Order& q) const {
    Tensors lanes;
    for (std::size_t index = 0; index < arguments_.size(); ++index) {
      const Tensor& all = arguments_[index];
      SHARDY_TRY(Tensor side, take(all.data(), all.type().element(), index % 2 == 0 ? p : q));
      lanes.push_back(std::move(side));
    }
    SHARDY_TRY(const Tensors results, less_(std::move(lanes)));
    return results.front();
  }

 private:
  const LaneFunction::Lanes& less_;
  const Tensors& arguments_;
};

/// Two adjacent sorted runs that are merged into one.
struct Merge {
  std::size_t left, left_end, right, right_end, out;
  bool is_open() const { return left < left_end && right < right_end; }
};

std::vector<Merge> merges_of(std::size_t size, std::size_t line, std::size_t width) {
  std::vector<Merge> merges;
  for (std::size_t first = 0; first < size; first += line) {
    for (std::size_t run = 0; run < line; run += 2 * width) {
      const std::size_t middle = first + std::min(run + width, line);
      merges.push_back(
          {first + run, middle, middle, first + std::min(run + 2 * width, line), first + run});
    }
  }
  return merges;
}

/// Merge sort that compares the heads of all open merges in one call. The left run goes first if
/// neither head is less.
class LockstepSort {
 public:
  explicit LockstepSort(const PlaceOrder& less) : less_(less) {}

  Status sort(Order& order, std::size_t line) {
    Order merged(order.size());
    for (std::size_t width = 1; width < line; width *= 2) {
      std::vector<Merge> merges = merges_of(order.size(), line, width);
      SHARDY_TRY_STATUS(merge(order, merges, merged));
      for (Merge& rest : merges) {
        auto out = merged.begin() + static_cast<std::ptrdiff_t>(rest.out);
        while (rest.left < rest.left_end) *out++ = order[rest.left++];
        while (rest.right < rest.right_end) *out++ = order[rest.right++];
      }
      order.swap(merged);
    }
    return {};
  }

 private:
  Status merge(const Order& order, std::vector<Merge>& merges, Order& merged) {
    std::vector<Merge*> open;
    open.reserve(merges.size());
    for (Merge& each : merges) open.push_back(&each);
    while (true) {
      std::erase_if(open, [](const Merge* each) { return !each->is_open(); });
      if (open.empty()) return {};
      Order lefts;
      Order rights;
      for (const Merge* each : open) {
        lefts.push_back(order[each->left]);
        rights.push_back(order[each->right]);
      }
      SHARDY_TRY(const Tensor right_is_less, less_.compare(rights, lefts));
      const auto takes_right = right_is_less.elements<uint8_t>();
      for (std::size_t lane = 0; lane < open.size(); ++lane) {
        Merge& each = *open[lane];
        merged[each.out++] = takes_right[lane] != 0 ? order[each.right++] : order[each.left++];
      }
    }
  }

  const PlaceOrder& less_;
};

// ---- Inconsistent comparators -------------------------------------------------------------------

/// Checks that the sorted lines agree with the comparator.
class OrderCheck {
 public:
  OrderCheck(const PlaceOrder& less, const Order& order, std::size_t line)
      : less_(less), order_(order), line_(line) {}

  /// Returns an error for a cycle: each element of a chain is less than the next one, and the last
  /// is less than the first. An element is only less than another if the reverse comparison is
  /// false. Does not find every cycle.
  Status run() {
    SHARDY_TRY_STATUS(find_chains());
    SHARDY_TRY_STATUS(expect_no_way_back([&](std::size_t at) { return chains_[at]; }));
    return expect_no_way_back([](std::size_t at) { return at < 2 ? at : at - 2; });
  }

 private:
  struct Pair {
    std::size_t first, last;  // indices in the order
  };

  /// Finds for each element the first element of the strictly increasing chain that ends with it.
  Status find_chains() {
    std::vector<Pair> pairs;
    for (std::size_t at = 1; at < order_.size(); ++at) {
      if (at % line_ != 0) pairs.push_back({at - 1, at});
    }
    SHARDY_TRY(const std::vector<bool> rises, are_less(pairs));
    chains_.resize(order_.size());
    std::iota(chains_.begin(), chains_.end(), 0);
    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
      if (rises[pair]) chains_[pairs[pair].last] = chains_[pairs[pair].first];
    }
    return {};
  }

  /// Returns an error if an element is less than an earlier one of its chain, which `first_of`
  /// selects.
  template <class FirstOf>
  Status expect_no_way_back(const FirstOf& first_of) {
    std::vector<Pair> back;
    for (std::size_t at = 0; at < order_.size(); ++at) {
      const std::size_t first = first_of(at);
      if (first >= chains_[at] && at > first + 1) back.push_back({at, first});
    }
    SHARDY_TRY(const std::vector<bool> falls, are_less(back));
    const auto found = std::ranges::find(falls, true);
    if (found == falls.end()) return {};
    const Pair& pair = back[static_cast<std::size_t>(found - falls.begin())];
    return fail("inconsistent comparator: element " + std::to_string(order_[pair.last]) +
                " of the operands, in row-major order, comes before element " +
                std::to_string(order_[pair.first]) + " transitively, and is not less");
  }

  /// Returns for each pair whether the first element is less than the last, and the last is not
  /// less than the first.
  Result<std::vector<bool>> are_less(std::span<const Pair> pairs) const {
    std::vector<bool> answers(pairs.size());
    if (pairs.empty()) return answers;
    Order firsts;
    Order lasts;
    for (const Pair& pair : pairs) {
      firsts.push_back(order_[pair.first]);
      lasts.push_back(order_[pair.last]);
    }
    SHARDY_TRY(const Tensor forth, less_.compare(firsts, lasts));
    SHARDY_TRY(const Tensor back, less_.compare(lasts, firsts));
    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
      answers[pair] = forth.elements<uint8_t>()[pair] != 0 && back.elements<uint8_t>()[pair] == 0;
    }
    return answers;
  }

  const PlaceOrder& less_;
  const Order& order_;
  std::size_t line_;
  std::vector<std::size_t> chains_;
};

// ---- The op ------------------------------------------------------------------------------------

/// Returns the arguments of the comparator for all elements.
Result<Tensors> comparator_arguments(const SortPlan& plan, std::span<const Tensor> operands) {
  Tensors arguments;
  const auto elements = plan.less.arguments();
  for (std::size_t index = 0; index < elements.size(); ++index) {
    SHARDY_TRY(const Tensor x, converted(operands[index / 2], elements[index]));
    arguments.push_back(x.reshaped(x.type().with_dims({x.num_elements()})));
  }
  return arguments;
}

Result<Order> sorted(const SortPlan& plan, const KernelCall& call) {
  SHARDY_TRY(Order order, unsorted(plan));
  const auto captured = call.operands.subspan(plan.results.size());
  SHARDY_TRY(Tensors arguments, comparator_arguments(plan, call.operands));
  if (plan.keys) {
    SHARDY_TRY(const auto keys, plan.keys->keys(std::move(arguments), captured));
    std::visit([&](const auto& each) { sort_by(each, plan.line, order, call.pool); }, keys);
    return order;
  }
  SHARDY_TRY(const LaneFunction::Lanes less, plan.less.lanes(std::ssize(order), captured));
  const PlaceOrder places(less, arguments);
  const auto line = static_cast<std::size_t>(plan.line);
  SHARDY_TRY_STATUS(LockstepSort(places).sort(order, line));
  SHARDY_TRY_STATUS(OrderCheck(places, order, line).run());
  return order;
}

Result<Tensors> run_sort(const SortPlan& plan, const KernelCall& call) {
  Tensors results;
  if (plan.results.front().num_elements() == 0) {
    for (const Tensor& x : call.operands.first(plan.results.size())) results.push_back(x);
    return results;
  }
  SHARDY_TRY(const Order order, sorted(plan, call));
  for (std::size_t index = 0; index < plan.results.size(); ++index) {
    const ir::Type& type = plan.results[index];
    SHARDY_TRY(const Tensor lines, take(call.operands[index].data(), type.element(), order));
    SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
    std::vector<CopyDim> from_lines = plan.to_lines;
    for (CopyDim& dim : from_lines) std::swap(dim.from_stride, dim.to_stride);
    StridedCopy(std::move(from_lines), ir::size_bytes(type.element()))
        .run(lines.data(), out.data(), 0, 0, call.pool);
    results.push_back(std::move(out).finish());
  }
  return results;
}

/// Returns loops over the elements with the sorted dim innermost.
std::vector<CopyDim> lines_of(const ir::Type& x, std::size_t along) {
  const std::vector<int64_t> strides = row_major_strides(x.dims());
  std::vector<CopyDim> dims;
  for (std::size_t dim = 0; dim < strides.size(); ++dim) {
    if (dim != along) dims.push_back({x.dim(dim), strides[dim], 0});
  }
  dims.push_back({x.dim(along), strides[along], 0});
  int64_t stride = 1;
  for (std::size_t dim = dims.size(); dim-- > 0;) {
    dims[dim].to_stride = stride;
    stride *= std::max<int64_t>(dims[dim].size, 1);
  }
  return dims;
}

Result<Kernel> make_sort(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand();
  const int64_t dimension = reader.view<ir::SortOp>().dim.value_or(-1);
  const auto along = static_cast<std::size_t>(dimension < 0 ? dimension + x.rank() : dimension);
  SHARDY_TRY(LaneFunction less, LaneFunction::make(request));
  SHARDY_TRY(std::optional<KeyOrder> keys, KeyOrder::recognize(request));
  SortPlan plan{std::move(keys), std::move(less), x.dim(along), lines_of(x, along), {}};
  for (std::size_t index = 0; index < reader.num_operands(); ++index) {
    for (std::size_t side = 0; side < 2; ++side) {
      SHARDY_TRY_STATUS(expect_conversion(reader, reader.operand(index),
                                          plan.less.arguments()[2 * index + side]));
    }
    plan.results.push_back(reader.result(index));
  }
  auto shared = std::make_shared<const SortPlan>(std::move(plan));
  return [plan = std::move(shared)](const KernelCall& call) { return run_sort(*plan, call); };
}

struct RowShape {
  std::size_t rows;
  std::size_t size;
  std::size_t kept;
};

/// Writes the positions of the `kept` greatest elements of each row. Equal elements keep their
/// order.
using RankLoop = void (*)(const std::byte* x, int32_t* places, const RowShape& shape);

int64_t order_key(Bool x) { return x.raw; }
uint64_t order_key(Prime x) { return prime_field::order_key(x.raw); }
template <Integer T>
Wide<T> order_key(T x) {
  return widen(x);
}
/// The total order: -NaN is lowest, +NaN is greatest. Spec: stablehlo 20.
template <Float T>
int64_t order_key(T x) {
  const auto magnitude = static_cast<BitsOf<T>>(std::bit_cast<BitsOf<T>>(x) & ~kSignMask<T>);
  return is_negative(x) ? -static_cast<int64_t>(magnitude) - 1 : static_cast<int64_t>(magnitude);
}

template <class T>
void rank_rows(const std::byte* x, int32_t* places, const RowShape& shape) {
  const auto* row = reinterpret_cast<const T*>(x);
  std::vector<int32_t> order(shape.size);
  const auto kept = static_cast<std::ptrdiff_t>(shape.kept);
  for (std::size_t index = 0; index < shape.rows; ++index, row += shape.size) {
    std::iota(order.begin(), order.end(), 0);
    const auto goes_first = [&](int32_t left, int32_t right) {
      const auto left_key = order_key(row[left]);
      const auto right_key = order_key(row[right]);
      return left_key != right_key ? left_key > right_key : left < right;
    };
    std::partial_sort(order.begin(), order.begin() + kept, order.end(), goes_first);
    places = std::copy_n(order.begin(), kept, places);
  }
}

RankLoop pick_rank(ir::ElementType type) {
  return with_element(type, []<class T>(Tag<T>) -> RankLoop {
    if constexpr (Element<T> && !Complex<T> && !std::same_as<T, PrimePair>) {
      return &rank_rows<T>;
    } else {
      return nullptr;
    }
  });
}

/// Ranks floats of one byte by the rank of their codes, as i8.
struct RowRanking {
  ir::ElementType element;
  RankLoop loop;

  void run(const Tensor& x, int32_t* places, const RowShape& shape) const {
    if (!is_tiny_float(element)) return loop(x.data(), places, shape);
    std::vector<int8_t> keys(x.bytes().size());
    std::ranges::transform(x.bytes(), keys.begin(), [&](std::byte code) {
      return code_rank(element, std::to_integer<uint8_t>(code));
    });
    loop(std::as_bytes(std::span(keys)).data(), places, shape);
  }
};

void gather_rows(const Tensor& x, std::span<const int32_t> places, const RowShape& shape,
                 std::byte* out) {
  const std::size_t bytes = ir::size_bytes(x.type().element());
  for (std::size_t at = 0; at < places.size(); ++at) {
    const std::size_t row = at / shape.kept;
    const std::size_t from = row * shape.size + static_cast<std::size_t>(places[at]);
    out = std::copy_n(x.data() + from * bytes, bytes, out);
  }
}

Result<Kernel> make_top_k(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand();
  const int64_t size = x.dims().back();
  SHARDY_TRY_STATUS(reader.expect(size <= INT32_MAX, "the last dim has too many elements"));
  const bool is_tiny = is_tiny_float(x.element());
  const RowRanking ranking{x.element(), pick_rank(is_tiny ? ir::ElementType::I8 : x.element())};
  if (ranking.loop == nullptr) return reader.unsupported_element(x.element());
  const RowShape shape{static_cast<std::size_t>(size == 0 ? 0 : x.num_elements() / size),
                       static_cast<std::size_t>(size),
                       static_cast<std::size_t>(reader.result().dims().back())};
  return [ranking, shape, values_type = reader.result(0),
          places_type = reader.result(1)](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter places, TensorWriter::make(places_type));
    SHARDY_TRY(TensorWriter values, TensorWriter::make(values_type));
    ranking.run(call.operands[0], places.elements<int32_t>().data(), shape);
    gather_rows(call.operands[0], places.elements<int32_t>(), shape, values.data());
    Tensor greatest = std::move(values).finish();
    return Tensors{std::move(greatest), std::move(places).finish()};
  };
}

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
  if (sides_of(module, block, sides[0]) == 2) {  // b(p) > a(q) has the sides swapped
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

}  // namespace

SHARDY_KERNEL(Sort, make_sort)

SHARDY_KERNEL(ChloTopK, make_top_k)

}  // namespace shardy::simulation
