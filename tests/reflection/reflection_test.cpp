// Text, hash and order of all values: each field counts in all of them, and they agree with ==.
#include "shardy/reflection.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <unordered_set>
#include <vector>

#include "shardy/algebra/hlo_sharding.hpp"
#include "support/catch.hpp"

using namespace shardy;

namespace reflection_test {
namespace {

TensorSharding sharding() {
  return TensorSharding::fully_open(Mesh::make({{"x", 2}, {"y", 4}}).value(), "m", 2);
}

/// Another value. Those of fields: another one of them.
template <class T>
void change(T& value);
template <class T>
void change_list(T& list) {
  using Element = typename T::value_type;
  if constexpr (requires { list.emplace_back(); }) {
    list.emplace_back();
  } else {
    list.insert(Element());
  }
}
void change(std::string_view& text) { text = text.empty() ? "text" : ""; }
void change(Location& location) { location = {location.line() + 1, 2}; }
void change(Mesh& mesh) { mesh = Mesh::make({{"z", mesh.num_devices() + 1}}).value(); }
void change(TensorSharding& one) {
  one = one.rank() == 2 ? one.with_closed_dims({{0}}) : sharding();
}
void change(std::optional<TensorSharding>& one) { one = sharding(); }
void change(std::vector<TensorSharding>& some) { some.push_back(sharding()); }
void change(ir::Type& type) {
  type = ir::Type::tensor({type.is_tensor() ? type.rank() : 7}, ir::ElementType::F32);
}
void change(ir::AttributeName& name) { name = std::string(name) + "z"; }
void change(ir::Attribute& attribute) { attribute = ir::IntegerAttr{.value = 5}; }
template <class Tag>
void change(TypedId<Tag>& id) {
  ++id.value;
}

template <class T>
void change(T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    value = !value;
  } else if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(static_cast<int>(value) == 0 ? 1 : 0);
  } else if constexpr (std::is_arithmetic_v<T>) {
    value = static_cast<T>(value + 1);
  } else if constexpr (std::is_same_v<T, std::string>) {
    value += "z";
  } else if constexpr (detail::HasFields<T>) {
    std::apply([](auto& first,
                  auto&...) { change(const_cast<std::remove_cvref_t<decltype(first)>&>(first)); },
               detail::Fields<T>::of(value));
  } else if constexpr (detail::Optional<T>) {
    value.has_value() ? value.reset() : static_cast<void>(value.emplace());
  } else {
    change_list(value);
  }
}

template <class T>
std::string streamed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

/// Results of the comparison of two values.
struct Relation {
  bool is_equal = false;
  bool is_less = false;
  bool is_greater = false;
  std::strong_ordering order = std::strong_ordering::equal;
};

/// Results of all functions of some values, without their type: one check serves all types, which
/// takes half of the time to compile.
struct Facts {
  std::vector<std::string> formatted;
  std::vector<std::string> streamed;
  std::vector<std::size_t> hashes;
  std::vector<std::size_t> hashes_of_copies;
  std::vector<Relation> relations;  // of each value to each value
};

template <class T>
Facts facts_of(const std::vector<T>& values) {
  Facts facts;
  for (const T& a : values) {
    facts.formatted.push_back(fmt::format("{}", a));
    facts.streamed.push_back(streamed(a));
    facts.hashes.push_back(std::hash<T>()(a));
    facts.hashes_of_copies.push_back(std::hash<T>()(T(a)));
    for (const T& b : values) facts.relations.push_back({a == b, a<b, a> b, a <=> b});
  }
  return facts;
}

template <class T>
std::size_t num_different(const std::vector<T>& values) {
  return std::set<T>(values.begin(), values.end()).size();
}

void check_facts(const Facts& facts, bool texts_differ) {
  const std::size_t size = facts.streamed.size();
  CHECK(facts.formatted == facts.streamed);
  CHECK(facts.hashes_of_copies == facts.hashes);
  CHECK(num_different(facts.hashes) == size);
  if (texts_differ) CHECK(num_different(facts.streamed) == size);
  std::set<std::size_t> ranks;  // numbers of smaller values: all differ in a total order
  for (std::size_t a = 0; a < size; ++a) {
    CAPTURE(facts.streamed[a]);
    std::size_t num_smaller = 0;
    for (std::size_t b = 0; b < size; ++b) {
      const Relation& relation = facts.relations[a * size + b];
      const Relation& reverse = facts.relations[b * size + a];
      CHECK(relation.is_equal == (a == b));
      CHECK(relation.is_equal == std::is_eq(relation.order));
      CHECK(relation.is_less == std::is_lt(relation.order));
      CHECK(relation.is_greater == std::is_gt(relation.order));
      CHECK(relation.is_less == reverse.is_greater);
      num_smaller += relation.is_greater ? 1 : 0;
    }
    ranks.insert(num_smaller);
  }
  CHECK(ranks.size() == size);
}

