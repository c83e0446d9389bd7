// Random arguments for calls of public functions. Some are invalid, as from a caller with faults.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "shardy/support/typed_id.hpp"

namespace shardy::api_test {

class Draw;

/// Makes random objects of type T by `static T make(Draw&)`, which may also return a unique_ptr.
template <class T>
struct Values;

/// A source of the arguments of one call. It owns the objects that it returns.
class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(seed * 2 + 1) {}

  /// Returns a number less than `bound`.
  std::size_t below(std::size_t bound) {
    // This is splitmix64, which gives the same arguments on every platform.
    uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<std::size_t>((z ^ (z >> 31U)) % bound);
  }
  bool once_in(std::size_t times) { return below(times) == 0; }
  template <class T, std::size_t kSize>
  const T& one_of(const std::array<T, kSize>& options) {
    return options[below(kSize)];
  }

  /// Returns a new object.
  template <class T>
  T& get() {
    ++depth_;
    auto made = Values<T>::make(*this);
    --depth_;
    if constexpr (std::is_same_v<decltype(made), std::unique_ptr<T>>) {
      auto kept = std::shared_ptr<T>(std::move(made));
      kept_.push_back(kept);
      return *kept;
    } else {
      auto kept = std::make_shared<T>(std::move(made));
      kept_.push_back(kept);
      return *kept;
    }
  }
  template <class T>
  T value() {
    return std::move(get<T>());
  }

  /// Returns an object for a call of one of its members. At times it was moved from.
  template <class T>
  T& self() {
    T& object = get<T>();
    if constexpr (std::is_move_constructible_v<T> && !std::is_abstract_v<T>) {
      if (once_in(12)) {
        kept_.push_back(std::make_shared<T>(std::move(object)));
        is_spoiled_ = true;
      }
    }
    return object;
  }

  /// Records that an argument violates a requirement of all functions, for example an id without an
  /// object, or a value that was moved from. The call may then end in the contract handler.
  void spoil() { is_spoiled_ = true; }
  bool is_spoiled() const { return is_spoiled_; }
  /// Returns true if nested values should have no further elements.
  bool is_deep() const { return depth_ > 6; }

  std::string text() const { return "seed " + std::to_string(state_); }

 private:
  uint64_t state_;
  bool is_spoiled_ = false;
  int depth_ = 0;
  std::vector<std::shared_ptr<void>> kept_;
};

/// Returns a default object at times, as from a caller that sets no member; std::nullopt otherwise.
template <class T>
std::optional<T> at_times_plain(Draw& draw) {
  if constexpr (std::is_default_constructible_v<T>) {
    if (draw.is_deep() || draw.once_in(3)) return std::optional<T>(std::in_place);
  }
  return std::nullopt;
}

// ---- Types of the language and its library -----------------------------------------------------

template <class T>
requires std::is_integral_v<T>
struct Values<T> {
  static T make(Draw& draw) {
    if constexpr (std::is_same_v<T, bool>) {
      return draw.once_in(2);
    } else if constexpr (sizeof(T) == 1) {
      return static_cast<T>(draw.below(256));
    } else {
      constexpr std::array<int64_t, 8> kOften = {0, 1, 2, 3, 4, 6, 7, 8};
      constexpr std::array<T, 7> kAtTimes = {static_cast<T>(-1),
                                             static_cast<T>(-2),
                                             99,
                                             std::numeric_limits<T>::max(),
                                             std::numeric_limits<T>::min(),
                                             std::numeric_limits<T>::max() / 2 + 1,
                                             1 << 20};
      return draw.once_in(4) ? draw.one_of(kAtTimes) : static_cast<T>(draw.one_of(kOften));
    }
  }
};

template <>
struct Values<double> {
  static double make(Draw& draw) {
    constexpr std::array<double, 9> kAll = {0,
                                            1,
                                            -1,
                                            0.5,
                                            1e300,
                                            -1e-300,
                                            std::numeric_limits<double>::infinity(),
                                            std::numeric_limits<double>::quiet_NaN(),
                                            100e9};
    return draw.one_of(kAll);
  }
};

template <>
struct Values<std::byte> {
  static std::byte make(Draw& draw) { return static_cast<std::byte>(draw.below(256)); }
};

template <>
struct Values<std::string> {
  static std::string make(Draw& draw);
};
template <>
struct Values<std::string_view> {
  static std::string_view make(Draw& draw) { return draw.get<std::string>(); }
};
template <>
struct Values<const char*> {
  static const char* make(Draw& draw) { return draw.get<std::string>().c_str(); }
};

