#include "tape.hpp"

#include <algorithm>
#include <utility>

namespace examples {

using shardy::ir::DotDims;
using shardy::ir::Type;

Tape::ValueId Tape::variable(ValueId x) {
  variables_.insert(x.value);
  return x;
}

Tape::ValueId Tape::record(ValueId made, std::initializer_list<ValueId> from, Back back) {
  if (std::ranges::none_of(from, [&](ValueId each) { return is_variable(each); })) return made;
  steps_.push_back({made, std::move(back)});
  return variable(made);
}

void Tape::pass_on(ValueId to, const std::function<ValueId()>& gradient) {
  if (!is_variable(to)) return;
  const auto known = gradient_of_.find(to.value);
  if (known == gradient_of_.end()) {
    gradient_of_.emplace(to.value, gradient());
  } else {
    known->second = g.add(known->second, gradient());
  }
}

Tape::Dims Tape::dims_of(ValueId x) const {
  const Type type = g.type(x);  // a token after an error
  if (!type.is_static_tensor()) return {};
  return {type.dims().begin(), type.dims().end()};
}

Tape::ValueId Tape::filled(ValueId like, double with) { return g.splat(g.type(like), with); }

// ---- Products -----------------------------------------------------------------------------------

/// Letters in both operands and the result are batch dims. Letters in both operands only are
/// contracted. The other letters follow in the order of the operands.
Tape::ValueId Tape::product(std::string_view a_letters, std::string_view b_letters,
                            std::string_view letters, ValueId a, ValueId b) {
  DotDims dims;
  std::string made;
  for (std::size_t at = 0; at < a_letters.size(); ++at) {
    const std::size_t other = b_letters.find(a_letters[at]);
    if (other == std::string_view::npos) continue;
    const bool is_batch = letters.find(a_letters[at]) != std::string_view::npos;
    (is_batch ? dims.lhs_batch : dims.lhs_contracting).push_back(static_cast<int64_t>(at));
    (is_batch ? dims.rhs_batch : dims.rhs_contracting).push_back(static_cast<int64_t>(other));
    if (is_batch) made += a_letters[at];
  }
  for (const char letter : a_letters) {
    if (b_letters.find(letter) == std::string_view::npos) made += letter;
  }
  for (const char letter : b_letters) {
    if (a_letters.find(letter) == std::string_view::npos) made += letter;
  }
  const ValueId value = g.dot_general(a, b, dims);
  if (made == letters) return value;
  Dims order;
  for (const char letter : letters) order.push_back(static_cast<int64_t>(made.find(letter)));
  return g.transpose(value, order);
}

Tape::ValueId Tape::einsum(std::string_view equation, ValueId a, ValueId b) {
  const std::size_t comma = equation.find(',');
  const std::size_t arrow = equation.find("->");
  const std::string left(equation.substr(0, comma));
  const std::string right(equation.substr(comma + 1, arrow - comma - 1));
  const std::string result(equation.substr(arrow + 2));
  return record(product(left, right, result, a, b), {a, b}, [=, this](ValueId gradient) {
    pass_on(a, [&] { return product(result, right, left, gradient, b); });
    pass_on(b, [&] { return product(left, result, right, a, gradient); });
  });
}

// ---- Elementwise --------------------------------------------------------------------------------

Tape::ValueId Tape::add(ValueId a, ValueId b) {
  return record(g.add(a, b), {a, b}, [=, this](ValueId gradient) {
    pass_on(a, [&] { return gradient; });
    pass_on(b, [&] { return gradient; });
  });
}

Tape::ValueId Tape::subtract(ValueId a, ValueId b) {
  return record(g.subtract(a, b), {a, b}, [=, this](ValueId gradient) {
    pass_on(a, [&] { return gradient; });
    pass_on(b, [&] { return g.negate(gradient); });
  });
}

Tape::ValueId Tape::multiply(ValueId a, ValueId b) {
  return record(g.multiply(a, b), {a, b}, [=, this](ValueId gradient) {
    pass_on(a, [&] { return g.multiply(gradient, b); });
    pass_on(b, [&] { return g.multiply(gradient, a); });
  });
}

Tape::ValueId Tape::divide(ValueId a, ValueId b) {
  const ValueId quotient = g.divide(a, b);
  return record(quotient, {a, b}, [=, this](ValueId gradient) {
    const ValueId to_a = g.divide(gradient, b);
    pass_on(a, [&] { return to_a; });
    pass_on(b, [&] { return g.negate(g.multiply(to_a, quotient)); });
  });
}

Tape::ValueId Tape::scale(ValueId x, double by) {
  return record(g.multiply(x, filled(x, by)), {x}, [=, this](ValueId gradient) {
    pass_on(x, [&] { return g.multiply(gradient, filled(x, by)); });
  });
}

Tape::ValueId Tape::shift(ValueId x, double by) {
  return record(g.add(x, filled(x, by)), {x},
                [=, this](ValueId gradient) { pass_on(x, [&] { return gradient; }); });
}

Tape::ValueId Tape::relu(ValueId x) {
  const ValueId zero = filled(x, 0);
  return record(g.maximum(x, zero), {x}, [=, this](ValueId gradient) {
    pass_on(x, [&] { return g.select(g.compare(x, zero, "GT"), gradient, zero); });
  });
}

Tape::ValueId Tape::exponential(ValueId x) {
  const ValueId power = g.exponential(x);
  return record(power, {x}, [=, this](ValueId gradient) {
    pass_on(x, [&] { return g.multiply(gradient, power); });
  });
}

Tape::ValueId Tape::log(ValueId x) {
  return record(g.log(x), {x},
                [=, this](ValueId gradient) { pass_on(x, [&] { return g.divide(gradient, x); }); });
}

Tape::ValueId Tape::rsqrt(ValueId x) {
  const ValueId root = g.rsqrt(x);
  return record(root, {x}, [=, this](ValueId gradient) {
    const ValueId slope = g.multiply(filled(x, -0.5), g.divide(root, x));
    pass_on(x, [&] { return g.multiply(gradient, slope); });
  });
}

// ---- Dims ---------------------------------------------------------------------------------------

Tape::ValueId Tape::sum(ValueId x, const Dims& dims) {
  const Dims shape = dims_of(x);
  Dims kept;
  for (int64_t dim = 0; dim < std::ssize(shape); ++dim) {
    if (std::ranges::find(dims, dim) == dims.end()) kept.push_back(dim);
  }
  return record(g.reduce_sum(x, dims), {x}, [=, this](ValueId gradient) {
    pass_on(x, [&] { return g.broadcast_in_dim(gradient, shape, kept); });
  });
}

Tape::ValueId Tape::spread(ValueId x, const Dims& shape, const Dims& dims) {
  Dims added;
  for (int64_t dim = 0; dim < std::ssize(shape); ++dim) {
    if (std::ranges::find(dims, dim) == dims.end()) added.push_back(dim);
  }
  return record(g.broadcast_in_dim(x, shape, dims), {x}, [=, this](ValueId gradient) {
    pass_on(x, [&] { return g.reduce_sum(gradient, added); });
  });
}

/// Computes the softmax of each row, after subtracting the greatest element of the row. That
/// element counts as a constant, because subtracting it does not change the result.
Tape::ValueId Tape::softmax(ValueId x) {
  const Dims shape = dims_of(x);
  Dims rows;
  for (int64_t dim = 0; dim + 1 < std::ssize(shape); ++dim) rows.push_back(dim);
  const Dims last = {std::max<int64_t>(std::ssize(shape) - 1, 0)};
  const ValueId top = g.broadcast_in_dim(g.reduce_max(x, last), shape, rows);
  const ValueId powers = exponential(subtract(x, top));
  return divide(powers, spread(sum(powers, last), shape, rows));
}

Tape::ValueId Tape::split(ValueId x, int64_t dim, const std::vector<std::string>& axes) {
  return record(g.split(x, dim, axes), {x}, [=, this](ValueId gradient) {
    pass_on(x, [&] { return g.split(gradient, dim, axes); });
  });
}

// ---- Gradients ----------------------------------------------------------------------------------

std::vector<Tape::ValueId> Tape::gradients(ValueId loss, const std::vector<ValueId>& of) {
  gradient_of_ = {{loss.value, filled(loss, 1)}};
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const auto gradient = gradient_of_.find(step->made.value);
    if (gradient != gradient_of_.end()) step->back(gradient->second);
  }
  std::vector<ValueId> gradients;
  for (const ValueId value : of) {
    const auto gradient = gradient_of_.find(value.value);
    gradients.push_back(gradient != gradient_of_.end() ? gradient->second : filled(value, 0));
  }
  return gradients;
}

}  // namespace examples
