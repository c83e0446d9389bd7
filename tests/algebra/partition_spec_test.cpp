#include <shardy/algebra/partition_spec.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "support/catch.hpp"

namespace shardy::partition_spec_test {
namespace {

using shardy_test::message_of;
using Spec = std::vector<std::vector<std::string>>;

std::string imported(const Spec& spec, std::size_t rank) {
  const Result<UnresolvedSharding> sharding = sharding_of_partition_spec(spec, rank, "m");
  return sharding ? to_string(*sharding) : sharding.error().message;
}

TEST_CASE("entries of a partition spec are the axes of the dims", "[partition_spec]") {
  const auto [spec, rank, text] = GENERATE(table<Spec, std::size_t, std::string>({
      {{{"x"}, {}, {"y", "z"}}, 3, R"(<@m, [{"x"}, {}, {"y", "z"}]>)"},
      {{{"x"}}, 3, R"(<@m, [{"x"}, {}, {}]>)"},
      {{}, 0, "<@m, []>"},
      {{{"?"}, {"x", "?"}}, 2, R"(<@m, [{?}, {"x", ?}]>)"},
      {{{"x:(1)2"}, {"x:(2)2", "y"}}, 2, R"(<@m, [{"x":(1)2}, {"x":(2)2, "y"}]>)"},
      // Only the last part that is a sub-axis is one; a name may hold anything else.
      {{{"x:(1)2:(2)3"}, {"x:(1)"}, {"x:(1)2 "}},
       3,
       R"x(<@m, [{"x:(1)2":(2)3}, {"x:(1)"}, {"x":(1)2}]>)x"},
      {{{"x"}, {}}, 1, "partition spec has 2 entries, the tensor has rank 1"},
      {{{}, {"?", "x"}}, 2, "\"?\" must come last in entry 1 of a partition spec"},
  }));
  CAPTURE(text);
  CHECK(imported(spec, rank) == text);
}

TEST_CASE("an imported partition spec resolves like any sharding", "[partition_spec]") {
  const Mesh mesh = Mesh::make({{"x", 4}, {"y", 2}}).value();
  const auto spec = [&](const Spec& entries) {
    return resolve(sharding_of_partition_spec(entries, 2, mesh).value(), mesh);
  };
  CHECK(to_string(*spec({{"y", "x:(2)2"}})) == R"(<mesh<["x"=4, "y"=2]>, [{"y", "x":(2)2}, {}]>)");
  CHECK(message_of(spec({{"x"}, {"x"}})) == "duplicate axis ref: \"x\"");
  CHECK(message_of(spec({{"w"}})) == "unknown axis name: \"w\"");
}

TEST_CASE("parse_any_sharding reads a sharding in each supported notation", "[partition_spec]") {
  const auto [text, meant] = GENERATE(table<std::string, std::string>({
      {R"([{"x"}, {?}p1])", R"(<@m, [{"x"}, {?}p1]>)"},  // as many dims as it has
      {R"([{"x"}], replicated={"y"})", R"(<@m, [{"x"}], replicated={"y"}>)"},
      {R"(<@n, [{"x"}, {}]>)", R"(<@n, [{"x"}, {}]>)"},
      {R"(#sdy.sharding<@n, [{"x"}, {}]>)", R"(<@n, [{"x"}, {}]>)"},
      {R"(#sdy<sharding<@n, []>>)", "<@n, []>"},
      {"[]", "<@m, []>"},
      {"P('x', None)", R"(<@m, [{"x"}, {}, {}]>)"},
      {" PartitionSpec( ( 'x', 'y' ), ) ", R"(<@m, [{"x", "y"}, {}, {}]>)"},
      {"jax.sharding.PartitionSpec(None, None, \"x\")", R"(<@m, [{}, {}, {"x"}]>)"},
      {"P()", "<@m, [{}, {}, {}]>"},
      {"P(P.UNCONSTRAINED, ('x', '?'), 'y:(1)2')", R"(<@m, [{?}, {"x", ?}, {"y":(1)2}]>)"},
      {"P('x', unreduced={'y'})", R"(<@m, [{"x"}, {}, {}], unreduced={"y"}>)"},
      {"P('x'), unreduced={\"y\"}", R"(<@m, [{"x"}, {}, {}], unreduced={"y"}>)"},
      {R"([["x"], [], ["y", "z"]])", R"(<@m, [{"x"}, {}, {"y", "z"}]>)"},
      {R"([["x"], null])", R"(<@m, [{"x"}, {}, {}]>)"},
      {R"(['x', ?])", R"(<@m, [{"x"}, {?}, {}]>)"},
      {"[null, None, null]", "<@m, [{}, {}, {}]>"},
      {"<@n, P('x')>", R"(<@n, [{"x"}, {}, {}]>)"},
      {R"(<mesh<["x"=2]>, [["x"], null]>)", R"(<mesh<["x"=2]>, [{"x"}, {}, {}]>)"},
  }));
  CAPTURE(text);
  const auto sharding = parse_any_sharding(text, "m", 3);
  REQUIRE((sharding ? "" : sharding.error().message) == "");
  CHECK(to_string(*sharding) == meant);
  CHECK(parse_any_sharding(meant, "other").value() == *sharding);
}

TEST_CASE("text that is not a sharding in any notation is an error with its location",
          "[partition_spec]") {
  const auto [text, place, message] = GENERATE(table<std::string, std::string, std::string>({
      {"", "1:1", "expected '[' or 'P(', found end of text"},
      {"Q('x')", "1:1", "expected '[' or 'P(', found 'Q'"},
      {"P('x'", "1:6", "expected ',' or ')', found end of text"},
      {"P('x", "1:3", "expected ' at the end of the name"},
      {"P(x)", "1:3", "expected the name of an axis, None or a list, found 'x'"},
      {"P(('?', 'x'))", "1:3", "\"?\" must come last in entry 0 of a partition spec"},
      {"P('x') 3", "1:8", "expected end of text, found '3'"},
      {"<@m P('x')>", "1:5", "expected ',', found 'P'"},
      {R"([["x"], {"y"}], unreduced={"z"}, unreduced={"z"})", "1:34", "duplicate clause"},
  }));
  CAPTURE(text);
  const auto sharding = parse_any_sharding(text, "m", 3);
  REQUIRE_FALSE(sharding);
  CHECK(sharding.error().location == place);
  CHECK(sharding.error().message == message);
}

TEST_CASE("TensorSharding::parse reads a sharding on its mesh", "[partition_spec]") {
  const Mesh mesh = Mesh::make({{"x", 4}, {"y", 2}}).value();
  const auto read = [&](std::string_view text) { return TensorSharding::parse(mesh, text, 2); };
  CHECK(to_string(*read(R"([{"y", "x":(2)2}, {?}])")) ==
        R"(<mesh<["x"=4, "y"=2]>, [{"y", "x":(2)2}, {?}]>)");
  CHECK(to_string(*read("P('x')")) == R"(<mesh<["x"=4, "y"=2]>, [{"x"}, {}]>)");
  CHECK(to_string(*read(R"(<@m, [{"x"}, {}]>)")) == R"(<@m, [{"x"}, {}]>)");
  CHECK(read(R"(<mesh<["x"=4, "y"=2]>, [{"x"}, {}]>)").has_value());
  CHECK(message_of(read(R"(<mesh<["x"=2]>, [{"x"}, {}]>)")) ==
        R"(the sharding is on <["x"=2]>, not on <["x"=4, "y"=2]>)");
  CHECK(message_of(read("P('x', 'x')")) == "duplicate axis ref: \"x\"");
  CHECK(message_of(read("P('z')")) == "unknown axis name: \"z\"");
  CHECK(read("P('x'").error().location == "1:6");
}

}  // namespace
}  // namespace shardy::partition_spec_test
