#include "partitioning/window_plan.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include "support/catch.hpp"

using namespace shardy;
using namespace shardy::partitioning;

namespace window_plan_test {
namespace {

constexpr int64_t kPadding = -1;  // what windows read outside of the elements

/// Returns the element at a dilated position of the whole dim.
int64_t element_at(const Window& window, int64_t position) {
  const int64_t element = floor_div(position, window.base_dilation);
  const bool exists = position == element * window.base_dilation && element >= 0;
  return exists && element < window.base ? element : kPadding;
}

/// Returns the element that tap t of window i reads.
int64_t read_globally(const Window& window, int64_t i, int64_t t) {
  return element_at(window, i * window.stride - window.low + t * window.window_dilation);
}

/// Returns the elements that a halo exchange brings to a shard.
std::vector<int64_t> received(const Window& window, const WindowPlan& plan, int64_t shard) {
  std::vector<int64_t> elements;
  for (int64_t index = 0; index < plan.length; ++index) {
    const int64_t element = plan.start(shard) + index;
    elements.push_back(element >= 0 && element < window.base ? element : kPadding);
  }
  return elements;
}

std::vector<int64_t> padded(const std::vector<int64_t>& elements, int64_t low, int64_t high,
                            int64_t dilation) {
  std::vector<int64_t> positions(static_cast<std::size_t>(low), kPadding);
  for (std::size_t index = 0; index < elements.size(); ++index) {
    if (index > 0) positions.insert(positions.end(), static_cast<std::size_t>(dilation - 1), -1);
    positions.push_back(elements[index]);
  }
  const auto size = static_cast<int64_t>(positions.size()) + high;
  positions.resize(static_cast<std::size_t>(size), kPadding);  // also a negative `high`
  return positions;
}

/// Returns the windows of a shard, each as the elements that its taps read. A window of the local
/// op has `taps` taps.
std::vector<std::vector<int64_t>> windows_of(const Window& window, const WindowPlan& plan,
                                             int64_t shard, int64_t taps) {
  std::vector<int64_t> positions =
      padded(received(window, plan, shard), plan.low, plan.high, plan.base_dilation);
  int64_t first = 0;
  if (plan.form == WindowPlan::WindowForm::Spread) {
    positions.erase(positions.begin(), positions.begin() + plan.offset(shard));
    positions.resize(static_cast<std::size_t>(plan.extent));
  } else if (plan.form == WindowPlan::WindowForm::Sliced) {
    first = plan.offset(shard);
  }
  Window local = window;
  local.size = taps;
  const auto room = static_cast<int64_t>(positions.size()) - local.extent();
  REQUIRE(room >= 0);
  REQUIRE(room / window.stride + 1 == plan.local_count());
  std::vector<std::vector<int64_t>> windows;
  for (int64_t i = first; i < first + plan.count; ++i) {
    windows.emplace_back();
    for (int64_t t = 0; t < taps; ++t) {
      windows.back().push_back(
          positions.at(static_cast<std::size_t>(i * window.stride + t * window.window_dilation)));
    }
  }
  return windows;
}

void check_windows(const Window& window, int64_t shards) {
  const WindowPlan plan = plan_windows(window, shards);
  for (int64_t shard = 0; shard < plan.receivers; ++shard) {
    const auto windows = windows_of(window, plan, shard, window.size);
    for (int64_t i = 0; i < plan.count; ++i) {
      const int64_t number = shard * plan.count + i;
      if (number >= window.count()) break;
      for (int64_t t = 0; t < window.size; ++t) {
        const auto& own = windows[static_cast<std::size_t>(i)];
        REQUIRE(own[static_cast<std::size_t>(t)] == read_globally(window, number, t));
      }
    }
  }
  REQUIRE(plan.receivers * plan.count >= window.count());
}

void check_taps(const Window& window, int64_t shards) {
  const WindowPlan plan = plan_taps(window, shards);
  const int64_t taps = ceil_div(window.size, shards);
  for (int64_t shard = 0; shard < plan.receivers; ++shard) {
    const auto windows = windows_of(window, plan, shard, taps);
    for (int64_t i = 0; i < plan.count; ++i) {
      for (int64_t t = 0; t < taps && shard * taps + t < window.size; ++t) {
        const auto& own = windows[static_cast<std::size_t>(i)];
        REQUIRE(own[static_cast<std::size_t>(t)] == read_globally(window, i, shard * taps + t));
      }
    }
  }
  REQUIRE(plan.receivers * taps >= window.size);
}

bool reads_padding(const Window& window) {
  const int64_t dilated = (window.base - 1) * window.base_dilation;
  for (int64_t i = 0; i < window.count(); ++i) {
    for (int64_t position = i * window.stride - window.low;
         position < i * window.stride - window.low + window.extent(); ++position) {
      // A position less than `base_dilation` away from an element is a hole rather than padding,
      // and is not received.
      if (position <= -window.base_dilation || position >= dilated + window.base_dilation)
        return true;
    }
  }
  return false;
}

/// Returns every window that the sizes allow.
template <class Visit>
void for_all_windows(const Visit& visit) {
  for (int64_t base = 0; base <= 7; ++base) {
    for (int64_t size = 1; size <= 4; ++size) {
      for (int64_t stride = 1; stride <= 3; ++stride) {
        for (int64_t low = -2; low <= 4; ++low) {
          for (int64_t high = -2; high <= 4; ++high) {
            for (int64_t base_dilation = 1; base_dilation <= 3; ++base_dilation) {
              for (int64_t dilation = 1; dilation <= (size > 1 ? 2 : 1); ++dilation) {
                const Window window{{size, stride, base_dilation, dilation, low, high}, base};
                if (window.count() > 0) visit(window);
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("windows of every shard read the same elements as windows of the whole dim",
          "[partitioning][law]") {
  for_all_windows([](const Window& window) {
    CAPTURE(window.base, window.size, window.stride, window.low, window.high);
    CAPTURE(window.base_dilation, window.window_dilation);
    for (int64_t shards = 1; shards <= 5; ++shards) check_windows(window, shards);
  });
}

TEST_CASE("kernel positions of every shard read the same elements as in the whole dim",
          "[partitioning][law]") {
  for_all_windows([](const Window& window) {
    CAPTURE(window.base, window.size, window.stride, window.low, window.high);
    CAPTURE(window.base_dilation, window.window_dilation);
    for (int64_t shards = 1; shards <= 5; ++shards) check_taps(window, shards);
  });
}

TEST_CASE("windows that read no padding have no mask", "[partitioning][law]") {
  for_all_windows([](const Window& window) {
    CAPTURE(window.base, window.size, window.stride, window.low, window.high);
    CAPTURE(window.base_dilation, window.window_dilation);
    if (window.base > 0) REQUIRE(window.reads_padding() == reads_padding(window));
  });
}

// Spec: partitioning 7.3, 7.5, 8.4.
TEST_CASE("examples of window plans", "[partitioning]") {
  SECTION("E1: a halo that differs from shard to shard") {
    const Window window{{.size = 5, .low = 3, .high = 5}, 12};
    CHECK(window.count() == 16);
    const WindowPlan plan = plan_windows(window, 4);
    CHECK(plan.form == WindowPlan::WindowForm::Same);
    CHECK(plan.count == 4);
    CHECK(plan.extent == 8);
    CHECK(plan.start == QuasiAffine{4, -3, 1});
    CHECK(plan.length == 8);
    CHECK(plan.receivers == 4);
  }
  SECTION("E2: base dilation, one phase") {
    const Window window{{.size = 3, .base_dilation = 2, .low = 1, .high = 2}, 4};
    CHECK(window.count() == 8);
    const WindowPlan plan = plan_windows(window, 2);
    CHECK(plan.form == WindowPlan::WindowForm::Same);
    CHECK(plan.start(0) == 0);
    CHECK(plan.start(1) == 2);
    CHECK(plan.length == 3);
    CHECK(plan.low == 1);
    CHECK(plan.high == 0);
  }
  SECTION("E3: two phases, windows are sliced") {
    const Window window{{.size = 3, .base_dilation = 3}, 4};
    CHECK(window.count() == 8);
    const WindowPlan plan = plan_windows(window, 2);
    CHECK(plan.form == WindowPlan::WindowForm::Sliced);
    CHECK(plan.start(0) == 0);
    CHECK(plan.start(1) == 2);
    CHECK(plan.slack == 2);
    CHECK(plan.length == 2);
    CHECK(plan.low == 2);
    CHECK(plan.high == 2);
    CHECK(plan.local_count() == 6);
    CHECK(plan.offset(0) == 2);
    CHECK(plan.offset(1) == 0);
  }
  SECTION("E4: two phases and a stride, positions are spread out") {
    const Window window{{.size = 5, .stride = 2, .base_dilation = 3, .low = 1}, 4};
    CHECK(window.count() == 4);
    const WindowPlan plan = plan_windows(window, 2);
    CHECK(plan.form == WindowPlan::WindowForm::Spread);
    CHECK(plan.extent == 7);
    CHECK(plan.start(0) == 0);
    CHECK(plan.start(1) == 1);
    CHECK(plan.phase(0) == 1);
    CHECK(plan.phase(1) == 0);
    CHECK(plan.slack == 1);
    CHECK(plan.length == 3);
    CHECK(plan.high == 0);
    CHECK(plan.offset(0) == 0);
    CHECK(plan.offset(1) == 1);
  }
  SECTION("7.5: taps are sharded") {
    const Window window{{.size = 4, .window_dilation = 2, .low = 1}, 8};
    CHECK(window.count() == 3);
    const WindowPlan plan = plan_taps(window, 2);
    CHECK(plan.form == WindowPlan::WindowForm::Same);
    CHECK(plan.extent == 5);
    CHECK(plan.start == QuasiAffine{4, -1, 1});
    CHECK(plan.length == 5);
    CHECK(plan.count == 3);
  }
  SECTION("8.4: interior padding") {
    const Window window{{.base_dilation = 3}, 3};
    CHECK(window.count() == 7);
    const WindowPlan plan = plan_windows(window, 2);
    CHECK(plan.form == WindowPlan::WindowForm::Sliced);
    CHECK(plan.start(1) == 2);
    CHECK(plan.low == 2);
    CHECK(plan.high == 0);
    CHECK(plan.length == 2);
  }
}

TEST_CASE("scans in either direction are recognized", "[partitioning]") {
  CHECK(scan_of({{.size = 8, .low = 7}, 8}) == Scan::FromFirst);
  CHECK(scan_of({{.size = 8, .high = 7}, 8}) == Scan::FromLast);
  CHECK(scan_of({{.size = 9, .low = 8}, 8}) == Scan::FromFirst);
  CHECK(scan_of({{.size = 7, .low = 6}, 8}) == Scan::None);
  CHECK(scan_of({{.size = 8, .low = 6, .high = 1}, 8}) == Scan::None);
  CHECK(scan_of({{.size = 8, .stride = 2, .low = 7}, 8}) == Scan::None);
  CHECK(scan_of({{.size = 1}, 1}) == Scan::None);
}

}  // namespace window_plan_test
