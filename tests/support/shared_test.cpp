// Values with several owners.
#include <shardy/support/detail/shared.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace shardy::shared_test {
namespace {

struct Tracked : OwnerCount {
  explicit Tracked(int& ends) : num_ends(&ends) {}
  static void destroy(const Tracked* tracked) {
    ++*tracked->num_ends;
    delete tracked;
  }
  int* num_ends;
};

static_assert(sizeof(Shared<Tracked>) == sizeof(void*));

TEST_CASE("a shared value is destroyed with its last owner", "[support][shared]") {
  int ends = 0;
  {
    Shared<Tracked> first = Shared<Tracked>::make(ends);
    Shared<Tracked> second = first;
    CHECK(first == second);
    CHECK_FALSE(first == Shared<Tracked>());
    Shared<Tracked> third = std::move(second);
    CHECK_FALSE(second);  // NOLINT(bugprone-use-after-move): null is what is left
    CHECK(third == first);
    const Shared<Tracked>& same = third;
    third = same;
    first = Shared<Tracked>();
    CHECK(ends == 0);
    third = Shared<Tracked>::make(ends);
    CHECK(ends == 1);
  }
  CHECK(ends == 2);
}

TEST_CASE("owners of a shared value may be on several threads", "[support][shared]") {
  int ends = 0;
  {
    const Shared<Tracked> value = Shared<Tracked>::make(ends);
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int each = 0; each < 4; ++each) {
      threads.emplace_back([value] {
        for (int round = 0; round < 10'000; ++round) {
          const Shared<Tracked> copy = value;  // NOLINT(performance-*): it comes and goes
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(ends == 0);
  }
  CHECK(ends == 1);
}

}  // namespace
}  // namespace shardy::shared_test
