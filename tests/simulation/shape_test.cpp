// Ops that move elements, against the index formulas of stablehlo 21.
#include "simulation/random_values.hpp"

namespace shardy_test::shape_test {
namespace {

/// Types of one, two, four, eight and sixteen bytes.
const std::vector<ElementType> kElements = {ElementType::I8, ElementType::BF16, ElementType::F32,
                                            ElementType::I64, ElementType::Complex128};

Tensor one_result(const Tensors& inputs,
                  const std::function<ValueId(GraphBuilder&, const Values&)>& body) {
  return evaluate_graph(inputs, [&](GraphBuilder& graph, const Values& arguments) {
    return Values{body(graph, arguments)};
  })[0];
}

TEST_CASE("iota counts in i64 and converts each element once", "[simulation][layout]") {
  const auto iota = [](const Type& type, int64_t dim) {
    return one_result({},
                      [&](GraphBuilder& graph, const Values&) { return graph.iota(type, dim); });
  };
  CHECK(iota(Type::tensor({2, 3}, ElementType::F32), 1) ==
        tensor(ElementType::F32, {2, 3}, {0, 1, 2, 0, 1, 2}));
  CHECK(iota(Type::tensor({2, 3}, ElementType::I32), 0) ==
        tensor(ElementType::I32, {2, 3}, {0, 0, 0, 1, 1, 1}));
  CHECK(iota(Type::tensor({259}, ElementType::UI8), 0).to_doubles()[258] == 2);
  CHECK(iota(Type::tensor({259}, ElementType::BF16), 0).to_doubles()[257] == 256);
  CHECK(iota(Type::tensor({259}, ElementType::BF16), 0).to_doubles()[258] == 258);
  CHECK(iota(Type::tensor({0, 3}, ElementType::I32), 1).num_elements() == 0);
}

TEST_CASE("broadcast_in_dim repeats elements, also with dims out of order",
          "[simulation][layout][random]") {
  Random random;
  for (int round = 0; round < 60; ++round) {
    const Dims result = random.shape(4, 4);
    Dims all(result.size());
    std::iota(all.begin(), all.end(), 0);
    Dims to = random.shuffled(all);
    to.resize(static_cast<std::size_t>(random.between(0, std::ssize(result))));
    Dims sizes;
    for (const int64_t dim : to) {
      sizes.push_back(random.chance(30) ? 1 : result[static_cast<std::size_t>(dim)]);
    }
    const Tensor x = counting(random.pick(kElements), sizes);
    CAPTURE(sizes, to, result);
    const Grid in(x);
    const Grid expected = grid_of(result, [&](const Dims& index) {
      Dims from;
      for (std::size_t dim = 0; dim < to.size(); ++dim) {
        from.push_back(sizes[dim] == 1 ? 0 : index[static_cast<std::size_t>(to[dim])]);
      }
      return in.at(from);
    });
    CHECK(one_result({x}, [&](GraphBuilder& graph, const Values& arguments) {
            return graph.broadcast_in_dim(arguments[0], result, to);
          }) == expected.as(x.type().element()));
  }
}

TEST_CASE("transpose permutes dims and reverse mirrors dims", "[simulation][layout][random]") {
  Random random;
  for (int round = 0; round < 60; ++round) {
    const Dims sizes = random.shape(4, 4);
    const Tensor x = counting(random.pick(kElements), sizes);
    const Grid in(x);
    Dims order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    order = random.shuffled(order);
    Dims turned(sizes.size());
    for (std::size_t dim = 0; dim < order.size(); ++dim) {
      turned[dim] = sizes[static_cast<std::size_t>(order[dim])];
    }
    CAPTURE(sizes, order);
    const Grid transposed = grid_of(turned, [&](const Dims& index) {
      Dims from(index.size());
      for (std::size_t dim = 0; dim < order.size(); ++dim) {
        from[static_cast<std::size_t>(order[dim])] = index[dim];
      }
      return in.at(from);
    });
    CHECK(one_result({x}, [&](GraphBuilder& graph, const Values& arguments) {
            return graph.transpose(arguments[0], order);
          }) == transposed.as(x.type().element()));
    Dims mirrored = order;
    mirrored.resize(static_cast<std::size_t>(random.between(0, std::ssize(order))));
    const Grid reversed = grid_of(sizes, [&](Dims index) {
      for (const int64_t dim : mirrored) {
        const auto d = static_cast<std::size_t>(dim);
        index[d] = sizes[d] - 1 - index[d];
      }
      return in.at(index);
    });
    CHECK(one_result({x}, [&](GraphBuilder& graph, const Values& arguments) {
            return graph.reverse(arguments[0], mirrored);
          }) == reversed.as(x.type().element()));
  }
}

TEST_CASE("slice takes every stride-th element", "[simulation][layout][random]") {
  Random random;
  for (int round = 0; round < 60; ++round) {
    const Dims sizes = random.shape(3, 7);
    Dims starts;
    Dims limits;
    Dims strides;
    Dims result;
    for (const int64_t size : sizes) {
      starts.push_back(random.between(0, size));
      limits.push_back(random.between(starts.back(), size));
      strides.push_back(random.between(1, 3));
      int64_t count = 0;
      for (int64_t at = starts.back(); at < limits.back(); at += strides.back()) ++count;
      result.push_back(count);
    }
    CAPTURE(sizes, starts, limits, strides);
    const Tensor x = counting(random.pick(kElements), sizes);
    const Grid in(x);
    const Grid expected = grid_of(result, [&](Dims index) {
      for (std::size_t dim = 0; dim < index.size(); ++dim) {
        index[dim] = starts[dim] + index[dim] * strides[dim];
      }
      return in.at(index);
    });
    CHECK(one_result({x}, [&](GraphBuilder& graph, const Values& arguments) {
            return graph.slice(arguments[0], starts, limits, strides);
          }) == expected.as(x.type().element()));
  }
}

TEST_CASE("pad supports negative, interior and edge padding", "[simulation][layout]") {
  const auto pad = [](const Tensor& x, int64_t low, int64_t high, int64_t interior) {
    return one_result({x, tensor(x.type().element(), {}, {9})},
                      [&](GraphBuilder& graph, const Values& arguments) {
                        return graph.pad(arguments[0], arguments[1], {low}, {high}, {interior});
                      });
  };
  const Tensor x = vector_of(ElementType::I32, {1, 2, 3});
  CHECK(pad(x, -1, 2, 1) == vector_of(ElementType::I32, {9, 2, 9, 3, 9, 9}));
  CHECK(pad(x, 0, 0, 2) == vector_of(ElementType::I32, {1, 9, 9, 2, 9, 9, 3}));
  CHECK(pad(x, -2, -1, 0) == vector_of(ElementType::I32, {}));
  CHECK(pad(x, -5, 4, 0) == vector_of(ElementType::I32, {9, 9}));
  CHECK(pad(x, 4, -5, 0) == vector_of(ElementType::I32, {9, 9}));
  CHECK(pad(vector_of(ElementType::I32, {}), 1, 1, 3) == vector_of(ElementType::I32, {9, 9}));
}

TEST_CASE("pad moves each element to the index of its formula", "[simulation][layout][random]") {
  Random random;
  for (int round = 0; round < 60; ++round) {
    Dims sizes = random.shape(3, 5);
    Dims low;
    Dims high;
    Dims interior;
    Dims result;
    for (int64_t& size : sizes) {
      low.push_back(random.between(-6, 6));
      interior.push_back(random.between(0, 3));
      const int64_t spread = size + std::max<int64_t>(size - 1, 0) * interior.back();
      high.push_back(random.between(std::max<int64_t>(-6, -low.back() - spread), 6));
      result.push_back(low.back() + spread + high.back());
      if (result.back() < 0) {
        low.back() = high.back() = 0;
        result.back() = spread;
      }
    }
    CAPTURE(sizes, low, high, interior);
    const Tensor x = counting(random.pick(kElements), sizes);
    const Grid in(x);
    Grid expected = grid_of(result, [](const Dims&) { return 99; });
    for_each_index(sizes, [&](const Dims& index) {
      Dims to;
      bool inside = true;
      for (std::size_t dim = 0; dim < index.size(); ++dim) {
        to.push_back(low[dim] + index[dim] * (interior[dim] + 1));
        inside = inside && to.back() >= 0 && to.back() < result[dim];
      }
      if (inside) expected.at(to) = in.at(index);
    });
    CHECK(one_result({x, scalar(x.type().element(), 99)},
                     [&](GraphBuilder& graph, const Values& arguments) {
                       return graph.pad(arguments[0], arguments[1], low, high, interior);
                     }) == expected.as(x.type().element()));
  }
}

TEST_CASE("padding with an invalid result shape is an error", "[simulation][layout]") {
  GraphBuilder graph;
  shardy::ir::Module module;
  const Type x = Type::tensor({3}, ElementType::F32);
  const Type value = Type::tensor({}, ElementType::F32);
  const std::string too_large = "result is too large: a size does not fit 64 bits";
  for (const auto& [low, high, interior, error] :
       std::vector<std::tuple<int64_t, int64_t, int64_t, std::string>>{
           {INT64_MIN, INT64_MAX, 0,
            "inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) "
            "'tensor<3xf32>'"},
           {INT64_MAX, INT64_MAX, 0, too_large},
           {0, 0, INT64_MAX, too_large},
           {0, 0, -1, "interior_padding of dim 0 must be at least 0, got -1"}}) {
    const Type types[] = {x, value};
    const auto function = module.add_function("f" + std::to_string(module.num_ops()), types, {x});
    const auto block = module.entry(function);
    shardy::ir::AttributeMap attributes;
    using shardy::ir::DenseArrayAttr;
    attributes.set("edge_padding_low", DenseArrayAttr{ElementType::I64, {low}});
    attributes.set("edge_padding_high", DenseArrayAttr{ElementType::I64, {high}});
    attributes.set("interior_padding", DenseArrayAttr{ElementType::I64, {interior}});
    const auto op = module.create({.kind = OpKind::Pad,
                                   .operands = {module.args(block)[0], module.args(block)[1]},
                                   .result_types = {x},
                                   .attributes = attributes});
    module.append(block, op);
    const Tensor inputs[] = {counting(ElementType::F32, {3}), scalar(ElementType::F32, 0)};
    CHECK(message_of(shardy::simulation::evaluate(module, op, inputs)) ==
          "'stablehlo.pad' op " + error);
  }
}

TEST_CASE("concatenate joins its operands in order", "[simulation][layout]") {
  const auto concatenate = [](const Tensors& parts, int64_t dim) {
    return one_result(parts, [&](GraphBuilder& graph, const Values& arguments) {
      return graph.concatenate(arguments, dim);
    });
  };
  const Tensor a = counting(ElementType::F32, {2, 1});
  const Tensor b = counting(ElementType::F32, {2, 0});
  const Tensor c = counting(ElementType::F32, {2, 2}, 10);
  CHECK(concatenate({a, b, c}, 1) == tensor(ElementType::F32, {2, 3}, {0, 10, 11, 1, 12, 13}));
  CHECK(concatenate({c, c}, 0) ==
        tensor(ElementType::F32, {4, 2}, {10, 11, 12, 13, 10, 11, 12, 13}));
  CHECK(concatenate({a}, 0) == a);
}

TEST_CASE("dynamic starts are clamped to the operand", "[simulation][layout][garbage]") {
  const Tensor x = counting(ElementType::I32, {5});
  const auto slice_at = [&](const Tensor& start) {
    return one_result({x, start}, [](GraphBuilder& graph, const Values& arguments) {
      return graph.dynamic_slice(arguments[0], {arguments[1]}, {2});
    });
  };
  CHECK(slice_at(scalar(ElementType::I32, 1)) == vector_of(ElementType::I32, {1, 2}));
  CHECK(slice_at(scalar(ElementType::I32, -7)) == vector_of(ElementType::I32, {0, 1}));
  CHECK(slice_at(scalar(ElementType::I32, 100)) == vector_of(ElementType::I32, {3, 4}));
  CHECK(slice_at(integers(ElementType::I64, {}, {INT64_MIN})) ==
        vector_of(ElementType::I32, {0, 1}));
  // Unsigned indices are large, not negative.
  CHECK(slice_at(scalar(ElementType::UI8, 200)) == vector_of(ElementType::I32, {3, 4}));
  CHECK(slice_at(integers(ElementType::UI64, {}, {-1})) == vector_of(ElementType::I32, {3, 4}));
}

TEST_CASE("dynamic_update_slice writes the update where it fits", "[simulation][layout]") {
  const Tensor x = counting(ElementType::F32, {3, 3});
  const Tensor update = tensor(ElementType::F32, {2, 1}, {50, 51});
  const auto update_at = [&](int64_t row, int64_t column) {
    return one_result({x, update, scalar(ElementType::I64, static_cast<double>(row)),
                       scalar(ElementType::I64, static_cast<double>(column))},
                      [](GraphBuilder& graph, const Values& arguments) {
                        return graph.dynamic_update_slice(arguments[0], arguments[1],
                                                          {arguments[2], arguments[3]});
                      });
  };
  CHECK(update_at(1, 2) == tensor(ElementType::F32, {3, 3}, {0, 1, 2, 3, 4, 50, 6, 7, 51}));
  CHECK(update_at(9, -9) == tensor(ElementType::F32, {3, 3}, {0, 1, 2, 50, 4, 5, 51, 7, 8}));
}

/// Scalars, one for each dim: inside, before or after it. Unsigned ones are never before it.
Tensors random_starts(Random& random, const Dims& dims) {
  const ElementType element = random.pick(std::vector<ElementType>{
      ElementType::I8, ElementType::I32, ElementType::I64, ElementType::UI8, ElementType::UI64});
  const bool is_unsigned = element == ElementType::UI8 || element == ElementType::UI64;
  Tensors starts;
  for (const int64_t size : dims) {
    const int64_t start = random.chance(10) ? 120 : random.between(is_unsigned ? 0 : -2, size + 2);
    starts.push_back(scalar(element, static_cast<double>(start)));
  }
  return starts;
}

TEST_CASE("dynamic slices and updates use the indices of their formula",
          "[simulation][layout][random]") {
  Random random;
  for (int round = 0; round < 3000; ++round) {
    const Dims sizes = random.shape(3, 5);
    Dims window;
    for (const int64_t size : sizes) window.push_back(random.between(0, size));
    const Tensors starts = random_starts(random, sizes);
    Dims first;
    for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
      const auto start = static_cast<int64_t>(starts[dim].to_doubles()[0]);
      first.push_back(std::max<int64_t>(std::min(start, sizes[dim] - window[dim]), 0));
    }
    CAPTURE(sizes, window, first);
    const ElementType element = random.pick(kElements);
    const Tensor x = counting(element, sizes);
    const Tensor update = counting(element, window, 1);
    const Grid in(x);
    const Grid written(update);
    Tensors operands = {x};
    operands.insert(operands.end(), starts.begin(), starts.end());
    const Grid read = grid_of(window, [&](Dims index) {
      for (std::size_t dim = 0; dim < index.size(); ++dim) index[dim] += first[dim];
      return in.at(index);
    });
    CHECK(one_result(operands, [&](GraphBuilder& graph, const Values& arguments) {
            return graph.dynamic_slice(arguments[0], {arguments.begin() + 1, arguments.end()},
                                       window);
          }) == read.as(element));
    operands.insert(operands.begin() + 1, update);
    const Grid updated = grid_of(sizes, [&](const Dims& index) {
      Dims inside = index;
      for (std::size_t dim = 0; dim < index.size(); ++dim) {
        inside[dim] -= first[dim];
        if (inside[dim] < 0 || inside[dim] >= window[dim]) return in.at(index);
      }
      return written.at(inside);
    });
    CHECK(one_result(operands, [&](GraphBuilder& graph, const Values& arguments) {
            return graph.dynamic_update_slice(arguments[0], arguments[1],
                                              {arguments.begin() + 2, arguments.end()});
          }) == updated.as(element));
  }
}

TEST_CASE("reshape keeps the order of the elements", "[simulation][layout]") {
  const Tensor x = counting(ElementType::F16, {2, 3});
  CHECK(one_result({x}, [](GraphBuilder& graph, const Values& arguments) {
          return graph.reshape(arguments[0], {3, 1, 2});
        }) == counting(ElementType::F16, {3, 1, 2}));
}

}  // namespace
}  // namespace shardy_test::shape_test