template <class T>
struct Values<std::vector<T>> {
  static std::vector<T> make(Draw& draw) {
    std::vector<T> items;
    if (draw.is_deep()) return items;
    for (std::size_t left = draw.below(4); left > 0; --left) items.push_back(draw.value<T>());
    return items;
  }
};
template <class T>
struct Values<std::span<const T>> {
  static std::span<const T> make(Draw& draw) { return draw.get<std::vector<T>>(); }
};
template <class T>
requires(!std::is_const_v<T>) struct Values<std::span<T>> {
  static std::span<T> make(Draw& draw) { return draw.get<std::vector<T>>(); }
};
template <class T>
struct Values<std::optional<T>> {
  static std::optional<T> make(Draw& draw) {
    if (draw.is_deep() || draw.once_in(3)) return std::nullopt;
    return draw.value<T>();
  }
};
template <class T, std::size_t kSize>
struct Values<std::array<T, kSize>> {
  static std::array<T, kSize> make(Draw& draw) {
    std::array<T, kSize> items{};
    for (T& item : items) item = draw.value<T>();
    return items;
  }
};
template <class A, class B>
struct Values<std::pair<A, B>> {
  static std::pair<A, B> make(Draw& draw) {
    A first = draw.value<A>();
    return {std::move(first), draw.value<B>()};
  }
};
template <class Key, class T, class Less>
struct Values<std::map<Key, T, Less>> {
  static std::map<Key, T, Less> make(Draw& draw) {
    std::map<Key, T, Less> items;
    if (draw.is_deep()) return items;
    for (std::size_t left = draw.below(3); left > 0; --left) {
      Key key = draw.value<Key>();
      items.insert_or_assign(std::move(key), draw.value<T>());
    }
    return items;
  }
};
template <class... Ts>
struct Values<std::variant<Ts...>> {
  using Made = std::variant<Ts...>;
  static Made make(Draw& draw) {
    constexpr std::array<Made (*)(Draw&), sizeof...(Ts)> kMakers = {
        [](Draw& one) { return Made(one.value<Ts>()); }...};
    return draw.one_of(kMakers)(draw);
  }
};
template <>
struct Values<std::monostate> {
  static std::monostate make(Draw& /*draw*/) { return {}; }
};

template <class T, class E>
struct Values<tl::expected<T, E>> {
  static tl::expected<T, E> make(Draw& draw) {
    if (draw.once_in(3)) return tl::unexpected(E{.message = "an error of the caller"});
    if constexpr (std::is_void_v<T>) {
      return {};
    } else {
      return draw.value<T>();
    }
  }
};

/// Draws the results of a function when the function is made, because calls may follow the end of
/// the draw.
template <class R, class... As>
struct Values<std::function<R(As...)>> {
  static std::function<R(As...)> make(Draw& draw) {
    if constexpr (std::is_void_v<R>) {
      return [](As...) {};
    } else {
      auto result = std::make_shared<R>(draw.value<R>());
      return [result](As...) { return *result; };
    }
  }
};
template <class R, class... As>
struct Values<R (*)(As...)> {
  static auto make(Draw& /*draw*/) -> R (*)(As...) {
    return [](As...) { return R(); };
  }
};
template <class T>
struct Values<T*> {
  static T* make(Draw& draw) {
    if constexpr (requires { sizeof(T); }) {
      if (!draw.is_deep() && !draw.once_in(3)) return &draw.get<std::remove_const_t<T>>();
    }
    return nullptr;
  }
};
/// Returns null: only the library makes these objects, and kernels accept null.
template <>
struct Values<std::shared_ptr<const ir::DrawNames>> {
  static std::shared_ptr<const ir::DrawNames> make(Draw& /*draw*/) { return nullptr; }
};

template <>
struct Values<std::shared_ptr<const std::byte>> {
  static std::shared_ptr<const std::byte> make(Draw& draw) {
    if (draw.once_in(4)) return nullptr;
    auto bytes = std::make_shared<std::array<std::byte, 64>>();
    return {bytes, bytes->data()};
  }
};
/// Past and future deadlines.
template <>
struct Values<std::chrono::steady_clock::time_point> {
  static std::chrono::steady_clock::time_point make(Draw& draw) {
    const auto now = std::chrono::steady_clock::now();
    return draw.once_in(2) ? now - std::chrono::hours(1) : now + std::chrono::hours(1);
  }
};

template <>
struct Values<std::stop_token> {
  static std::stop_token make(Draw& /*draw*/) { return {}; }
};
template <class Rep, class Period>
struct Values<std::chrono::duration<Rep, Period>> {
  static std::chrono::duration<Rep, Period> make(Draw& draw) {
    return std::chrono::duration<Rep, Period>(static_cast<Rep>(draw.below(100)));
  }
};

template <class Tag>
struct Values<TypedId<Tag>> {
  static TypedId<Tag> make(Draw& draw) {
    draw.spoil();
    if (draw.once_in(8)) return TypedId<Tag>();
    constexpr std::array<uint32_t, 3> kWrong = {99, 1U << 20U,
                                                std::numeric_limits<uint32_t>::max() - 1};
    if (draw.once_in(8)) return TypedId<Tag>(draw.one_of(kWrong));
    return TypedId<Tag>(static_cast<uint32_t>(draw.below(24)));
  }
};

}  // namespace shardy::api_test
