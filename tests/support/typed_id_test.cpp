#include <shardy/support/detail/hash.hpp>
#include <shardy/support/typed_id.hpp>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "support/catch.hpp"

namespace shardy::typed_id_test {
namespace {

using CatId = TypedId<struct CatTag>;
using DogId = TypedId<struct DogTag>;

static_assert(!std::is_convertible_v<uint32_t, CatId>);
static_assert(!std::is_constructible_v<CatId, DogId>);

TEST_CASE("a default id is invalid", "[support][typed_id]") {
  CHECK_FALSE(CatId().valid());
  CHECK_FALSE(static_cast<bool>(CatId()));
  CHECK(CatId(0).valid());
  CHECK(CatId(7).index() == 7);
  CHECK(CatId(1) < CatId(2));
  CHECK(CatId(1) < CatId());
  CHECK(std::unordered_set<CatId>{CatId(1), CatId(1), CatId(2)}.size() == 2);
}

TEST_CASE("hashes depend on the order and number of elements", "[support][hash]") {
  const std::hash<int> hash;
  CHECK(hash_combine(hash(1), 2) != hash_combine(hash(2), 1));
  CHECK(hash_range(std::vector<int>{1, 2}) != hash_range(std::vector<int>{2, 1}));
  CHECK(hash_range(std::vector<int>{}) != hash_range(std::vector<int>{0}));
  CHECK(hash_of(1, std::string("a")) == hash_of(1, std::string("a")));
  CHECK(hash_of(1, std::string("a")) != hash_of(1, std::string("b")));
}

}  // namespace
}  // namespace shardy::typed_id_test
