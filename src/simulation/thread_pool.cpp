#include "simulation/thread_pool.hpp"

#include <exception>

#include "shardy/support/contract.hpp"

namespace shardy::simulation {

struct ThreadPool::Work {
  Work(int64_t num_calls, const std::function<void(int64_t)>& call)
      : count(num_calls), part(&call), handler(ContractScope::handler()) {}

  /// Runs calls until all are taken.
  void take_part() {
    const ContractScope scope(handler);
    for (int64_t index = next++; index < count; index = next++) {
      try {
        (*part)(index);
      } catch (...) {
        if (!has_failed.exchange(true)) failure = std::current_exception();
      }
      if (++num_done == count) num_done.notify_all();
    }
  }
  /// Waits for the end of all calls and rethrows the exception of the first call that failed.
  void wait() const {
    for (int64_t done = num_done; done != count; done = num_done) num_done.wait(done);
    if (failure) std::rethrow_exception(failure);
  }

  int64_t count;
  const std::function<void(int64_t)>* part;  // valid until all calls have returned
  ContractHandler handler;                   // handler of the calling thread
  std::atomic<bool> has_failed = false;
  std::exception_ptr failure;  // read after all calls have returned
  std::atomic<int64_t> next = 0;
  std::atomic<int64_t> num_done = 0;
};

ThreadPool::~ThreadPool() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void ThreadPool::run(int64_t count, const std::function<void(int64_t)>& part) {
  const auto work = std::make_shared<Work>(count, part);
  const bool has_help = size() > 1 && count > 1;
  if (has_help) announce(work);
  work->take_part();
  if (has_help) retire(work);
  work->wait();
}

void ThreadPool::announce(const std::shared_ptr<Work>& work) {
  {
    const std::scoped_lock lock(mutex_);
    while (helpers_.size() < num_helpers_) helpers_.emplace_back([this] { help(); });
    pending_.push_back(work);
    has_work_.store(true, std::memory_order_release);
  }
  if (num_helpers_ > 0) changed_.notify_all();
}

void ThreadPool::help() {
  while (true) {
    std::shared_ptr<Work> work;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ends_ || !pending_.empty(); });
      if (ends_) return;
      work = pending_.front();
    }
    work->take_part();
    retire(work);
  }
}

bool ThreadPool::help_once() {
  if (!has_work_.load(std::memory_order_acquire)) return false;
  std::shared_ptr<Work> work;
  {
    const std::scoped_lock lock(mutex_);
    if (pending_.empty()) return false;
    work = pending_.front();
  }
  work->take_part();
  retire(work);
  return true;
}

/// Removes a task all of whose calls are taken.
void ThreadPool::retire(const std::shared_ptr<Work>& work) {
  const std::scoped_lock lock(mutex_);
  std::erase(pending_, work);
  has_work_.store(!pending_.empty(), std::memory_order_release);
}

}  // namespace shardy::simulation
