// Programs that know their gradients: reverse differentiation on top of the graph builder, with
// GShard's annotations, which hold for gradients as well.
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

/// Writes ops of f32 tensors and remembers how each passes its gradient on, from its result to what
/// depends on variables. What is written to the builder directly is constant: masks, labels.
class Tape {
 public:
  using ValueId = shardy::ir::ValueId;
  using Dims = shardy::ir::GraphBuilder::Dims;

  explicit Tape(shardy::ir::GraphBuilder& builder) : g(builder) {}

  /// Something that gradients are wanted of.
  ValueId variable(ValueId x);

  /// "gsm,me->gse": letters of both operands and of the result. Each letter of an operand stands in
  /// the other one or in the result.
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
  /// The sum over some dims, which the result does not have.
  ValueId sum(ValueId x, const Dims& dims);
  /// The result has this shape, and dim k of `x` at dims[k].
  ValueId spread(ValueId x, const Dims& shape, const Dims& dims);
  /// Over the last dim.
  ValueId softmax(ValueId x);
  /// The value and its gradient, split along one dim.
  ValueId split(ValueId x, int64_t dim, const std::vector<std::string>& axes);

  /// Of a scalar, with respect to each of these; zeros for what it does not depend on.
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