/// Checks that text, hash and order of these values, which all differ, agree.
template <class T>
void check_values(const std::vector<T>& values, bool texts_differ = true) {
  check_facts(facts_of(values), texts_differ);
}

/// A value, and the same with one field changed, for each field.
template <class T>
void check_fields(const T& value = T()) {
  INFO(detail::Fields<T>::kFullName);
  constexpr std::size_t kFields = std::tuple_size_v<decltype(detail::Fields<T>::of(value))>;
  std::vector<T> values(kFields + 1, value);
  const auto change_field = [&]<std::size_t kField>(std::integral_constant<std::size_t, kField>) {
    auto& field = std::get<kField>(detail::Fields<T>::of(values[kField]));
    change(const_cast<std::remove_cvref_t<decltype(field)>&>(field));
  };
  [&]<std::size_t... kField>(std::index_sequence<kField...>) {
    (change_field(std::integral_constant<std::size_t, kField>()), ...);
  }
  (std::make_index_sequence<kFields>());
  // Texts of the library's own leave out what is as usual.
  check_values(values, !detail::kHasOwnText<T>);
}

TEST_CASE("equality and hash of header values depend on each field", "[values]") {
  check_fields<AxisRef>();
  check_fields<DimSharding>();
  check_fields<Range>();
  check_fields<HloShardGroup>();
  check_fields<DiagnosticSubject>();
  check_fields<Diagnostic>();
  check_fields<EinsumTensor>();
  check_fields<EinsumRule>();
  check_fields<HloLayout>({sharding(), {}});
  check_fields<NamedHloSharding>();
  check_fields<ReshapeGroup>();
  check_fields<ShardHolder>();
  check_fields<AxisCost>();
  check_fields<NamedAxisCost>();
  check_fields<CostModel>();
  check_fields<BestPlanOptions>();
  check_fields<PermuteOrders>();
  check_fields<AllToAllMove>();
  check_fields<ReshardStep>({.out = sharding()});
  check_fields<propagation::AxisMove>();
  check_fields<propagation::Conflict>();
  check_fields<propagation::FactorSharding>();
  check_fields<propagation::TensorAxes>();
}

TEST_CASE("equality and hash of program values depend on each field", "[values]") {
  check_fields<ir::IntegerAttr>();
  check_fields<ir::FloatAttr>();
  check_fields<ir::SymbolAttr>();
  check_fields<ir::TypeAttr>();
  check_fields<ir::EnumAttr>();
  check_fields<ir::DenseArrayAttr>();
  check_fields<ir::OpaqueAttr>();
  check_fields<ir::ArrayAttr>();
  check_fields<ir::NamedAttribute>();
  check_fields<ir::DotDims>();
  check_fields<ir::RaggedDotDims>();
  check_fields<ir::GatherDims>();
  check_fields<ir::ScatterDims>();
  check_fields<ir::ConvolutionDims>();
  check_fields<ir::ShardingList>({{sharding()}});
  check_fields<ir::UnresolvedShardingList>();
  check_fields<ir::AxesAttr>();
  check_fields<ir::UnresolvedAxesAttr>();
  check_fields<ir::AxesListsAttr>();
  check_fields<ir::UnresolvedAxesListsAttr>();
  check_fields<ir::AllToAllParam>();
  check_fields<ir::AllToAllAttr>();
  check_fields<ir::UnresolvedAllToAllParam>();
  check_fields<ir::UnresolvedAllToAllAttr>();
  check_fields<ir::ManualAxesAttr>();
  check_fields<ir::PermuteMap>();
  check_fields<ir::Use>();
  check_fields<ir::FunctionData>();
  check_fields<ir::TensorType>();
  check_fields<ir::ScalarType>();
  check_fields<ir::TupleType>();
  check_fields<ir::OpaqueType>();
  check_fields<ir::WindowDim>();
}

