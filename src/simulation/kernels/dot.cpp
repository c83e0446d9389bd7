// Kernels of sums of products. dot_general brings both operands into matrix form and computes one
// matrix product per batch. ragged_dot multiplies the parts of lhs that belong to groups. einsum
// names dims by letters. Spec: stablehlo 22, 29, 30.
#include "simulation/kernels/dot.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/window_ops.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/thread_pool.hpp"

namespace shardy::simulation {
namespace {

using Dims = std::vector<int64_t>;

struct DotPlan {
  OperandForm lhs;
  OperandForm rhs;
  int64_t num_batches;
  ProductShape shape;
  MatrixProduct product;
  ir::Type sum_type;  // type of the result before conversion, with the element type of the sums
  ir::Type result;
};

/// The smallest number of multiplications that is worth a separate thread.
constexpr int64_t kProductGrain = int64_t{1} << 20;

/// Multiplies the rows of all batches as one sequence of rows. An element does not depend on the
/// rows that are computed with it.
void multiply_rows(const DotPlan& plan, const Tensor& lhs, const Tensor& rhs, std::byte* out,
                   std::pair<int64_t, int64_t> range) {
  const auto bytes = static_cast<int64_t>(ir::size_bytes(plan.sum_type.element()));
  const ProductShape& shape = plan.shape;
  for (int64_t row = range.first; row < range.second;) {
    const int64_t batch = row / shape.rows;
    ProductShape part = shape;
    part.rows = std::min(range.second, (batch + 1) * shape.rows) - row;
    plan.product(lhs.data() + row * shape.depth * bytes,
                 rhs.data() + batch * shape.depth * shape.columns * bytes,
                 out + row * shape.columns * bytes, part);
    row += part.rows;
  }
}

Result<Tensors> run_dot(const DotPlan& plan, const KernelCall& call) {
  SHARDY_TRY(const Tensor lhs, plan.lhs.of(call.operands[0]));
  SHARDY_TRY(const Tensor rhs, plan.rhs.of(call.operands[1]));
  SHARDY_TRY(TensorWriter out, TensorWriter::make(plan.sum_type));
  const ProductShape& shape = plan.shape;
  const int64_t num_rows = plan.sum_type.num_elements() == 0 ? 0 : plan.num_batches * shape.rows;
  // The preparation of each range must be cheap compared to its products.
  constexpr int64_t kFewRows = 32;
  const int64_t grain =
      std::max(kFewRows, kProductGrain / std::max<int64_t>(shape.columns * shape.depth, 1));
  for_ranges(call.pool, num_rows, grain, [&](int64_t begin, int64_t end) {
    multiply_rows(plan, lhs, rhs, out.data(), {begin, end});
  });
  SHARDY_TRY(Tensor result, converted(std::move(out).finish(), plan.result.element()));
  return Tensors{std::move(result)};
}

// ---- Reading the op --------------------------------------------------------------------------

Dims joined(std::initializer_list<const Dims*> lists) {
  Dims all;
  for (const Dims* list : lists) all.insert(all.end(), list->begin(), list->end());
  return all;
}

Result<Kernel> dot_kernel(const OpReader& reader, const ir::DotDims& dims) {
  const ir::Type& lhs = reader.operand(0);
  const ir::Type& rhs = reader.operand(1);
  const ir::Type& result = reader.result();
  const Dims lhs_free = ir::ragged_free_dims(lhs.rank(), dims.lhs_batch, dims.lhs_contracting);
  const Dims rhs_free = ir::ragged_free_dims(rhs.rank(), dims.rhs_batch, dims.rhs_contracting);
  const Dims batch_sizes = sizes_of(lhs, dims.lhs_batch);
  const Dims lhs_sizes = sizes_of(lhs, lhs_free);
  const Dims rhs_sizes = sizes_of(rhs, rhs_free);
  const ir::ElementType sum = sum_element(result.element());
  SHARDY_TRY(const MatrixProduct product_loop, read_product(reader));
  SHARDY_TRY(const ir::Type sum_type, reader.at_op(ir::Type::make_tensor(
                                          {result.dims().begin(), result.dims().end()}, sum)));
  DotPlan plan{
      OperandForm(lhs, joined({&dims.lhs_batch, &lhs_free, &dims.lhs_contracting}),
                  result.element()),
      OperandForm(rhs, joined({&dims.rhs_batch, &dims.rhs_contracting, &rhs_free}),
                  result.element()),
      product(batch_sizes),
      {product(lhs_sizes), product(rhs_sizes), product(sizes_of(lhs, dims.lhs_contracting))},
      product_loop,
      sum_type,
      result};
  return [plan = std::move(plan)](const KernelCall& call) { return run_dot(plan, call); };
}

Result<Kernel> make_dot_general(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  return dot_kernel(reader, reader.view<ir::DotGeneralOp>().dims);
}

/// Makes the kernel of dot: contracts the last dim of lhs with the first dim of rhs.
Result<Kernel> make_dot(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  return dot_kernel(reader, {.lhs_batch = {},
                             .rhs_batch = {},
                             .lhs_contracting = {reader.operand(0).rank() - 1},
                             .rhs_contracting = {0}});
}

/// A group: the elements [begin, end) of the ragged dim.
struct RaggedGroup {
  int64_t begin = 0;
  int64_t end = 0;
};

/// The position of an element in the ragged dim, and the index of its list of group sizes.
struct RaggedPlace {
  int64_t ragged = 0;
  int64_t list = 0;
};

/// Returns the groups with the given sizes. Negative sizes count as 0, and the end of the ragged
/// dim truncates groups.
std::vector<RaggedGroup> groups_of(const Tensor& sizes, int64_t ragged_size) {
  const ir::ElementType element = sizes.type().element();
  const std::size_t bytes = ir::size_bytes(element);
  const int64_t num_groups = sizes.type().dims().back();
  std::vector<RaggedGroup> groups;
  groups.reserve(static_cast<std::size_t>(sizes.type().num_elements()));
  int64_t begin = 0;
  for (int64_t index = 0; index < sizes.type().num_elements(); ++index) {
    if (index % num_groups == 0) begin = 0;
    const auto at = static_cast<std::size_t>(index) * bytes;
    const int64_t number = ir::decode_int(sizes.bytes().subspan(at, bytes), element);
    const bool is_huge = ir::is_unsigned_integer(element) && number < 0;
    const int64_t size = is_huge ? ragged_size : std::max<int64_t>(number, 0);
    const int64_t end = begin + std::min(size, ragged_size - begin);
    groups.push_back({begin, end});
    begin = end;
  }
  return groups;
}

/// A ragged_dot as matrix products. Operands have the dims [batch, free or group.., depth..].
struct RaggedPlan {
  OperandForm lhs;
  OperandForm rhs;
  ir::RaggedMode mode;
  int64_t num_batches;
  int64_t num_groups;
  ProductShape shape;              // one product over all groups of one batch
  std::vector<RaggedPlace> rows;   // Free mode: position of each row of a batch
  std::vector<RaggedPlace> depth;  // Contracting mode: position of each contracted element
  std::vector<int64_t> lists;      // index of the first list of group sizes, per batch
  int64_t ragged_size;
  MatrixProduct product;
  ir::Type sum_type;
  ir::Type result;
  int64_t bytes;  // size of an element
};

/// Multiplies each row with the rhs slice of its group. Rows that are in no group become zero.
void multiply_free(const RaggedPlan& plan, const std::vector<RaggedGroup>& groups,
                   const std::byte* lhs, const std::byte* rhs, std::byte* out) {
  const ProductShape row{1, plan.shape.columns, plan.shape.depth};
  const int64_t slice = row.depth * row.columns * plan.bytes;
  for (int64_t batch = 0; batch < plan.num_batches; ++batch) {
    for (const RaggedPlace& at : plan.rows) {
      const int64_t list = plan.lists[static_cast<std::size_t>(batch)] + at.list;
      const auto first = groups.begin() + list * plan.num_groups;
      const auto group = std::find_if(first, first + plan.num_groups, [&](const RaggedGroup& each) {
        return each.begin <= at.ragged && at.ragged < each.end;
      });
      if (group != first + plan.num_groups) {
        plan.product(lhs, rhs + (batch * plan.num_groups + (group - first)) * slice, out, row);
      }
      lhs += row.depth * plan.bytes;
      out += row.columns * plan.bytes;
    }
  }
}

/// The contracted elements of one group, in order, of matrices [rows, depth] and [depth, columns].
class GroupDepth {
 public:
  explicit GroupDepth(const RaggedPlan& plan)
      : plan_(plan),
        lhs_(static_cast<std::size_t>(plan.shape.rows * plan.shape.depth * plan.bytes)),
        rhs_(static_cast<std::size_t>(plan.shape.columns * plan.shape.depth * plan.bytes)) {}

