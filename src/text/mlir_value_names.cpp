#include "text/mlir_value_names.hpp"

namespace shardy::text {

void MlirValueNames::open_scope(bool isolated) {
  const auto number = static_cast<uint32_t>(scopes_.size() + 1);
  const uint32_t floor = isolated || scopes_.empty() ? number : scopes_.back().floor;
  scopes_.push_back({changes_.size(), floor});
}

void MlirValueNames::close_scope() {
  while (changes_.size() > scopes_.back().num_changes) {
    slot(changes_.back().name) = changes_.back().before;
    changes_.pop_back();
  }
  scopes_.pop_back();
}

std::size_t MlirValueNames::number_of(std::string_view name) const {
  if (name.size() > 6 || name.empty() || (name.front() == '0' && name.size() > 1)) {
    return max_number_;
  }
  std::size_t number = 0;
  for (const char c : name) {
    if (c < '0' || c > '9') return max_number_;
    number = number * 10 + static_cast<std::size_t>(c - '0');
  }
  return std::min(number, max_number_);
}

MlirNamedValues& MlirValueNames::slot(std::string_view name) {
  const std::size_t number = number_of(name);
  if (number == max_number_) return named_[name];
  if (number >= numbered_.size()) numbered_.resize(number + 1 + number / 2);
  return numbered_[number];
}

bool MlirValueNames::define(std::string_view name, MlirNamedValues values) {
  MlirNamedValues& at = slot(name);
  if (at.scope >= scopes_.back().floor) return false;
  changes_.push_back({name, at});
  values.scope = static_cast<uint32_t>(scopes_.size());
  at = values;
  return true;
}

const MlirNamedValues* MlirValueNames::find(std::string_view name) const {
  const std::size_t number = number_of(name);
  const MlirNamedValues* at = nullptr;
  if (number == max_number_) {
    const auto found = named_.find(name);
    if (found != named_.end()) at = &found->second;
  } else if (number < numbered_.size()) {
    at = &numbered_[number];
  }
  return at && at->scope >= scopes_.back().floor ? at : nullptr;
}

}  // namespace shardy::text
