// Immutable values with several owners.
#pragma once

#include <atomic>
#include <cstddef>
#include <shardy/support/contract.hpp>
#include <utility>

namespace shardy {

template <class T>
class Shared;

/// Base class of values owned by Shared pointers. It counts the owners.
class OwnerCount {
 protected:
  OwnerCount() = default;
  ~OwnerCount() = default;

 public:
  OwnerCount(const OwnerCount&) = delete;
  OwnerCount& operator=(const OwnerCount&) = delete;

 private:
  template <class T>
  friend class Shared;
  mutable std::atomic<std::size_t> owners_{0};
};

/// A pointer to an immutable value that other pointers may share, or null. Copies may be used on
/// different threads.
///
/// The class is not a std::shared_ptr, because attributes are changed in place if `is_only_owner`.
/// std::shared_ptr::use_count does not order earlier accesses of other threads, which have released
/// the value, before that change.
///
/// T derives from OwnerCount and has `static void destroy(const T*)`, which deletes what `make`
/// created.
template <class T>
class Shared {
 public:
  Shared() = default;
  /// Makes a new value of T, or of a derived class that `destroy` supports.
  template <class Value = T, class... Args>
  static Shared make(Args&&... args) {
    return Shared(new Value(std::forward<Args>(args)...));
  }
  /// Takes a new value, which `destroy` deletes.
  static Shared adopt(const T* value) { return Shared(value); }
  Shared(const Shared& other) : value_(other.value_) { own(); }
  Shared(Shared&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Shared() {
    // Accesses of other owners happen before the destruction. The suppressed warning is wrong,
    // because the static analyzer does not track the count.
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDelete)
    if (value_ && value_->owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) T::destroy(value_);
  }

  /// Returns whether the pointer is not null.
  explicit operator bool() const { return value_ != nullptr; }
  /// Returns the pointer to the value, or null.
  const T* get() const { return value_; }
  /// Returns the value. Requires: not null.
  const T& operator*() const {
    SHARDY_EXPECTS(value_ != nullptr);
    return *value_;
  }
  /// Accesses a member of the value. Requires: not null.
  const T* operator->() const {
    SHARDY_EXPECTS(value_ != nullptr);
    return value_;
  }
  /// Checks whether no other pointer shares the value, so that a change is not visible elsewhere.
  bool is_only_owner() const {
    return value_ && value_->owners_.load(std::memory_order_acquire) == 1;
  }
  /// Compares addresses, not values.
  friend bool operator==(const Shared& a, const Shared& b) { return a.value_ == b.value_; }

 private:
  explicit Shared(const T* value) : value_(value) { own(); }
  void own() const {
    if (value_) value_->owners_.fetch_add(1, std::memory_order_relaxed);
  }

  const T* value_ = nullptr;
};

}  // namespace shardy