  void multiply(const std::byte* lhs, const std::byte* rhs, const std::vector<int64_t>& picked,
                std::byte* out) {
    const ProductShape& all = plan_.shape;
    std::byte* to = lhs_.data();
    for (int64_t row = 0; row < all.rows; ++row) {
      for (const int64_t at : picked) {
        to = std::copy_n(lhs + (row * all.depth + at) * plan_.bytes, plan_.bytes, to);
      }
    }
    const int64_t line = all.columns * plan_.bytes;
    to = rhs_.data();
    for (const int64_t at : picked) to = std::copy_n(rhs + at * line, line, to);
    plan_.product(lhs_.data(), rhs_.data(), out,
                  {all.rows, all.columns, static_cast<int64_t>(picked.size())});
  }

 private:
  const RaggedPlan& plan_;
  std::vector<std::byte> lhs_;
  std::vector<std::byte> rhs_;
};

void multiply_contracting(const RaggedPlan& plan, const std::vector<RaggedGroup>& groups,
                          const std::byte* lhs, const std::byte* rhs, std::byte* out) {
  const ProductShape& shape = plan.shape;
  GroupDepth parts(plan);
  std::vector<int64_t> picked;
  for (int64_t group = 0; group < plan.num_groups; ++group) {
    for (int64_t batch = 0; batch < plan.num_batches; ++batch) {
      picked.clear();
      for (int64_t at = 0; at < shape.depth; ++at) {
        const RaggedPlace& where = plan.depth[static_cast<std::size_t>(at)];
        const int64_t list = plan.lists[static_cast<std::size_t>(batch)] + where.list;
        const RaggedGroup& own = groups[static_cast<std::size_t>(list * plan.num_groups + group)];
        if (own.begin <= where.ragged && where.ragged < own.end) picked.push_back(at);
      }
      parts.multiply(lhs + batch * shape.rows * shape.depth * plan.bytes,
                     rhs + batch * shape.depth * shape.columns * plan.bytes, picked, out);
      out += shape.rows * shape.columns * plan.bytes;
    }
  }
}

/// Multiplies batches. The ragged dim is a batch dim, so the groups do not matter.
void multiply_batches(const RaggedPlan& plan, const std::byte* lhs, const std::byte* rhs,
                      std::byte* out) {
  const ProductShape& shape = plan.shape;
  for (int64_t batch = 0; batch < plan.num_batches; ++batch) {
    plan.product(lhs, rhs, out, shape);
    lhs += shape.rows * shape.depth * plan.bytes;
    rhs += shape.depth * shape.columns * plan.bytes;
    out += shape.rows * shape.columns * plan.bytes;
  }
}

Result<Tensors> run_ragged_dot(const RaggedPlan& plan, const KernelCall& call) {
  SHARDY_TRY(const Tensor lhs, plan.lhs.of(call.operands[0]));
  SHARDY_TRY(const Tensor rhs, plan.rhs.of(call.operands[1]));
  SHARDY_TRY(TensorWriter out, TensorWriter::make(plan.sum_type));
  std::fill_n(out.data(), plan.sum_type.num_elements() * plan.bytes, std::byte{0});
  if (plan.sum_type.num_elements() > 0) {
    const std::vector<RaggedGroup> groups = plan.num_groups == 0
                                                ? std::vector<RaggedGroup>()
                                                : groups_of(call.operands[2], plan.ragged_size);
    if (plan.mode == ir::RaggedMode::Batch) {
      multiply_batches(plan, lhs.data(), rhs.data(), out.data());
    } else if (plan.mode == ir::RaggedMode::Free) {
      multiply_free(plan, groups, lhs.data(), rhs.data(), out.data());
    } else {
      multiply_contracting(plan, groups, lhs.data(), rhs.data(), out.data());
    }
  }
  SHARDY_TRY(Tensor result, converted(std::move(out).finish(), plan.result.element()));
  return Tensors{std::move(result)};
}

// ---- Reading the op --------------------------------------------------------------------------

/// Returns the positions of all elements of the dims `dims` of lhs. `strides` is the distance in
/// the list index between neighbours along each dim of lhs.
std::vector<RaggedPlace> positions(const ir::Type& lhs, const Dims& dims, int64_t ragged,
                                   const Dims& strides) {
  std::vector<RaggedPlace> all = {{}};
  for (const int64_t dim : dims) {
    const auto index = static_cast<std::size_t>(dim);
    std::vector<RaggedPlace> next;
    next.reserve(all.size() * static_cast<std::size_t>(lhs.dim(index)));
    for (const RaggedPlace& outer : all) {
      for (int64_t at = 0; at < lhs.dim(index); ++at) {
        next.push_back({dim == ragged ? at : outer.ragged, outer.list + at * strides[index]});
      }
    }
    all = std::move(next);
  }
  return all;
}

/// Returns the stride of each dim of lhs in the list index; 0 if all elements along the dim have
/// one list.
Dims list_strides(const ir::RaggedDotDims& dims, const ir::Type& lhs, const ir::Type& sizes) {
  Dims strides(lhs.dims().size());
  if (sizes.rank() == 1) return strides;
  int64_t stride = 1;
  const Dims prefix = ir::ragged_prefix(dims, lhs.rank());
  for (auto dim = prefix.rbegin(); dim != prefix.rend(); ++dim) {
    strides[static_cast<std::size_t>(*dim)] = stride;
    stride *= lhs.dim(static_cast<std::size_t>(*dim));
  }
  return strides;
}

Result<Kernel> make_ragged_dot(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::RaggedDotDims& dims = *reader.view<ir::RaggedDotOp>().dims;
  const ir::Type& lhs = reader.operand(0);
  const ir::Type& rhs = reader.operand(1);
  const ir::Type& result = reader.result();
  const ir::RaggedMode mode = ir::ragged_mode(dims);
  const int64_t ragged = dims.lhs_ragged.front();
  const Dims lhs_free = ir::ragged_free_dims(lhs.rank(), dims.lhs_batch, dims.lhs_contracting);
  const Dims rhs_free =
      ir::ragged_free_dims(rhs.rank(), dims.rhs_batch, dims.rhs_contracting, dims.rhs_group);
  const Dims strides = list_strides(dims, lhs, reader.operand(2));
  std::vector<int64_t> lists;
  for (const RaggedPlace& at : positions(lhs, dims.lhs_batch, ragged, strides)) {
    lists.push_back(at.list);
  }
  SHARDY_TRY(const MatrixProduct product_loop, read_product(reader));
  SHARDY_TRY(const ir::Type sum_type,
             reader.at_op(ir::Type::make_tensor({result.dims().begin(), result.dims().end()},
                                                sum_element(result.element()))));
  RaggedPlan plan{
      OperandForm(lhs, joined({&dims.lhs_batch, &lhs_free, &dims.lhs_contracting}),
                  result.element()),
      OperandForm(rhs, joined({&dims.rhs_batch, &dims.rhs_group, &dims.rhs_contracting, &rhs_free}),
                  result.element()),
      mode,
      product(sizes_of(lhs, dims.lhs_batch)),
      reader.operand(2).dims().back(),
      {product(sizes_of(lhs, lhs_free)), product(sizes_of(rhs, rhs_free)),
       product(sizes_of(lhs, dims.lhs_contracting))},
      positions(lhs, lhs_free, ragged, strides),
      positions(lhs, dims.lhs_contracting, ragged, strides),
      std::move(lists),
      lhs.dim(static_cast<std::size_t>(ragged)),
      product_loop,
      sum_type,
      result,
      static_cast<int64_t>(ir::size_bytes(sum_type.element()))};
  return [plan = std::move(plan)](const KernelCall& call) { return run_ragged_dot(plan, call); };
}

using ir::ValueId;
using Values = std::vector<ValueId>;

/// An equation such as "ij,jk->ik" as lists of letters, one letter per dim.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

bool are_distinct_letters(std::string_view letters) {
  std::string sorted(letters);
  std::ranges::sort(sorted);
  const bool only_letters = std::ranges::all_of(
      sorted, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
  return only_letters && std::ranges::adjacent_find(sorted) == sorted.end();
}

std::optional<Equation> parse_equation(std::string text) {
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  if (arrow == std::string::npos) return std::nullopt;
  Equation equation;
  equation.result = text.substr(arrow + 2);
  for (std::size_t at = 0; at <= arrow;) {
    const std::size_t end = std::min(text.find(',', at), arrow);
    equation.operands.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  const bool distinct = are_distinct_letters(equation.result) &&
                        std::ranges::all_of(equation.operands, are_distinct_letters);
  return distinct ? std::optional(equation) : std::nullopt;
}

Result<Equation> read_equation(const OpReader& reader) {
  SHARDY_TRY(const auto view, reader.read_view<ir::EinsumOp>());
  const std::optional<Equation> equation = parse_equation(*view.equation);
  bool fits = equation && equation->operands.size() == reader.num_operands();
  for (std::size_t index = 0; fits && index < reader.num_operands(); ++index) {
    fits = static_cast<int64_t>(equation->operands[index].size()) == reader.operand(index).rank();
  }
  const bool known =
      fits && std::ranges::all_of(equation->result, [&](char letter) {
        return std::ranges::any_of(equation->operands, [&](const std::string& letters) {
          return letters.find(letter) != std::string::npos;
        });
      });
  if (known) return *equation;
  return reader.fail("`einsum_config` does not fit the operands: " + *view.equation);
}

/// A value with a letter per dim.
struct LabeledValue {
  ValueId value;
  std::string letters;
};

int64_t letter_place(const std::string& letters, char letter) {
  return static_cast<int64_t>(letters.find(letter));
}

/// Sums over the dims that the result does not have and transposes the others into the order of the
/// result.
ValueId arranged(ir::GraphBuilder& graph, const LabeledValue& from, const std::string& result) {
  Dims summed;
  std::string left;
  for (const char letter : from.letters) {
    if (result.find(letter) == std::string::npos) {
      summed.push_back(letter_place(from.letters, letter));
    } else {
      left += letter;
    }
  }
  const ValueId kept = summed.empty() ? from.value : graph.reduce_sum(from.value, summed);
  Dims permutation;
  for (const char letter : result) permutation.push_back(letter_place(left, letter));
  return graph.transpose(kept, permutation);
}

/// Returns the product of two operands. Letters of both operands are batch dims if the result has
/// them, else contracted dims.
LabeledValue dot_of(ir::GraphBuilder& graph, const Equation& equation, const Values& operands,
                    ir::ElementType element) {
  const std::string& lhs = equation.operands[0];
  const std::string& rhs = equation.operands[1];
  ir::DotDims dims;
  std::string batch;
  std::string free;
  for (const char letter : lhs) {
    const bool is_shared = rhs.find(letter) != std::string::npos;
    const bool is_kept = equation.result.find(letter) != std::string::npos;
    if (!is_shared) {
      free += letter;
      continue;
    }
    if (is_kept) batch += letter;
    (is_kept ? dims.lhs_batch : dims.lhs_contracting).push_back(letter_place(lhs, letter));
    (is_kept ? dims.rhs_batch : dims.rhs_contracting).push_back(letter_place(rhs, letter));
  }
  for (const char letter : rhs) {
    if (lhs.find(letter) == std::string::npos) free += letter;
  }
  return {graph.dot_general(operands[0], operands[1], dims, element), batch + free};
}

Result<Kernel> make_einsum(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY_STATUS(reader.expect_counts(2, 1));
  SHARDY_TRY(const Equation equation, read_equation(reader));
  return composed_kernel(request, [&](ir::GraphBuilder& graph, const Values& operands) {
    const LabeledValue dot = dot_of(graph, equation, operands, reader.result().element());
    return Values{arranged(graph, dot, equation.result)};
  });
}

Result<Kernel> make_unary_einsum(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY_STATUS(reader.expect_counts(1, 1));
  SHARDY_TRY(const Equation equation, read_equation(reader));
  return composed_kernel(request, [&](ir::GraphBuilder& graph, const Values& operands) {
    return Values{arranged(graph, {operands[0], equation.operands[0]}, equation.result)};
  });
}

}  // namespace

std::vector<int64_t> sizes_of(const ir::Type& type, std::span<const int64_t> dims) {
  std::vector<int64_t> sizes;
  for (const int64_t dim : dims) sizes.push_back(type.dim(static_cast<std::size_t>(dim)));
  return sizes;
}

ir::ElementType sum_element(ir::ElementType result) {
  const bool is_wide = result == ir::ElementType::F32 || result == ir::ElementType::F64 ||
                       result == ir::ElementType::Exact;
  return ir::is_float(result) && !is_wide ? ir::ElementType::F32 : result;
}

Result<MatrixProduct> read_product(const OpReader& reader) {
  const ir::Type& result = reader.result();
  const ir::ElementType sum = sum_element(result.element());
  const MatrixProduct product = pick_matrix_product(sum);
  if (product == nullptr) return reader.unsupported_element(result.element());
  SHARDY_TRY_STATUS(expect_conversion(reader, reader.operand(0), result.element()));
  SHARDY_TRY_STATUS(expect_conversion(reader, reader.operand(1), result.element()));
  SHARDY_TRY_STATUS(expect_conversion(reader, result, sum));
  return product;
}

OperandForm::OperandForm(const ir::Type& operand, std::span<const int64_t> order,
                         ir::ElementType result, std::span<const int64_t> reversed)
    : result_(result), in_order_(reversed.empty() && std::ranges::is_sorted(order)), copy_({}, 1) {
  const std::vector<int64_t> strides = row_major_strides(operand.dims());
  for (const int64_t dim : order) sizes_.push_back(operand.dim(static_cast<std::size_t>(dim)));
  std::vector<CopyDim> dims = dims_written(sizes_);
  int64_t offset = 0;
  for (std::size_t index = 0; index < order.size(); ++index) {
    const int64_t stride = strides[static_cast<std::size_t>(order[index])];
    const bool backwards = std::ranges::find(reversed, order[index]) != reversed.end();
    dims[index].from_stride = backwards ? -stride : stride;
    if (backwards) offset += (sizes_[index] - 1) * stride;
  }
  copy_ = StridedCopy(std::move(dims), ir::size_bytes(sum_element(result)), offset);
}

Result<Tensor> OperandForm::of(const Tensor& operand) const {
  SHARDY_TRY(const Tensor rounded, converted(operand, result_));
  SHARDY_TRY(Tensor x, converted(rounded, sum_element(result_)));
  if (in_order_) return x.reshaped(x.type().with_dims(sizes_));
  SHARDY_TRY(TensorWriter out, TensorWriter::make(x.type().with_dims(sizes_)));
  copy_.run(x.data(), out.data());
  return std::move(out).finish();
}

SHARDY_KERNEL(DotGeneral, make_dot_general)
SHARDY_KERNEL(Dot, make_dot)

SHARDY_KERNEL(ChloRaggedDot, make_ragged_dot)

SHARDY_KERNEL(Einsum, make_einsum)
SHARDY_KERNEL(UnaryEinsum, make_unary_einsum)

}  // namespace shardy::simulation
