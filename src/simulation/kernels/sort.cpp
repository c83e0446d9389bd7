// sort: all operands permuted together, line by line, stable. Spec: stablehlo 25.1.
#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "shardy/ir/shape_ops.hpp"
#include "simulation/kernels/convert.hpp"
#include "simulation/kernels/copy_kernel.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"
#include "simulation/kernels/scatter_fold.hpp"
#include "simulation/kernels/sort_order.hpp"

namespace shardy::simulation {
namespace {

struct SortPlan {
  std::optional<KeyOrder> keys;
  LaneFunction less;
  int64_t line;                   // elements of a line
  std::vector<CopyDim> to_lines;  // from the layout of the operands to line after line
  std::vector<ir::Type> results;
};

/// Places of the elements, line after line.
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

/// Elements that a thread sorts at least.
constexpr int64_t kSortGrain = int64_t{1} << 13;

/// Threads share out lines.
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

/// The comparator on elements by their places.
class PlaceOrder {
 public:
  PlaceOrder(const LaneFunction::Lanes& less, const Tensors& arguments)
      : less_(less), arguments_(arguments) {}

  /// Returns for each row whether that of `p` is less than that of `q`, as i1.
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

/// Two neighbouring sorted runs that become one.
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

/// One comparison of all open merges. Left runs go first where neither side is less.
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

// ---- Comparators that no order fits -------------------------------------------------------------

/// Checks that rows are sorted, and which of them certainly precede the following ones.
class OrderCheck {
 public:
  OrderCheck(const PlaceOrder& less, const Order& order, std::size_t line)
      : less_(less), order_(order), line_(line) {}

  /// Errors: elements of which each is less than the next, and the last less than the first, while
  /// nothing is less the other way. Not every such circle is seen.
  Status run() {
    SHARDY_TRY_STATUS(find_chains());
    SHARDY_TRY_STATUS(expect_no_way_back([&](std::size_t at) { return chains_[at]; }));
    return expect_no_way_back([](std::size_t at) { return at < 2 ? at : at - 2; });
  }

 private:
  struct Pair {
    std::size_t first, last;  // in the order
  };

  /// Finds for each element the first element of the strictly increasing chain that ends at it.
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

  /// `first_of` gives an element before each one; only those of its chain count.
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
                std::to_string(order_[pair.first]) + " by way of others, and is not less");
  }

  /// Returns for each pair whether the first is less than the last, and not also the reverse.
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

/// Loops over the elements with the sorted dim innermost.
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

}  // namespace

SHARDY_KERNEL(Sort, make_sort)

}  // namespace shardy::simulation
