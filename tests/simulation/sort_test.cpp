// sort against a stable insertion sort with the same comparator. Spec: stablehlo 25.1.
#include <cmath>
#include <complex>
#include <limits>

#include "simulation/random_values.hpp"

namespace shardy_test::sort_test {
namespace {

using shardy::ir::IntegerAttr;
using shardy::ir::OpSpec;

constexpr double kInf = std::numeric_limits<double>::infinity();

/// Builds the comparator of two elements per operand: left and right of the first, of the second...
using Comparator = std::function<ValueId(GraphBuilder& graph, std::span<const ValueId> args)>;

OpSpec sort_spec(GraphBuilder& graph, const Values& args, int64_t dim, const Comparator& less) {
  OpSpec spec{.kind = OpKind::Sort, .operands = args};
  spec.attributes.set("dimension", IntegerAttr{dim, ElementType::I64});
  std::vector<Type> types;
  for (const ValueId arg : args) {
    types.insert(types.end(), 2, Type::tensor({}, graph.type(arg).element()));
  }
  spec.regions.push_back(graph.region(
      types, [&](std::span<const ValueId> in) { return Values{less(graph, in)}; },
      OpKind::StablehloReturn));
  return spec;
}

Tensors sort(const Tensors& inputs, int64_t dim, const Comparator& less) {
  return evaluate_graph(inputs, [&](GraphBuilder& graph, const Values& args) {
    return graph.op(sort_spec(graph, args, dim, less));
  });
}

Comparator compare(const std::string& direction, const std::string& type = {}) {
  return [=](GraphBuilder& graph, std::span<const ValueId> in) {
    return graph.compare(in[0], in[1], direction, type);
  };
}

/// The order in which JAX sorts floats: one NaN, one zero, total order.
ValueId jax_key(GraphBuilder& graph, ValueId x) {
  const Type type = graph.type(x);
  const ValueId zero = graph.splat(type, 0);
  const ValueId nan = graph.splat(type, std::nan(""));
  const ValueId key = graph.select(graph.compare(x, zero, "EQ"), zero, x);
  return graph.select(graph.compare(x, x, "NE"), nan, key);
}
ValueId jax_less(GraphBuilder& graph, std::span<const ValueId> in) {
  return graph.compare(jax_key(graph, in[0]), jax_key(graph, in[1]), "LT", "TOTALORDER");
}

TEST_CASE("sort orders all types by their values", "[simulation][sort]") {
  using enum ElementType;
  for (const ElementType element : {I2, I4, I8, I16, I32, I64, F16, BF16, F32, F64}) {
    CAPTURE(to_string(element));
    const Tensor x = vector_of(element, {1, -2, 0, 1, -1});
    CHECK(sort({x}, 0, compare("LT"))[0] == vector_of(element, {-2, -1, 0, 1, 1}));
    CHECK(sort({x}, -1, compare("GT"))[0] == vector_of(element, {1, 1, 0, -1, -2}));
  }
  for (const ElementType element : {UI2, UI4, UI8, UI16, UI32, UI64}) {
    CAPTURE(to_string(element));
    CHECK(sort({vector_of(element, {3, 0, 2, 1})}, 0, compare("LT"))[0] ==
          vector_of(element, {0, 1, 2, 3}));
  }
  CHECK(sort({vector_of(I1, {1, 0, 1, 0})}, 0, compare("LT"))[0] == vector_of(I1, {0, 0, 1, 1}));
  CHECK(sort({integers(UI64, {3}, {-1, 5, INT64_MIN})}, 0, compare("LT"))[0] ==
        integers(UI64, {3}, {5, INT64_MIN, -1}));
  // Complex numbers: lexicographic.
  const auto pairs = bits<std::complex<float>>(Complex64, {{2, 1}, {1, 5}, {1, -5}});
  CHECK(sort({pairs}, 0, compare("LT"))[0] ==
        bits<std::complex<float>>(Complex64, {{1, -5}, {1, 5}, {2, 1}}));
}

TEST_CASE("sort by TOTALORDER distinguishes zeros and NaNs", "[simulation][sort]") {
  const std::vector<uint32_t> sorted_bits = {0xFFC00001, 0xFFC00000, 0xFF800000, 0xBF800000,
                                             0x80000000, 0x00000000, 0x3F800000, 0x7F800000,
                                             0x7FC00000, 0x7FC00001};
  std::vector<uint32_t> mixed = sorted_bits;
  std::ranges::reverse(mixed);
  std::swap(mixed[2], mixed[7]);
  CHECK(sort({bits(ElementType::F32, mixed)}, 0, compare("LT", "TOTALORDER"))[0] ==
        bits(ElementType::F32, sorted_bits));
  std::vector<uint32_t> backwards = sorted_bits;
  std::ranges::reverse(backwards);
  CHECK(sort({bits(ElementType::F32, mixed)}, 0, compare("GT", "TOTALORDER"))[0] ==
        bits(ElementType::F32, backwards));
}

TEST_CASE("sort with the comparator of JAX keeps equal zeros and NaNs in order",
          "[simulation][sort]") {
  for (const ElementType element : {ElementType::F32, ElementType::F64, ElementType::BF16}) {
    const double nan = std::nan("");
    const Tensor x = vector_of(element, {nan, 0.0, -0.0, -kInf, nan, 1, -1, kInf, -0.0});
    const Tensor places = counting(ElementType::I32, {9});
    const Tensors got = sort({x, places}, 0, jax_less);
    CHECK(got[0] == vector_of(element, {-kInf, -1, 0.0, -0.0, -0.0, 1, kInf, nan, nan}));
    CHECK(got[1] == vector_of(ElementType::I32, {3, 6, 1, 2, 8, 5, 7, 0, 4}));
  }
}

/// Lines of the tensors along a dim, sorted by insertion.
void sort_naively(std::vector<Grid>& grids, std::size_t dim,
                  const std::function<bool(const Dims&, const Dims&)>& less) {
  Dims lines = grids[0].dims;
  lines[dim] = grids[0].dims[dim] == 0 ? 0 : 1;
  for_each_index(lines, [&](const Dims& line) {
    for (int64_t next = 1; next < grids[0].dims[dim]; ++next) {
      for (int64_t at = next; at > 0; --at) {
        Dims here = line;
        Dims before = line;
        here[dim] = at;
        before[dim] = at - 1;
        if (!less(here, before)) break;
        for (Grid& grid : grids) std::swap(grid.at(here), grid.at(before));
      }
    }
  });
}

TEST_CASE("sort is stable along any dim and by any comparator", "[simulation][sort][random]") {
  Random random;
  for (int round = 0; round < 2500; ++round) {
    Dims sizes(static_cast<std::size_t>(random.between(1, 3)));
    for (int64_t& size : sizes) size = random.chance(4) ? 0 : random.between(1, 6);
    if (random.chance(10)) sizes.back() = random.between(20, 60);
    const auto rank = std::ssize(sizes);
    const int64_t dim = random.between(-rank, rank - 1);
    const auto along = static_cast<std::size_t>(dim < 0 ? dim + rank : dim);
    const ElementType element = random.pick(std::vector<ElementType>{
        ElementType::F32, ElementType::I32, ElementType::I8, ElementType::BF16});
    const Tensor first = random.numbers(element, sizes, -3, 3);
    const Tensor second = random.numbers(ElementType::I64, sizes, -2, 2);
    const Tensor places = counting(ElementType::I32, sizes);
    std::vector<Grid> expected = {Grid(first), Grid(second), Grid(places)};
    const int64_t kind = random.between(0, 3);
    Comparator less;
    std::function<bool(double, double, double, double)> is_less;
    if (kind == 0) {  // keys of one operand
      less = [](GraphBuilder& graph, std::span<const ValueId> in) {
        return graph.compare(in[3], in[2], "GT");
      };
      is_less = [](double, double, double p, double q) { return q > p; };
    } else if (kind == 1) {  // computed keys of both
      less = [](GraphBuilder& graph, std::span<const ValueId> in) {
        return graph.compare(graph.negate(in[2]), graph.negate(in[3]), "LT");
      };
      is_less = [](double, double, double p, double q) { return -p < -q; };
    } else {  // lexicographic: no single key
      less = [&](GraphBuilder& graph, std::span<const ValueId> in) {
        const ValueId smaller = graph.compare(in[0], in[1], "GT");
        const ValueId equal = graph.compare(in[0], in[1], "EQ");
        const ValueId later = graph.compare(in[2], in[3], "LT");
        if (kind == 2) return graph.or_(smaller, graph.and_(equal, later));
        return graph.if_else(
            equal, [&] { return Values{later}; }, [&] { return Values{smaller}; })[0];
      };
      is_less = [](double p, double q, double p2, double q2) {
        return p > q || (p == q && p2 < q2);
      };
    }
    sort_naively(expected, along, [&](const Dims& p, const Dims& q) {
      return is_less(expected[0].at(p), expected[0].at(q), expected[1].at(p), expected[1].at(q));
    });
    const Tensors got = sort({first, second, places}, dim, less);
    for (std::size_t index = 0; index < 3; ++index) {
      if (Grid(got[index]).values == expected[index].values) continue;
      FAIL("round " << round << ", kind " << kind << ", dim " << dim << to_string(first)
                    << to_string(second) << to_string(got[index]));
    }
  }
}

/// `y` is greater than `x` by one, in a circle of so many numbers.
Comparator next_in_circle(double size) {
  return [=](GraphBuilder& graph, std::span<const ValueId> in) {
    const Type& type = graph.type(in[0]);
    const ValueId steps = graph.add(graph.subtract(in[1], in[0]), graph.splat(type, size));
    const OpSpec remainder{.kind = OpKind::Remainder, .operands = {steps, graph.splat(type, size)}};
    return graph.compare(graph.value_of(remainder), graph.splat(type, 1), "EQ");
  };
}

std::string sort_error(const Tensors& inputs, int64_t dim, const Comparator& less) {
  std::vector<Type> types;
  for (const Tensor& input : inputs) types.push_back(input.type());
  const Module module = program(types, [&](GraphBuilder& graph, const Values& args) {
    return graph.op(sort_spec(graph, args, dim, less));
  });
  return message_of(shardy::simulation::run(module, "main", {inputs}));
}

TEST_CASE("a comparator that orders elements in a cycle is an error", "[simulation][sort]") {
  const auto i32 = [](const std::vector<int64_t>& dims, const std::vector<double>& values) {
    return tensor(ElementType::I32, dims, values);
  };
  CHECK(sort_error({i32({3}, {0, 1, 2})}, 0, next_in_circle(3)) ==
        "E_KERNEL: inconsistent comparator: element 2 of the operands, in row-major order, comes "
        "before element 1 transitively, and is not less");
  CHECK(sort_error({i32({2, 4}, {0, 0, 0, 0, 2, 5, 4, 3})}, 1, next_in_circle(6)) == "(no error)");
  CHECK(sort_error({i32({2, 4}, {0, 0, 0, 0, 3, 2, 1, 0})}, 1, next_in_circle(4))
            .starts_with("E_KERNEL: inconsistent comparator: element "));
  CHECK(sort_error({i32({4, 2}, {3, 0, 2, 0, 1, 0, 0, 0})}, 0, next_in_circle(4))
            .starts_with("E_KERNEL: inconsistent comparator: element "));
  // Two lines, no circle in either.
  CHECK(sort_error({i32({2, 2}, {0, 1, 2, 0})}, 1, next_in_circle(3)) == "(no error)");
  CHECK(sort_error({i32({2}, {0, 1})}, 0, next_in_circle(3)) == "(no error)");
}

TEST_CASE("a comparator without a cycle gives some order of the elements", "[simulation][sort]") {
  const auto always = [](GraphBuilder& graph, std::span<const ValueId>) {
    return graph.int_splat(Type::tensor({}, ElementType::I1), 1);
  };
  const auto never_above = [](GraphBuilder& graph, std::span<const ValueId> in) {
    const ValueId one = graph.splat(graph.type(in[1]), 1);
    return graph.compare(in[0], graph.add(in[1], one), "LT");
  };
  Random random;
  for (int round = 0; round < 40; ++round) {
    std::vector<double> values;
    for (int64_t at = random.between(0, 100); at > 0; --at) {
      values.push_back(random.chance(30) ? std::nan("")
                                         : static_cast<double>(random.between(0, 5)));
    }
    const Tensor x = vector_of(ElementType::F32, values);
    const Tensor places = counting(ElementType::I32, {std::ssize(values)});
    for (const Comparator& less :
         {Comparator(always), Comparator(never_above), compare("LT"), compare("LE")}) {
      std::vector<double> order = sort({x, places}, 0, less)[1].to_doubles();
      std::ranges::sort(order);
      CHECK(order == places.to_doubles());
    }
  }
}

}  // namespace
}  // namespace shardy_test::sort_test
