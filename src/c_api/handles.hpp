// Objects of the handles of shardy.h.
#pragma once

#include <cstdint>
#include <memory>

namespace shardy::c_api {

enum class Kind : uint8_t { Diagnostics, Text, Program, Explanation, Plan, Tensor, Check };

/// The objects of all live handles. A handle is a unique number, cast to a pointer that is never
/// dereferenced: so invalid handles are detected. Thread-safe.
namespace handles {

/// The handle of a new object.
uintptr_t add(Kind kind, std::shared_ptr<const void> object);
/// Returns the object; null for an unknown handle of that kind.
std::shared_ptr<const void> find(uintptr_t handle, Kind kind);
/// Removes a handle of that kind, if it exists; the object lives until the last call on it returns.
void remove(uintptr_t handle, Kind kind);

}  // namespace handles

/// T has a type `Handle`, its `kKind`, and `kName` for errors.
template <class T>
typename T::Handle* make_handle(T object) {
  const uintptr_t handle =
      handles::add(T::kKind, std::make_shared<const T>(static_cast<T&&>(object)));
  // NOLINTNEXTLINE(performance-no-int-to-ptr): never dereferenced
  return reinterpret_cast<typename T::Handle*>(handle);
}

template <class T>
std::shared_ptr<const T> find(const typename T::Handle* handle) {
  return std::static_pointer_cast<const T>(
      handles::find(reinterpret_cast<uintptr_t>(handle), T::kKind));
}

template <class T>
void destroy(typename T::Handle* handle) noexcept {
  try {
    handles::remove(reinterpret_cast<uintptr_t>(handle), T::kKind);
  } catch (...) {  // NOLINT(bugprone-empty-catch): a lock that fails; the object stays
  }
}

/// Returns `read` of the object, or `otherwise` for an invalid handle.
template <class T, class Value, class Read>
Value read_or(const typename T::Handle* handle, Value otherwise, Read read) noexcept {
  try {
    const std::shared_ptr<const T> object = find<T>(handle);
    return object ? static_cast<Value>(read(*object)) : otherwise;
  } catch (...) {
    return otherwise;
  }
}

/// The same for a string of the object, which lives as long as the object.
template <class T, class Read>
const char* string_or_empty(const typename T::Handle* handle, Read read) noexcept {
  return read_or<T>(handle, "", [&](const T& object) {
    const auto* const text = read(object);
    return text == nullptr ? "" : text->c_str();
  });
}

/// Returns null if the index is too large.
template <class List>
auto element(const List& list, std::size_t index) -> decltype(list.data()) {
  return index < list.size() ? list.data() + index : nullptr;
}

}  // namespace shardy::c_api
