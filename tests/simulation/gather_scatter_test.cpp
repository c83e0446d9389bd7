// Compares gather and scatter with the index formulas of stablehlo 25.2 and 25.3.
#include <map>
#include <set>

#include "simulation/random_values.hpp"

namespace shardy_test::gather_scatter_test {
namespace {

using shardy::ir::DenseArrayAttr;
using shardy::ir::GatherDims;
using shardy::ir::OpSpec;
using shardy::ir::ScatterDims;

bool contains(const Dims& list, std::size_t dim) {
  return std::ranges::find(list, static_cast<int64_t>(dim)) != list.end();
}

DenseArrayAttr array(const Dims& values) { return {ElementType::I64, values}; }

/// The dims of a gather or a scatter, with the names of gather. `windows` are the window dims of
/// the result or of the updates, `sizes` the window sizes per operand dim.
struct IndexCase {
  Dims x;
  Dims indices;
  Dims windows, dropped, batching, indices_batching, map;
  int64_t vector_dim = 0;
  Dims sizes;
  Dims moved;  // shape of the result or of the updates

  /// Returns the index of the operand element for index `i` of the result or of the updates.
  /// `start` returns one element of the indices, `adjust` clamps it.
  Dims place(const Dims& i, const std::function<int64_t(const Dims&)>& start,
             const std::function<int64_t(int64_t value, std::size_t dim)>& adjust) const {
    Dims s;
    for (std::size_t dim = 0; dim < i.size(); ++dim) {
      if (!contains(windows, dim)) s.push_back(i[dim]);
    }
    if (vector_dim < std::ssize(indices)) s.insert(s.begin() + vector_dim, 0);
    Dims j(x.size(), 0);
    for (std::size_t q = 0; q < map.size(); ++q) {
      Dims at = s;
      if (vector_dim < std::ssize(indices)) {
        at[static_cast<std::size_t>(vector_dim)] = static_cast<int64_t>(q);
      }
      const auto dim = static_cast<std::size_t>(map[q]);
      j[dim] = adjust(start(at), dim);
    }
    for (std::size_t q = 0; q < batching.size(); ++q) {
      j[static_cast<std::size_t>(batching[q])] = s[static_cast<std::size_t>(indices_batching[q])];
    }
    std::size_t next = 0;
    for (std::size_t dim = 0; dim < x.size(); ++dim) {
      if (contains(dropped, dim) || contains(batching, dim)) continue;
      j[dim] += i[static_cast<std::size_t>(windows[next++])];
    }
    return j;
  }
};

IndexCase random_case(Random& random) {
  IndexCase made;
  const auto rank = random.between(0, 4);
  for (int64_t dim = 0; dim < rank; ++dim) {
    made.x.push_back(random.chance(4) ? 0 : random.between(1, 4));
  }
  Dims free;
  for (int64_t dim = 0; dim < rank; ++dim) {
    const int64_t kind = random.between(0, 9);
    if (kind < 2) {
      made.batching.push_back(dim);
    } else {
      if (kind < 5) made.dropped.push_back(dim);
      free.push_back(dim);
    }
  }
  made.map = random.shuffled(free);
  if (!made.map.empty()) {
    made.map.resize(static_cast<std::size_t>(random.between(0, std::ssize(made.map))));
  }
  // Dims of the indices: paired batching dims, other batch dims, and the dim of index vectors.
  Dims batch(made.batching.size() + static_cast<std::size_t>(random.between(0, 2)));
  for (int64_t& size : batch) size = random.chance(4) ? 0 : random.between(1, 3);
  Dims positions(batch.size());
  std::iota(positions.begin(), positions.end(), 0);
  positions = random.shuffled(positions);
  for (std::size_t pair = 0; pair < made.batching.size(); ++pair) {
    batch[static_cast<std::size_t>(positions[pair])] =
        made.x[static_cast<std::size_t>(made.batching[pair])];
  }
  made.indices = batch;
  const bool is_implicit = made.map.size() == 1 && random.chance(50);
  made.vector_dim = is_implicit ? std::ssize(batch) : random.between(0, std::ssize(batch));
  if (!is_implicit) {
    made.indices.insert(made.indices.begin() + made.vector_dim, std::ssize(made.map));
  }
  for (std::size_t pair = 0; pair < made.batching.size(); ++pair) {
    const int64_t position = positions[pair];
    made.indices_batching.push_back(position < made.vector_dim ? position : position + 1);
  }
  Dims window_sizes;
  for (std::size_t dim = 0; dim < made.x.size(); ++dim) {
    const bool is_window = !contains(made.dropped, dim) && !contains(made.batching, dim);
    const int64_t size =
        is_window ? random.between(0, made.x[dim]) : std::min<int64_t>(made.x[dim], 1);
    made.sizes.push_back(size);
    if (is_window) window_sizes.push_back(size);
  }
  const int64_t moved_rank = std::ssize(batch) + std::ssize(window_sizes);
  Dims order(static_cast<std::size_t>(moved_rank));
  std::iota(order.begin(), order.end(), 0);
  order = random.shuffled(order);
  order.resize(window_sizes.size());
  std::ranges::sort(order);
  made.windows = order;
  std::size_t next_window = 0;
  std::size_t next_batch = 0;
  for (std::size_t dim = 0; dim < static_cast<std::size_t>(moved_rank); ++dim) {
    made.moved.push_back(contains(made.windows, dim) ? window_sizes[next_window++]
                                                     : batch[next_batch++]);
  }
  return made;
}

/// Returns indices near the sizes of the operand. Some unsigned indices are 200.
Tensor random_indices(Random& random, const Dims& dims) {
  const ElementType element = random.pick(std::vector<ElementType>{
      ElementType::I32, ElementType::I64, ElementType::I8, ElementType::UI8, ElementType::UI64});
  const bool is_unsigned = element == ElementType::UI8 || element == ElementType::UI64;
  std::vector<double> values;
  for (int64_t index = 0; index < shardy::product(dims); ++index) {
    values.push_back(static_cast<double>(random.between(is_unsigned ? 0 : -2, 5)));
    if (is_unsigned && random.chance(10)) values.back() = 200;
  }
  return tensor(element, dims, values);
}

ValueId gather(GraphBuilder& graph, const Values& arguments, const IndexCase& dims) {
  OpSpec spec{.kind = OpKind::Gather, .operands = arguments};
  spec.attributes.set("dimension_numbers",
                      GatherDims{dims.windows, dims.dropped, dims.batching, dims.indices_batching,
                                 dims.map, dims.vector_dim});
  spec.attributes.set("slice_sizes", array(dims.sizes));
  return graph.value_of(std::move(spec));
}

const std::vector<ElementType> kElements = {ElementType::I8, ElementType::BF16, ElementType::F32,
                                            ElementType::I64, ElementType::Complex128};

std::string text_of(const IndexCase& dims) {
  std::string text;
  for (const auto* list : {&dims.x, &dims.indices, &dims.windows, &dims.dropped, &dims.batching,
                           &dims.indices_batching, &dims.map, &dims.sizes, &dims.moved}) {
    text += Catch::StringMaker<Dims>::convert(*list) + " ";
  }
  return text + std::to_string(dims.vector_dim);
}

TEST_CASE("gather clamps windows to the operand", "[simulation][gather][random]") {
  Random random;
  for (int round = 0; round < 4000; ++round) {
    const IndexCase dims = random_case(random);
    const Tensor x = counting(random.pick(kElements), dims.x, 1);
    const Tensor indices = random_indices(random, dims.indices);
    const Grid in(x);
    const Grid starts(indices);
    const bool reads = x.num_elements() > 0;
    const Grid expected = grid_of(dims.moved, [&](const Dims& i) {
      if (!reads) return 0.0;  // slices of size 0 in a collapsed dim read no element
      return in.at(dims.place(
          i, [&](const Dims& at) { return static_cast<int64_t>(starts.at(at)); },
          [&](int64_t value, std::size_t dim) {
            return std::min(std::max<int64_t>(value, 0), dims.x[dim] - dims.sizes[dim]);
          }));
    });
    const Tensor got = evaluate_graph({x, indices}, [&](GraphBuilder& graph, const Values& args) {
      return Values{gather(graph, args, dims)};
    })[0];
    if (got == expected.as(x.type().element())) continue;
    FAIL("round " << round << ": " << text_of(dims) << to_string(indices) << to_string(got));
  }
}

TEST_CASE("gather by indices beyond int64 takes the last window", "[simulation][gather]") {
  const IndexCase dims{.x = {4},
                       .indices = {2},
                       .windows = {},
                       .dropped = {0},
                       .batching = {},
                       .indices_batching = {},
                       .map = {0},
                       .vector_dim = 1,
                       .sizes = {1},
                       .moved = {2}};
  const auto run = [&](const Tensor& indices) {
    return evaluate_graph({counting(ElementType::F32, {4}), indices},
                          [&](GraphBuilder& graph, const Values& args) {
                            return Values{gather(graph, args, dims)};
                          })[0];
  };
  CHECK(run(integers(ElementType::UI64, {2}, {-1, 1})) == vector_of(ElementType::F32, {3, 1}));
  CHECK(run(integers(ElementType::I64, {2}, {-1, 1})) == vector_of(ElementType::F32, {0, 1}));
  CHECK(run(integers(ElementType::UI8, {2}, {200, 2})) == vector_of(ElementType::F32, {3, 2}));
}

// ---- scatter -----------------------------------------------------------------------------------

/// A reducer as a region and as a function of two numbers.
struct Reducer {
  std::string name;
  std::function<ValueId(GraphBuilder&, ValueId acc, ValueId x)> body;
  std::function<double(double acc, double x)> apply;
};

std::vector<Reducer> reducers() {
  const auto twice_less = [](GraphBuilder& graph, ValueId acc, ValueId x) {
    return graph.subtract(x, graph.add(acc, acc));
  };
  // A case has no elementwise kernel, so this reducer runs once per element.
  const auto larger = [](GraphBuilder& graph, ValueId acc, ValueId x) {
    const ValueId keeps = graph.compare(acc, x, "GE");
    return graph.if_else(
        keeps, [&] { return Values{acc}; }, [&] { return Values{x}; })[0];
  };
  return {
      {"add", [](GraphBuilder& graph, ValueId acc, ValueId x) { return graph.add(acc, x); },
       [](double acc, double x) { return acc + x; }},
      {"set", [](GraphBuilder&, ValueId, ValueId x) { return x; },
       [](double, double x) { return x; }},
      {"keep", [](GraphBuilder&, ValueId acc, ValueId) { return acc; },
       [](double acc, double) { return acc; }},
      {"minimum", [](GraphBuilder& graph, ValueId acc, ValueId x) { return graph.minimum(acc, x); },
       [](double acc, double x) { return std::min(acc, x); }},
      {"x - 2 acc", twice_less, [](double acc, double x) { return x - 2 * acc; }},
      {"case", larger, [](double acc, double x) { return std::max(acc, x); }},
  };
}

Values scatter(GraphBuilder& graph, const Values& operands, const IndexCase& dims,
               const std::vector<Type>& region_types, const GraphBuilder::Body& body) {
  OpSpec spec{.kind = OpKind::Scatter, .operands = operands};
  spec.attributes.set("scatter_dimension_numbers",
                      ScatterDims{dims.windows, dims.dropped, dims.batching, dims.indices_batching,
                                  dims.map, dims.vector_dim});
  spec.regions.push_back(graph.region(region_types, body, OpKind::StablehloReturn));
  return graph.op(std::move(spec));
}

bool is_inside(const Dims& j, const Dims& sizes) {
  for (std::size_t dim = 0; dim < j.size(); ++dim) {
    if (j[dim] < 0 || j[dim] >= sizes[dim]) return false;
  }
  return true;
}

Grid scattered(const IndexCase& dims, Grid result, const Grid& starts, const Grid& updates,
               const std::function<double(double, double)>& apply) {
  for_each_index(dims.moved, [&](const Dims& u) {
    const Dims j = dims.place(
        u, [&](const Dims& at) { return static_cast<int64_t>(starts.at(at)); },
        [](int64_t value, std::size_t) { return value; });
    if (is_inside(j, dims.x)) result.at(j) = apply(result.at(j), updates.at(u));
  });
  return result;
}

TEST_CASE("scatter folds updates in row-major order and drops updates out of bounds",
          "[simulation][scatter][random]") {
  Random random;
  const std::vector<Reducer> all = reducers();
  for (int round = 0; round < 4000; ++round) {
    const IndexCase dims = random_case(random);
    const Reducer& reducer = all[static_cast<std::size_t>(random.between(0, std::ssize(all) - 1))];
    const ElementType element =
        random.pick(std::vector<ElementType>{ElementType::F64, ElementType::I64, ElementType::F32});
    const Tensor x = random.numbers(element, dims.x, -3, 3);
    const Tensor indices = random_indices(random, dims.indices);
    const Tensor updates = random.numbers(element, dims.moved, -3, 3);
    const Grid expected = scattered(dims, Grid(x), Grid(indices), Grid(updates), reducer.apply);
    const Type scalar_type = Type::tensor({}, element);
    const Tensor got =
        evaluate_graph({x, indices, updates}, [&](GraphBuilder& graph, const Values& args) {
          return scatter(graph, args, dims, {scalar_type, scalar_type},
                         [&](std::span<const ValueId> in) {
                           return Values{reducer.body(graph, in[0], in[1])};
                         });
        })[0];
    const Grid result(got);
    if (result.values == expected.values) continue;
    FAIL("round " << round << " " << reducer.name << ": " << text_of(dims) << to_string(x)
                  << to_string(indices) << to_string(updates) << to_string(got));
  }
}

/// Returns the dims of a scatter into a vector, with one index per update.
IndexCase into_vector(int64_t size, int64_t num_updates) {
  return {.x = {size},
          .indices = {num_updates},
          .windows = {},
          .dropped = {0},
          .batching = {},
          .indices_batching = {},
          .map = {0},
          .vector_dim = 1,
          .sizes = {1},
          .moved = {num_updates}};
}

Tensors scatter_into_vector(const Tensors& inputs, std::size_t num_inputs,
                            const GraphBuilder::Body& body) {
  return evaluate_graph(inputs, [&](GraphBuilder& graph, const Values& args) {
    std::vector<Type> types;
    for (int copy = 0; copy < 2; ++copy) {
      for (std::size_t index = 0; index < num_inputs; ++index) {
        types.push_back(Type::tensor({}, inputs[index].type().element()));
      }
    }
    const Values operands(args.begin(),
                          args.begin() + static_cast<std::ptrdiff_t>(2 * num_inputs + 1));
    return scatter(graph, operands,
                   into_vector(inputs[0].type().dim(0), inputs[num_inputs].type().dim(0)), types,
                   [&](std::span<const ValueId> in) { return body(in); });
  });
}

TEST_CASE("scatter reads unsigned indices as unsigned (H7)", "[simulation][scatter]") {
  // If 200 were read as i8, it would be -56; 255 would be -1, the last element from the end.
  const auto set = [](std::span<const ValueId> in) { return Values{in[1]}; };
  CHECK(scatter_into_vector(
            {vector_of(ElementType::I32, {1, 2, 3}), integers(ElementType::UI8, {3}, {200, 255, 1}),
             vector_of(ElementType::I32, {7, 8, 9})},
            1, set)[0] == vector_of(ElementType::I32, {1, 9, 3}));
  CHECK(scatter_into_vector(
            {vector_of(ElementType::I32, {1, 2, 3}), integers(ElementType::UI64, {2}, {-1, 0}),
             vector_of(ElementType::I32, {7, 8})},
            1, set)[0] == vector_of(ElementType::I32, {8, 2, 3}));
  CHECK(scatter_into_vector({vector_of(ElementType::I32, {1, 2, 3}),
                             integers(ElementType::I64, {2}, {INT64_MIN, INT64_MAX}),
                             vector_of(ElementType::I32, {7, 8})},
                            1, set)[0] == vector_of(ElementType::I32, {1, 2, 3}));
}

TEST_CASE("scatter drops elements, not windows (H9)", "[simulation][scatter]") {
  // Windows of 3 elements start at -1 and at 3 of 5 elements.
  IndexCase dims{.x = {5},
                 .indices = {2, 1},
                 .windows = {1},
                 .dropped = {},
                 .batching = {},
                 .indices_batching = {},
                 .map = {0},
                 .vector_dim = 1,
                 .sizes = {3},
                 .moved = {2, 3}};
  const Type scalar_type = Type::tensor({}, ElementType::F32);
  const Tensor got = evaluate_graph(
      {tensor(ElementType::F32, {5}, {0, 0, 0, 0, 0}), integers(ElementType::I32, {2, 1}, {-1, 3}),
       tensor(ElementType::F32, {2, 3}, {1, 2, 3, 4, 5, 6})},
      [&](GraphBuilder& graph, const Values& args) {
        return scatter(
            graph, args, dims, {scalar_type, scalar_type},
            [&](std::span<const ValueId> in) { return Values{graph.add(in[0], in[1])}; });
      })[0];
  CHECK(got == vector_of(ElementType::F32, {2, 3, 0, 4, 5}));
}

TEST_CASE("scatter of several operands folds them together", "[simulation][scatter]") {
  // The reducer keeps the pair with the larger first number.
  const Tensors inputs = {
      vector_of(ElementType::F32, {1, 5}), vector_of(ElementType::I32, {10, 50}),
      integers(ElementType::I64, {4}, {0, 1, 0, 2}), vector_of(ElementType::F32, {2, 4, 3, 9}),
      vector_of(ElementType::I32, {20, 40, 30, 90})};
  const Tensors got = evaluate_graph(inputs, [&](GraphBuilder& graph, const Values& args) {
    const Type f = Type::tensor({}, ElementType::F32);
    const Type i = Type::tensor({}, ElementType::I32);
    return scatter(graph, args, into_vector(2, 4), {f, i, f, i}, [&](std::span<const ValueId> in) {
      const ValueId keeps = graph.compare(in[0], in[2], "GE");
      return Values{graph.select(keeps, in[0], in[2]), graph.select(keeps, in[1], in[3])};
    });
  });
  CHECK(got[0] == vector_of(ElementType::F32, {3, 5}));
  CHECK(got[1] == vector_of(ElementType::I32, {30, 50}));
}

TEST_CASE("scatter uses values from outside its region", "[simulation][scatter]") {
  const Tensors inputs = {vector_of(ElementType::I32, {1, 2}),
                          integers(ElementType::I64, {3}, {1, 1, 0}),
                          vector_of(ElementType::I32, {5, 6, 7}), scalar(ElementType::I32, 3)};
  const Type type = Type::tensor({}, ElementType::I32);
  const Tensor got = evaluate_graph(inputs, [&](GraphBuilder& graph, const Values& args) {
    return scatter(graph, {args[0], args[1], args[2]}, into_vector(2, 3), {type, type},
                   [&](std::span<const ValueId> in) {
                     return Values{graph.add(graph.multiply(in[0], args[3]), in[1])};
                   });
  })[0];
  CHECK(got == vector_of(ElementType::I32, {1 * 3 + 7, (2 * 3 + 5) * 3 + 6}));
}

TEST_CASE("scatter accumulates in the wider type of its region", "[simulation][scatter]") {
  const Tensors inputs = {vector_of(ElementType::F16, {2048}),
                          integers(ElementType::I32, {2}, {0, 0}),
                          vector_of(ElementType::F16, {1, 1})};
  const Type type = Type::tensor({}, ElementType::F32);
  const Tensor got = evaluate_graph(inputs, [&](GraphBuilder& graph, const Values& args) {
    return scatter(graph, args, into_vector(1, 2), {type, type},
                   [&](std::span<const ValueId> in) { return Values{graph.add(in[0], in[1])}; });
  })[0];
  CHECK(got == vector_of(ElementType::F32, {2050}));
}

TEST_CASE("scatter and gather move every element type", "[simulation][scatter][gather]") {
  using enum ElementType;
  for (const ElementType element : {I1,         I2,        I4,         I8,       I16,
                                    I32,        I64,       UI2,        UI4,      UI8,
                                    UI16,       UI32,      UI64,       F8E3M4,   F8E4M3,
                                    F8E4M3FN,   F8E5M2,    F8E4M3FNUZ, BF16,     F16,
                                    F8E5M2FNUZ, F8E8M0FNU, F32,        F64,      F8E4M3B11FNUZ,
                                    Complex64,  F4E2M1FN,  F6E2M3FN,   F6E3M2FN, Complex128}) {
    const std::size_t bytes = shardy::ir::size_bytes(element);
    const auto make = [&](const std::vector<int>& values) {
      std::vector<std::byte> raw(values.size() * bytes, std::byte{0});
      for (std::size_t at = 0; at < values.size(); ++at) {
        raw[at * bytes] = static_cast<std::byte>(values[at]);
      }
      const auto made = Tensor::make(Type::tensor({std::ssize(values)}, element), raw);
      REQUIRE(made);
      return *made;
    };
    CAPTURE(to_string(element));
    const Tensor x = make({0, 1, 0, 1});
    const Tensor got =
        scatter_into_vector({x, integers(I32, {3}, {3, 0, 4}), make({0, 1, 1})}, 1,
                            [](std::span<const ValueId> in) { return Values{in[1]}; })[0];
    CHECK(got == make({1, 1, 0, 0}));
    const Tensor taken = evaluate_graph({x, integers(I32, {3}, {3, 2, 9})},
                                        [&](GraphBuilder& graph, const Values& args) {
                                          return Values{gather(graph, args, into_vector(4, 3))};
                                        })[0];
    CHECK(taken == make({1, 0, 1}));
  }
}

}  // namespace
}  // namespace shardy_test::gather_scatter_test
