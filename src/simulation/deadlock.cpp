#include "simulation/deadlock.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shardy::simulation {
namespace {

constexpr std::size_t kMaxListed = 8;

/// "device 3", "devices 0, 2 and 14 more".
std::string devices_text(const std::vector<int64_t>& devices) {
  std::string text = devices.size() == 1 ? "device " : "devices ";
  const std::size_t shown = std::min(devices.size(), kMaxListed);
  for (std::size_t index = 0; index < shown; ++index) {
    text += (index == 0 ? "" : ", ") + std::to_string(devices[index]);
  }
  if (shown < devices.size()) text += " and " + std::to_string(devices.size() - shown) + " more";
  return text;
}

class Explanation {
 public:
  Explanation(const Program& program, std::span<const DeviceState> states)
      : module_(*program.module), states_(states) {}

  Error error() const {
    for (const CollectiveInstance* instance : instances()) {
      for (const int64_t device : missing(*instance)) {
        if (is_elsewhere_in_group(*instance, device)) return divergence(*instance);
      }
    }
    return deadlock(*instances().front());
  }

 private:
  const DeviceState& state(int64_t device) const {
    return states_[static_cast<std::size_t>(device)];
  }

  /// CollectiveInstances that are not complete, in the order of their smallest waiting device.
  std::vector<const CollectiveInstance*> instances() const {
    std::vector<const CollectiveInstance*> found;
    for (const DeviceState& each : states_) {
      if (each.instance != nullptr && std::ranges::find(found, each.instance) == found.end()) {
        found.push_back(each.instance);
      }
    }
    return found;
  }

  static std::vector<int64_t> select(const CollectiveInstance& instance, bool arrived) {
    std::vector<int64_t> devices;
    for (std::size_t rank = 0; rank < instance.arrived.size(); ++rank) {
      if (instance.arrived[rank] == arrived) {
        devices.push_back(instance.device(static_cast<int64_t>(rank)));
      }
    }
    std::ranges::sort(devices);
    return devices;
  }
  static std::vector<int64_t> missing(const CollectiveInstance& instance) {
    return select(instance, false);
  }
  static std::vector<int64_t> members(const CollectiveInstance& instance) {
    std::vector<int64_t> devices = select(instance, false);
    const std::vector<int64_t> arrived = select(instance, true);
    devices.insert(devices.end(), arrived.begin(), arrived.end());
    std::ranges::sort(devices);
    return devices;
  }

  /// Finished, or waiting for the same devices under another key.
  bool is_elsewhere_in_group(const CollectiveInstance& instance, int64_t device) const {
    const CollectiveInstance* other = state(device).instance;
    return other == nullptr || members(*other) == members(instance);
  }

  std::string place_text(const CollectiveInstance& instance) const {
    const ir::OpId op = instance.instruction->op;
    std::string text = std::string(module_.name(op));
    if (!module_.location_text(op).empty()) text += " (" + module_.location_text(op) + ")";
    for (std::size_t index = 0; index < instance.path.size(); ++index) {
      text += (index == 0 ? ", path " : " ") + std::to_string(instance.path[index]);
    }
    return text;
  }

  std::string waiting_text(const CollectiveInstance& instance) const {
    const std::vector<int64_t> devices = select(instance, true);
    return devices_text(devices) + (devices.size() == 1 ? " waits at " : " wait at ") +
           place_text(instance);
  }

  /// Where the missing members are, one line per place.
  std::vector<std::string> missing_notes(const CollectiveInstance& instance) const {
    std::vector<std::pair<std::string, std::vector<int64_t>>> places;
    for (const int64_t device : missing(instance)) {
      const CollectiveInstance* other = state(device).instance;
      std::string place = other == nullptr ? "finished" : place_text(*other);
      const auto found =
          std::ranges::find_if(places, [&](const auto& entry) { return entry.first == place; });
      if (found == places.end()) {
        places.emplace_back(std::move(place), std::vector{device});
      } else {
        found->second.push_back(device);
      }
    }
    std::vector<std::string> notes;
    for (const auto& [place, devices] : places) {
      const bool one = devices.size() == 1;
      const std::string verb =
          place == "finished" ? (one ? " is " : " are ") : (one ? " waits at " : " wait at ");
      notes.push_back(devices_text(devices).append(verb).append(place));
    }
    if (notes.size() > kMaxListed) notes.resize(kMaxListed);
    return notes;
  }

  Error error_at(const CollectiveInstance& instance, std::string_view code,
                 std::string message) const {
    return {.message = std::move(message),
            .location = module_.location_text(instance.instruction->op),
            .code = code};
  }

  Error divergence(const CollectiveInstance& instance) const {
    Error error =
        error_at(instance, "E_DIVERGENT",
                 std::string(module_.name(instance.instruction->op)) + " is never reached by " +
                     devices_text(missing(instance)) + " of its group");
    error.notes.push_back(waiting_text(instance));
    for (std::string& note : missing_notes(instance)) error.notes.push_back(std::move(note));
    return error;
  }

  /// Follows who waits for whom until it comes back.
  Error deadlock(const CollectiveInstance& first) const {
    std::vector<const CollectiveInstance*> chain = {&first};
    while (true) {
      const CollectiveInstance* next = state(missing(*chain.back()).front()).instance;
      const auto again = std::ranges::find(chain, next);
      if (again != chain.end()) {
        chain.erase(chain.begin(), again);
        break;
      }
      chain.push_back(next);
    }
    Error error = error_at(*chain.front(), "E_DEADLOCK", "communication ops wait for each other");
    for (const CollectiveInstance* instance : chain) {
      error.notes.push_back(waiting_text(*instance) + " for " + devices_text(missing(*instance)));
    }
    if (error.notes.size() > kMaxListed) error.notes.resize(kMaxListed);
    return error;
  }

  const ir::Module& module_;
  std::span<const DeviceState> states_;
};

}  // namespace

Error explain_deadlock(const Program& program, std::span<const DeviceState> states) {
  return Explanation(program, states).error();
}

}  // namespace shardy::simulation
