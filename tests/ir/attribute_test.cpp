// Typed constants: forms, equality, maps.
#include "shardy/ir/attribute.hpp"

#include <limits>
#include <map>
#include <random>

#include "ir/module_maker.hpp"
#include "shardy/ir/detail/attribute_hash.hpp"
#include "shardy/ir/detail/number.hpp"

namespace shardy_test::attribute_test {
namespace {

using Forms = Attribute::Forms;

template <class T>
struct Sample {
  T value;
  T other;
};

const Mesh& mesh() {
  static const Mesh kMesh = ModuleMaker::mesh("<[\"x\"=2, \"y\"=4]>");
  return kMesh;
}
TensorSharding closed(std::size_t rank) { return TensorSharding::fully_closed(mesh(), "m", rank); }
shardy::UnresolvedSharding spelled(std::string_view text) {
  return shardy::parse_sharding(text).value();
}
shardy::OpShardingRule rule(int64_t size) {
  const std::vector<int64_t> shape = {size};
  return shardy::OpShardingRule::identity(shape, 1, 1);
}
Literal splat(double value) { return splat_literal(Type::tensor({2}, ElementType::F32), value); }

/// Calls `visit(sample)` with two different values of each form, in the order of Forms.
template <class Visit>
void for_each_form(Visit visit) {
  const std::vector<shardy::UnresolvedAxisRef> x = {{"x", std::nullopt}};
  visit(Sample<bool>{true, false});
  visit(Sample<IntegerAttr>{{1, ElementType::I64}, {1, ElementType::I32}});
  visit(Sample<FloatAttr>{{1.5, ElementType::F32}, {1.5, ElementType::F64}});
  visit(Sample<std::string>{"a", "b"});
  visit(Sample<SymbolAttr>{{"a"}, {"b"}});
  visit(Sample<TypeAttr>{{Type()}, {Type(ScalarType{})}});
  visit(Sample<EnumAttr>{{"k", "a"}, {"l", "a"}});
  visit(Sample<DenseArrayAttr>{{ElementType::I64, {1}}, {ElementType::I64, {1, 1}}});
  visit(Sample<ArrayAttr>{{{"a", true}}, {{"a", false}}});
  visit(Sample<AttributeMap>{attributes({{"a", true}}), attributes({{"a", false}})});
  visit(Sample<Literal>{splat(1), splat(2)});
  visit(Sample<OpaqueAttr>{{"#a.b"}, {"#a.c"}});
  visit(Sample<DotDims>{{{}, {}, {1}, {0}}, {{1}, {0}, {}, {}}});
  visit(Sample<RaggedDotDims>{{{}, {}, {1}, {0}, {0}, {}}, {{}, {}, {1}, {0}, {1}, {}}});
  visit(Sample<GatherDims>{{{1}, {}, {}, {}, {}, 0}, {{1}, {}, {}, {}, {}, 1}});
  visit(Sample<ScatterDims>{{{1}, {}, {}, {}, {}, 0}, {{1}, {}, {}, {}, {}, 1}});
  ConvolutionDims convolution;
  convolution.output_feature = 1;
  visit(Sample<ConvolutionDims>{{}, convolution});
  visit(Sample<Mesh>{mesh(), Mesh()});
  visit(Sample<shardy::UnresolvedSharding>{spelled("<@m, [{}]>"), spelled("<@m, [{?}]>")});
  visit(Sample<TensorSharding>{closed(1), closed(2)});
  visit(Sample<UnresolvedShardingList>{{{spelled("<@m, [{}]>")}}, {}});
  visit(Sample<ShardingList>{{{closed(1)}}, {{closed(2)}}});
  visit(Sample<UnresolvedAxesAttr>{{x}, {}});
  visit(Sample<AxesAttr>{{mesh(), {kX}}, {mesh(), {kY}}});
  visit(Sample<UnresolvedAxesListsAttr>{{{x, {}}}, {{{}, x}}});
  visit(Sample<AxesListsAttr>{{mesh(), {{kX}, {}}}, {mesh(), {{}, {kX}}}});
  visit(Sample<UnresolvedAllToAllAttr>{{{{x, 0, 1}}}, {{{x, 1, 0}}}});
  visit(Sample<AllToAllAttr>{{mesh(), {{{kX}, 0, 1}}}, {mesh(), {{{kX}, 1, 0}}}});
  visit(Sample<ManualAxesAttr>{{{"x"}}, {{"y"}}});
  visit(Sample<shardy::OpShardingRule>{rule(2), rule(3)});
  visit(Sample<PermuteMap>{{}, {.kind = PermuteMap::Kind::Mirror}});
}

/// One attribute of each form.
std::vector<Attribute> one_of_each() {
  std::vector<Attribute> all = {Attribute()};
  for_each_form([&](const auto& sample) { all.push_back(sample.value); });
  return all;
}

template <class T>
void check_form(const Sample<T>& sample, std::size_t index) {
  CAPTURE(index);
  const Attribute attribute = sample.value;
  CHECK(Forms::index_of<T>() == index);
  CHECK(attribute.form() == index);
  REQUIRE(attribute.as<T>() != nullptr);
  CHECK((*attribute.as<T>() == sample.value));
  CHECK(attribute.as<UnitAttr>() == nullptr);

  const Attribute equal = T(sample.value);
  const Attribute other = sample.other;
  CHECK((attribute == equal));
  CHECK_FALSE((attribute == other));
  CHECK_FALSE((other == attribute));
  const Attribute copy = attribute;  // NOLINT(performance-unnecessary-copy-initialization)
  CHECK((copy == attribute));
  CHECK(copy.as<T>() == attribute.as<T>());  // a handle: nothing is copied
}

TEST_CASE("an attribute returns the value from which it was made, compared by content",
          "[ir][attribute]") {
  std::size_t index = 1;  // after the unit attribute
  for_each_form([&](const auto& sample) { check_form(sample, index++); });
  CHECK(index == Forms::kSize);
  CHECK(Forms::kSize == 32);
}

TEST_CASE("attributes of different forms differ, and attributes with equal content are equal",
          "[ir][attribute][law]") {
  const std::vector<Attribute> all = one_of_each();
  const std::vector<Attribute> again = one_of_each();
  REQUIRE(all.size() == Forms::kSize);
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = 0; b < all.size(); ++b) {
      CAPTURE(a, b);
      CHECK((all[a] == again[b]) == (a == b));
    }
  }
}

