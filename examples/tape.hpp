// Reverse-mode differentiation on top of the graph builder. GShard's annotations also apply to the
// gradients.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <shardy/ir/graph_builder.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace examples {

/// A builder of ops on f32 tensors that records the gradient of each op. Ops that are added to the
/// graph builder directly, such as masks and labels, are constant.
class Tape {
 public:
  using ValueId = shardy::ir::ValueId;
  using Dims = shardy::ir::GraphBuilder::Dims;

  explicit Tape(shardy::ir::GraphBuilder& builder) : g(builder) {}

  /// Adds a variable, for which gradients exist.
  ValueId variable(ValueId x);

  /// Returns an einsum such as "gsm,me->gse": the letters of both operands and of the result. Each
  /// letter of an operand must occur in the other operand or in the result.
  ValueId einsum(std::string_view equation, ValueId a, ValueId b);
  ValueId add(ValueId a, ValueId b);
  ValueId subtract(ValueId a, ValueId b);
  ValueId multiply(ValueId a, ValueId b);
  ValueId divide(ValueId a, ValueId b);
  ValueId scale(ValueId x, double by);
  ValueId shift(ValueId x, double by);
  ValueId relu(ValueId x);
  ValueId exponential(ValueId x);
  ValueId log(ValueId x);
  ValueId rsqrt(ValueId x);
  /// Sums over some dims and removes them.
  ValueId sum(ValueId x, const Dims& dims);
  /// Broadcasts `x` to the shape `shape`. Dim k of `x` becomes dim dims[k].
  ValueId spread(ValueId x, const Dims& shape, const Dims& dims);
  /// Softmax over the last dim.
  ValueId softmax(ValueId x);
  /// Annotates the value and its gradient as split along one dim.
  ValueId split(ValueId x, int64_t dim, const std::vector<std::string>& axes);

  /// Returns the gradients of a scalar with respect to variables. The gradient of a variable that
  /// the scalar does not depend on is zero.
  std::vector<ValueId> gradients(ValueId loss, const std::vector<ValueId>& of);

 private:
  using Back = std::function<void(ValueId gradient)>;
  ValueId record(ValueId made, std::initializer_list<ValueId> from, Back back);
  bool is_variable(ValueId x) const { return variables_.contains(x.value); }
  void pass_on(ValueId to, const std::function<ValueId()>& gradient);
  Dims dims_of(ValueId x) const;
  ValueId filled(ValueId like, double with);
  ValueId product(std::string_view a_letters, std::string_view b_letters, std::string_view letters,
                  ValueId a, ValueId b);

  struct Step {
    ValueId made;
    Back back;
  };
  shardy::ir::GraphBuilder& g;
  std::vector<Step> steps_;
  std::unordered_set<uint32_t> variables_;
  std::unordered_map<uint32_t, ValueId> gradient_of_;
};

}  // namespace examples
