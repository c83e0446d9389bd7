#include "simulation/buffer_pool.hpp"

#include <map>
#include <mutex>
#include <new>
#include <utility>

namespace shardy::simulation {
namespace {

/// Smaller ones are left to the allocator, which keeps them itself.
constexpr std::size_t kSmallest = std::size_t{1} << 16;
constexpr std::size_t kMostKept = std::size_t{1} << 29;
/// Of a cache line: no vector lies in two.
constexpr std::align_val_t kLineAlignment{64};

/// Null if there is no memory.
std::byte* allocate(std::size_t size) {
  return static_cast<std::byte*>(::operator new[](size, kLineAlignment, std::nothrow));
}
void release(std::byte* buffer) { ::operator delete[](buffer, kLineAlignment); }

class BufferPool {
 public:
  /// Never destroyed: tensors may outlive everything else.
  static BufferPool& instance() {
    static auto* const kPool = new BufferPool;
    return *kPool;
  }

  std::byte* take(std::size_t size) {
    if (std::byte* kept = find(size)) return kept;
    if (std::byte* made = allocate(size)) return made;
    free_all();
    return allocate(size);
  }

  void give_back(std::byte* buffer, std::size_t size) {
    {
      const std::scoped_lock lock(mutex_);
      if (num_users_ > 0 && size <= kMostKept - kept_bytes_) {
        kept_.emplace(size, buffer);
        kept_bytes_ += size;
        return;
      }
    }
    release(buffer);
  }

  void enter() {
    const std::scoped_lock lock(mutex_);
    ++num_users_;
  }
  void leave() {
    {
      const std::scoped_lock lock(mutex_);
      if (--num_users_ > 0) return;
    }
    free_all();
  }

 private:
  /// Only of exactly that size: programs have few sizes, and no memory is
  /// wasted.
  std::byte* find(std::size_t size) {
    const std::scoped_lock lock(mutex_);
    const auto found = kept_.find(size);
    if (found == kept_.end()) return nullptr;
    std::byte* buffer = found->second;
    kept_.erase(found);
    kept_bytes_ -= size;
    return buffer;
  }

  void free_all() {
    std::multimap<std::size_t, std::byte*> freed;
    {
      const std::scoped_lock lock(mutex_);
      freed.swap(kept_);
      kept_bytes_ = 0;
    }
    for (const auto& [size, buffer] : freed) release(buffer);
  }

  std::mutex mutex_;
  std::multimap<std::size_t, std::byte*> kept_;  // by size
  std::size_t kept_bytes_ = 0;
  int64_t num_users_ = 0;
};

}  // namespace

std::shared_ptr<std::byte> take_buffer(std::size_t size) {
  if (size < kSmallest) {
    return {new (std::nothrow) std::byte[size], std::default_delete<std::byte[]>()};
  }
  std::byte* buffer = BufferPool::instance().take(size);
  if (buffer == nullptr) return nullptr;
  return {buffer, [size](std::byte* bytes) { BufferPool::instance().give_back(bytes, size); }};
}

KeptBuffers::KeptBuffers() { BufferPool::instance().enter(); }
KeptBuffers::~KeptBuffers() { BufferPool::instance().leave(); }

}  // namespace shardy::simulation
