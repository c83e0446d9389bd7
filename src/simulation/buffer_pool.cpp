#include "simulation/buffer_pool.hpp"

#include <map>
#include <mutex>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace shardy::simulation {
namespace {

/// The smallest pooled size. The allocator itself reuses smaller buffers.
constexpr std::size_t kSmallest = std::size_t{1} << 16;
constexpr std::size_t kMostKept = std::size_t{1} << 29;
/// The size of a cache line. An aligned buffer has no vector that crosses two lines.
constexpr std::align_val_t kLineAlignment{64};

/// The size of a huge page, which reduces TLB misses and page faults.
constexpr std::size_t kLargePage = std::size_t{1} << 21;

std::align_val_t alignment_of(std::size_t size) {
#if defined(__linux__)
  if (size >= kLargePage) return std::align_val_t{kLargePage};
#endif
  return kLineAlignment;
}

/// Requests huge pages for the whole pages inside the buffer; the buffer takes no more memory.
void ask_for_large_pages([[maybe_unused]] std::byte* buffer, [[maybe_unused]] std::size_t size) {
#if defined(__linux__)
  // A system without huge pages uses normal ones.
  static_cast<void>(::madvise(buffer, size / kLargePage * kLargePage, MADV_HUGEPAGE));
#endif
}

/// Allocates a buffer; null if memory is exhausted.
std::byte* allocate(std::size_t size) {
  auto* buffer = static_cast<std::byte*>(::operator new[](size, alignment_of(size), std::nothrow));
  if (buffer != nullptr && size >= kLargePage) ask_for_large_pages(buffer, size);
  return buffer;
}

void release(std::byte* buffer, std::size_t size) {
  ::operator delete[](buffer, alignment_of(size));
}

class BufferPool {
 public:
  /// Returns the pool, which is never destroyed, because tensors may outlive all other objects.
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
    release(buffer, size);
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
  /// Returns a kept buffer of exactly this size, else null. Programs have few different sizes, and
  /// an exact match wastes no memory.
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
    for (const auto& [size, buffer] : freed) release(buffer, size);
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
