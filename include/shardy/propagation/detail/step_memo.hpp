// A memo of steps by all their inputs: programs repeat their blocks, so most
// steps were already computed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/propagation/detail/sharding_table.hpp>
#include <shardy/support/hash.hpp>
#include <span>
#include <vector>

namespace shardy::propagation {

/// The sharding that a step gives one of the tensors of its node.
struct StepUpdate {
  uint32_t tensor = 0;
  ShardingId sharding;

  friend bool operator==(const StepUpdate&, const StepUpdate&) = default;
};

/// Updates of steps, found by lists of words. All of them stand in a few arrays.
class StepMemo {
 public:
  /// Where the words that a step depends on are put before `find`.
  std::vector<uint32_t>& key() { return key_; }
  /// The updates of the step with this key; none: it is not known. Valid until the next `add`.
  std::optional<std::span<const StepUpdate>> find();
  /// Keeps the updates of the step that `find` has just missed.
  void add(std::span<const StepUpdate> updates);

  std::size_t size() const { return records_.size(); }
  /// As many steps are kept: a program without repetitions pays no memory for them.
  static constexpr std::size_t kMaxSize = 1U << 16U;

 private:
  struct Record {
    std::size_t hash = 0;
    uint32_t first_word = 0;
    uint32_t num_words = 0;
    uint32_t first_update = 0;
    uint32_t num_updates = 0;
  };
  static constexpr auto kFree = static_cast<uint32_t>(-1);

  std::span<const uint32_t> words(const Record& record) const {
    return std::span<const uint32_t>(words_).subspan(record.first_word, record.num_words);
  }
  void grow_index();

  std::vector<uint32_t> key_;
  std::size_t hash_ = 0;         // of the key
  std::size_t place_ = 0;        // in the index, of the key
  std::vector<uint32_t> index_;  // by hash, the next free place if taken; a power of two
  std::vector<Record> records_;
  std::vector<uint32_t> words_;
  std::vector<StepUpdate> updates_;
};

// -------------------------------------------------------------------------------------------------

inline void StepMemo::grow_index() {
  index_.assign(index_.empty() ? 64 : 2 * index_.size(), kFree);
  const std::size_t mask = index_.size() - 1;
  for (uint32_t record = 0; record < records_.size(); ++record) {
    std::size_t place = records_[record].hash & mask;
    while (index_[place] != kFree) place = (place + 1) & mask;
    index_[place] = record;
  }
}

inline std::optional<std::span<const StepUpdate>> StepMemo::find() {
  if (2 * records_.size() >= index_.size()) grow_index();
  hash_ = hash_range(key_);
  const std::size_t mask = index_.size() - 1;
  for (place_ = hash_ & mask; index_[place_] != kFree; place_ = (place_ + 1) & mask) {
    const Record& record = records_[index_[place_]];
    if (record.hash != hash_ || !std::ranges::equal(words(record), key_)) continue;
    return std::span<const StepUpdate>(updates_).subspan(record.first_update, record.num_updates);
  }
  return std::nullopt;
}

inline void StepMemo::add(std::span<const StepUpdate> updates) {
  if (records_.size() == kMaxSize) return;
  index_[place_] = static_cast<uint32_t>(records_.size());
  records_.push_back({.hash = hash_,
                      .first_word = static_cast<uint32_t>(words_.size()),
                      .num_words = static_cast<uint32_t>(key_.size()),
                      .first_update = static_cast<uint32_t>(updates_.size()),
                      .num_updates = static_cast<uint32_t>(updates.size())});
  words_.insert(words_.end(), key_.begin(), key_.end());
  updates_.insert(updates_.end(), updates.begin(), updates.end());
}

}  // namespace shardy::propagation
