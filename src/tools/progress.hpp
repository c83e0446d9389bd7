// One line on a terminal that says what takes so long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace shardy::tools {

/// Shows the current stage and the elapsed seconds on standard error, once the work has taken more
/// than a second; prints only to a terminal. The line is erased at the end.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void stage(std::string_view name);

 private:
  void show(const std::stop_token& stop);

  std::chrono::steady_clock::time_point begin_;
  std::mutex mutex_;  // guards stage_
  std::condition_variable_any wake_;
  std::string stage_;
  std::jthread thread_;  // last: it uses the members above
};

}  // namespace shardy::tools
