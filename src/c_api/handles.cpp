#include "c_api/handles.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

namespace shardy::c_api::handles {

namespace {

struct Entry {
  Kind kind = Kind::Text;
  std::shared_ptr<const void> object;
};

struct HandleTable {
  std::mutex mutex;
  std::unordered_map<uintptr_t, Entry> entries;
  uintptr_t last = 0;
};

/// Never destroyed: handles may be used until the process ends.
HandleTable& table() {
  static HandleTable& instance = *std::make_unique<HandleTable>().release();
  return instance;
}

}  // namespace

uintptr_t add(Kind kind, std::shared_ptr<const void> object) {
  constexpr uintptr_t kStep = 16;  // like aligned pointers
  HandleTable& all = table();
  const std::lock_guard lock(all.mutex);
  all.last += kStep;
  all.entries.emplace(all.last, Entry{kind, std::move(object)});
  return all.last;
}

std::shared_ptr<const void> find(uintptr_t handle, Kind kind) {
  HandleTable& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.entries.find(handle);
  if (found == all.entries.end() || found->second.kind != kind) return nullptr;
  return found->second.object;
}

void remove(uintptr_t handle, Kind kind) {
  std::shared_ptr<const void> last_owner;  // released after the lock
  HandleTable& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.entries.find(handle);
  if (found == all.entries.end() || found->second.kind != kind) return;
  last_owner = std::move(found->second.object);
  all.entries.erase(found);
}

}  // namespace shardy::c_api::handles
