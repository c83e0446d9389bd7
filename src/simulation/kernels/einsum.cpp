// einsum, unary_einsum: sums and products named by letters.
// Spec: stablehlo 22, 30.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/ir/window_ops.hpp"
#include "simulation/kernels/composed.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {
namespace {

using ir::ValueId;
using Values = std::vector<ValueId>;
using Dims = std::vector<int64_t>;

/// "ij,jk->ik", taken apart. A letter per dim.
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

/// A value whose dims are named.
struct Named {
  ValueId value;
  std::string letters;
};

int64_t letter_place(const std::string& letters, char letter) {
  return static_cast<int64_t>(letters.find(letter));
}

/// Sums over what the result does not have, and brings the rest into its order.
ValueId arranged(ir::GraphBuilder& graph, const Named& from, const std::string& result) {
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

/// Letters of both operands are batch dims if the result has them, else contracted.
Named dot_of(ir::GraphBuilder& graph, const Equation& equation, const Values& operands,
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
    const Named dot = dot_of(graph, equation, operands, reader.result().element());
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

SHARDY_KERNEL(Einsum, make_einsum)
SHARDY_KERNEL(UnaryEinsum, make_unary_einsum)

}  // namespace shardy::simulation