TEST_CASE("equality and hash of report values depend on each field", "[values]") {
  check_fields<partitioning::ProgramCost>();
  check_fields<partitioning::ReplicationNote>();
  check_fields<passes::CollectiveRewrite>();
  check_fields<rules::CountingDim>();
  check_fields<passes::PassCall>();
  check_fields<simulation::ProcessGrid>();
  check_fields<simulation::RankTraffic>();
  check_fields<simulation::Traffic>();
  check_fields<simulation::DeviceAccount>();
  check_fields<simulation::FailedCheck>();
  check_fields<simulation::DeviceBlock>();
  check_fields<checking::Tolerance>({.relative = 0, .least = 0, .absolute = 0});
  check_fields<report::AnnotationPlace>();
  check_fields<report::AnnotationChange>();
  check_fields<report::Times>();
  check_fields<report::DeviceRates>();
  check_fields<report::DeviceTime>();
  check_fields<report::AxisBytes>();
  check_fields<report::AxisStep>();
  check_fields<report::Setting>();
  check_fields<report::SweepStrategy>();
  check_fields<partitioning::OtherDialectOp>();
  check_fields<view::PictureDim>();
  check_fields<view::Picture>();
}

TEST_CASE("values without public fields have consistent equality, hash and text", "[values]") {
  const Mesh small = Mesh::make({{"x", 2}}).value();
  check_values<Mesh>({Mesh(), small, sharding().mesh()});
  check_values<TensorSharding>({sharding(), sharding().fully_closed_like()});
  check_values<MeshRef>({{small, "m"}, {small, std::nullopt}, {sharding().mesh(), "m"}},
                        /*texts_differ=*/false);
  check_values<HloSharding>({HloSharding(), HloSharding::manual()});
  check_values<ir::Type>({ir::Type(), ir::Type::tensor({2}, ir::ElementType::F32),
                          ir::Type::tensor({2}, ir::ElementType::I32),
                          ir::Type::tensor({2, 2}, ir::ElementType::F32)});
  check_values<ir::Attribute>({ir::UnitAttr(), true, false, ir::IntegerAttr{.value = 1}, "text",
                               small, sharding(), ir::ArrayAttr{{"text"}}, ir::ArrayAttr{{}}});
  ir::AttributeMap one;
  one.set("a", true);
  ir::AttributeMap two = one;
  two.set("b", true);
  check_values<ir::AttributeMap>({ir::AttributeMap(), one, two});
  CHECK(streamed(ir::UnitAttr()) == "{}");
  CHECK(std::is_eq(ir::TokenType() <=> ir::TokenType()));
}

TEST_CASE("NaNs with any sign are last", "[values]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto rates = [](double rate) { return report::DeviceRates{.operations_per_second = rate}; };
  for (const double last : {nan, -nan}) {
    for (const double number : {-std::numeric_limits<double>::infinity(), -1.0, 0.0, 1.0,
                                std::numeric_limits<double>::infinity()}) {
      CHECK(rates(number) < rates(last));
      CHECK(rates(last) > rates(number));
    }
  }
  CHECK(rates(-nan) < rates(nan));
}

TEST_CASE("values can be keys of sets", "[values]") {
  const AxisRef x{0, 1, 2};
  const AxisRef y{1, 1, 2};
  CHECK(std::set<AxisRef>{x, y, x}.size() == 2);
  CHECK(std::unordered_set<AxisRef>{x, y, x}.size() == 2);
}

TEST_CASE("each value prints its text", "[values]") {
  CHECK(streamed(Range{0, 4}) == "Range{begin=0, end=4}");
  CHECK(streamed(AxisRef{1, 2, 3}) == "AxisRef{axis=1, pre=2, size=3}");
  CHECK(streamed(ir::Use{ir::OpId(3), 1}) == "Use{op=#3, operand=1}");
  CHECK(streamed(ir::Use{}) == "Use{op=none, operand=0}");
  CHECK(fmt::format("{:>24}|", Range{0, 4}) == "   Range{begin=0, end=4}|");
  CHECK(streamed(DimSharding{{{0, 1, 2}}, true, 3}) ==
        "DimSharding{axes=[AxisRef{axis=0, pre=1, size=2}], is_closed=true, priority=3}");
  CHECK(streamed(report::Setting{"%x", "[{\"a\"}]"}) ==
        R"(Setting{value="%x", sharding="[{\22a\22}]"})");
  CHECK(streamed(ir::EnumAttr{"k", "v"}) == R"(EnumAttr{kind="k", value="v"})");
  CHECK(simulation::Traffic{1, 2} < simulation::Traffic{1, 3});
}

}  // namespace

}  // namespace reflection_test
