#include "text/mlir_value_names.hpp"

namespace shardy::text {

void MlirValueNames::open_scope(bool isolated) {
  const auto number = static_cast<uint32_t>(scopes_.size() + 1);
  const uint32_t floor = isolated || scopes_.empty() ? number : scopes_.back().floor;
  scopes_.push_back({changes_.size(), floor});
}

void MlirValueNames::close_scope() {
  while (changes_.size() > scopes_.back().num_changes) {
    at(changes_.back().slot) = changes_.back().before;
    changes_.pop_back();
  }
  scopes_.pop_back();
}

uint32_t MlirValueNames::number_of(std::string_view name) const {
  if (name.size() > 6 || name.empty() || (name.front() == '0' && name.size() > 1)) {
    return max_number_;
  }
  uint32_t number = 0;
  for (const char c : name) {
    if (c < '0' || c > '9') return max_number_;
    number = number * 10 + static_cast<uint32_t>(c - '0');
  }
  return std::min(number, max_number_);
}

uint32_t MlirValueNames::slot_of(std::string_view name) {
  const uint32_t number = number_of(name);
  if (number < max_number_) {
    if (number >= numbered_.size()) numbered_.resize(number + 1 + number / 2);
    return number;
  }
  const auto next = max_number_ + static_cast<uint32_t>(named_.size());
  const auto [entry, is_new] = slots_.try_emplace(name, next);
  if (is_new) named_.emplace_back();
  return entry->second;
}

bool MlirValueNames::define(std::string_view name, MlirNamedValues values) {
  const uint32_t slot = slot_of(name);
  MlirNamedValues& current = at(slot);
  if (current.scope >= scopes_.back().floor) return false;
  changes_.push_back(Change{slot, current});
  values.scope = static_cast<uint32_t>(scopes_.size());
  current = values;
  return true;
}

const MlirNamedValues* MlirValueNames::find(std::string_view name) const {
  const uint32_t number = number_of(name);
  const MlirNamedValues* found = nullptr;
  if (number < max_number_) {
    if (number < numbered_.size()) found = &numbered_[number];
  } else if (const auto slot = slots_.find(name); slot != slots_.end()) {
    found = &named_[slot->second - max_number_];
  }
  return found && found->scope >= scopes_.back().floor ? found : nullptr;
}

std::vector<std::string_view> MlirValueNames::visible() const {
  std::vector<std::string_view> names;
  for (const auto& [name, slot] : slots_) {
    const MlirNamedValues& values = named_[slot - max_number_];
    if (values.scope != 0 && values.scope >= scopes_.back().floor) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace shardy::text
