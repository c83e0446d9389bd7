#include <shardy/algebra/partition_spec.hpp>
#include <shardy/algebra/resolve.hpp>
#include <shardy/algebra/text.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "support/catch.hpp"

namespace shardy {
namespace {

using shardy_test::message_of;
using Spec = std::vector<std::vector<std::string>>;

std::string imported(const Spec& spec, std::size_t rank) {
  const Result<SpelledSharding> sharding = sharding_of_partition_spec(spec, rank, "m");
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

}  // namespace
}  // namespace shardy