TEST_CASE("equal attributes have equal hashes, different attributes have different hashes",
          "[ir][attribute][law]") {
  for_each_form([&](const auto& sample) {
    const Attribute attribute = sample.value;
    CAPTURE(attribute.form());
    CHECK(hash_of_attribute(attribute) == hash_of_attribute(Attribute(sample.value)));
    CHECK(hash_of_attribute(attribute) != hash_of_attribute(Attribute(sample.other)));
  });
  const std::vector<Attribute> all = one_of_each();
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      CAPTURE(a, b);
      CHECK(hash_of_attribute(all[a]) != hash_of_attribute(all[b]));
    }
  }
}

TEST_CASE("the hash of a literal depends on its elements, not on their storage",
          "[ir][attribute][law]") {
  const Type type = Type::tensor({40}, ElementType::I32);
  std::vector<int32_t> numbers(40, 7);
  const Attribute all = literal_from<int32_t>(type, numbers);
  const Attribute one = splat_literal(type, 7);
  REQUIRE((all == one));
  CHECK(hash_of_attribute(all) == hash_of_attribute(one));
  // The only difference may be at the end.
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    CAPTURE(at);
    std::vector<int32_t> changed = numbers;
    changed[at] = 8;
    CHECK(hash_of_attribute(all) != hash_of_attribute(literal_from<int32_t>(type, changed)));
  }
}

TEST_CASE("visit calls the visitor with the form of the attribute", "[ir][attribute]") {
  for (const Attribute& attribute : one_of_each()) {
    const std::size_t visited = attribute.visit([&](const auto& value) {
      using T = std::remove_cvref_t<decltype(value)>;
      CHECK(&value == attribute.as<T>());
      return Forms::index_of<T>();
    });
    CHECK(visited == attribute.form());
  }
}

TEST_CASE("the default attribute is the unit attribute", "[ir][attribute]") {
  const Attribute none;
  CHECK(none.form() == 0);
  REQUIRE(none.as<UnitAttr>() != nullptr);
  CHECK((none == Attribute(UnitAttr{})));
  CHECK((Attribute(UnitAttr{}) == none));
  CHECK(Attribute(UnitAttr{}).as<UnitAttr>() != nullptr);
  CHECK_FALSE((none == Attribute(true)));
  CHECK(none.as<bool>() == nullptr);
}

TEST_CASE("text makes a string attribute, not a boolean", "[ir][attribute]") {
  const Attribute text = "abc";
  REQUIRE(text.as<std::string>() != nullptr);
  CHECK(*text.as<std::string>() == "abc");
}

TEST_CASE("float attributes compare bit by bit", "[ir][attribute]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK((FloatAttr{nan} == FloatAttr{nan}));
  CHECK_FALSE((FloatAttr{0.0} == FloatAttr{-0.0}));
  CHECK_FALSE((FloatAttr{nan} == FloatAttr{-nan}));
}

TEST_CASE("arrays of attributes are compared recursively", "[ir][attribute]") {
  const Attribute inner = ArrayAttr{{integer(1), "a"}};
  const Attribute outer = ArrayAttr{{inner, Attribute()}};
  CHECK((outer == Attribute(ArrayAttr{{ArrayAttr{{integer(1), "a"}}, UnitAttr{}}})));
  CHECK_FALSE((outer == Attribute(ArrayAttr{{inner}})));
  CHECK_FALSE((outer == Attribute(ArrayAttr{{Attribute(), inner}})));
}

std::vector<std::string> names_of(const AttributeMap& map) {
  std::vector<std::string> names;
  for (const NamedAttribute& entry : map) names.emplace_back(entry.name);
  return names;
}

