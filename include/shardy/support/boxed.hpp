// A value that is mostly the default one.
#pragma once

#include <memory>
#include <utility>

namespace shardy {

/// A T in memory of its own, none for a T that nobody has written yet: a pointer where most of many
/// T are empty. Copies are deep.
template <class T>
class Boxed {
 public:
  Boxed() = default;
  explicit Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Boxed(const Boxed& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Boxed(Boxed&& other) noexcept = default;
  Boxed& operator=(Boxed other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~Boxed() = default;

  const T& operator*() const {
    static const T kDefault{};
    return value_ ? *value_ : kDefault;
  }
  const T* operator->() const { return &**this; }
  friend bool operator==(const Boxed& a, const Boxed& b) { return *a == *b; }
  /// To write; valid until the box is assigned to.
  T& value() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace shardy