TEST_CASE("an attribute map is sorted by name and has each name once", "[ir][attribute]") {
  AttributeMap map;
  CHECK(map.empty());
  for (const char* name : {"b", "", "a.b", "a", "B", "ab"}) map.set(name, std::string(name));
  CHECK(names_of(map) == std::vector<std::string>{"", "B", "a", "a.b", "ab", "b"});
  CHECK(map.size() == 6);
  map.set("a", true);
  CHECK(map.size() == 6);
  CHECK(*map.get<bool>("a"));
  CHECK(map.get<std::string>("a") == nullptr);
  CHECK(map.get<bool>("c") == nullptr);
  CHECK(map.find("c") == nullptr);
  CHECK(map.contains("ab"));
  CHECK_FALSE(map.contains("abc"));
}

TEST_CASE("an attribute map of any size behaves like std::map", "[ir][attribute]") {
  std::mt19937 random(1);
  for (const uint32_t num_names : {4U, 16U, 17U, 60U}) {
    AttributeMap map;
    std::map<std::string, int64_t> expected;
    for (int step = 0; step < 2000; ++step) {
      const std::string name(1 + random() % num_names, 'a');
      if (random() % 3 == 0) {
        CHECK(map.erase(name) == (expected.erase(name) == 1));
      } else {
        map.set(name, IntegerAttr{step, ElementType::I64});
        expected[name] = step;
      }
      const std::string other(1 + random() % num_names, 'a');
      const auto* const found = map.get<IntegerAttr>(other);
      const auto wanted = expected.find(other);
      REQUIRE((found != nullptr) == (wanted != expected.end()));
      if (found != nullptr) REQUIRE(found->value == wanted->second);
    }
    std::vector<std::string> names;
    for (const auto& [name, value] : expected) names.push_back(name);
    CHECK(names_of(map) == names);
    const AttributeMap same = map;
    CHECK(AttributeMap::from_sorted(std::move(map).take()) == same);
  }
}

TEST_CASE("copies of an attribute map share entries, and changes of one are not in the others",
          "[ir][attribute]") {
  std::mt19937 random(2);
  std::vector<AttributeMap> maps(4);
  std::vector<std::map<std::string, int64_t>> expected(4);
  const auto pick = [&](std::size_t count) { return random() % count; };
  for (int step = 0; step < 5000; ++step) {
    const std::size_t at = pick(maps.size());
    const std::string name(1 + pick(9), 'a');
    switch (pick(5)) {
      case 0: {
        const std::size_t from = pick(maps.size());
        maps[at] = maps[from];
        expected[at] = expected[from];
        CHECK(maps[at].begin() == maps[from].begin());
        break;
      }
      case 1:
        CHECK(maps[at].erase(name) == (expected[at].erase(name) == 1));
        break;
      case 2:
        if (auto* const number = maps[at].edit<IntegerAttr>(name)) number->value = step;
        if (expected[at].contains(name)) expected[at][name] = step;
        break;
      default:
        maps[at].set(name, IntegerAttr{step, ElementType::I64});
        expected[at][name] = step;
    }
    for (std::size_t index = 0; index < maps.size(); ++index) {
      std::map<std::string, int64_t> found;
      for (const NamedAttribute& each : maps[index]) {
        found[std::string(each.name)] = each.value.as<IntegerAttr>()->value;
      }
      REQUIRE(found == expected[index]);
    }
  }
}

TEST_CASE("any number of attribute names are equal if their texts are", "[ir][attribute]") {
  STATIC_REQUIRE(sizeof(AttributeMap) == sizeof(void*));
  STATIC_REQUIRE(sizeof(NamedAttribute) == 2 * sizeof(void*));
  std::vector<AttributeName> names;
  const auto text_of = [](int number) {
    return std::string(static_cast<std::size_t>(number % 100), 'n') + std::to_string(number);
  };
  for (int number = 0; number < 3000; ++number) names.emplace_back(text_of(number));
  for (int number = 0; number < 3000; ++number) {
    const AttributeName& name = names[static_cast<std::size_t>(number)];
    const AttributeName copy = name;
    REQUIRE(copy == AttributeName(text_of(number)));
    REQUIRE(copy.view() == text_of(number));
    REQUIRE_FALSE(copy == names[static_cast<std::size_t>(number + 1) % names.size()]);
  }
  CHECK(AttributeName() == AttributeName(""));
  CHECK(AttributeName("a") < AttributeName("b"));
}

TEST_CASE("erasing returns whether the name existed", "[ir][attribute]") {
  AttributeMap map = attributes({{"a", true}, {"b", true}, {"c", true}});
  CHECK(map.erase("b"));
  CHECK_FALSE(map.erase("b"));
  CHECK(names_of(map) == std::vector<std::string>{"a", "c"});
}

TEST_CASE("attribute maps are equal in any order of insertion", "[ir][attribute]") {
  const AttributeMap forward = attributes({{"a", true}, {"b", "x"}});
  CHECK((forward == attributes({{"b", "x"}, {"a", true}})));
  CHECK_FALSE((forward == attributes({{"a", true}})));
  CHECK_FALSE((forward == attributes({{"a", true}, {"b", "y"}})));
  CHECK_FALSE((forward == attributes({{"a", true}, {"c", "x"}})));
}

}  // namespace
}  // namespace shardy_test::attribute_test
