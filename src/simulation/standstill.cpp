#include "simulation/standstill.hpp"

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
  Explanation(const Program& program, std::span<const Standing> standings)
      : module_(*program.module), standings_(standings) {}

  Error error() const {
    for (const Meeting* meeting : meetings()) {
      for (const int64_t device : missing(*meeting)) {
        if (is_elsewhere_in_group(*meeting, device)) return divergence(*meeting);
      }
    }
    return deadlock(*meetings().front());
  }

 private:
  const Standing& standing(int64_t device) const {
    return standings_[static_cast<std::size_t>(device)];
  }

  /// Meetings that are not complete, in the order of their smallest waiting device.
  std::vector<const Meeting*> meetings() const {
    std::vector<const Meeting*> found;
    for (const Standing& each : standings_) {
      if (each.meeting != nullptr && std::ranges::find(found, each.meeting) == found.end()) {
        found.push_back(each.meeting);
      }
    }
    return found;
  }

  static std::vector<int64_t> select(const Meeting& meeting, bool arrived) {
    std::vector<int64_t> devices;
    for (std::size_t rank = 0; rank < meeting.arrived.size(); ++rank) {
      if (meeting.arrived[rank] == arrived) {
        devices.push_back(meeting.device(static_cast<int64_t>(rank)));
      }
    }
    std::ranges::sort(devices);
    return devices;
  }
  static std::vector<int64_t> missing(const Meeting& meeting) { return select(meeting, false); }
  static std::vector<int64_t> members(const Meeting& meeting) {
    std::vector<int64_t> devices = select(meeting, false);
    const std::vector<int64_t> arrived = select(meeting, true);
    devices.insert(devices.end(), arrived.begin(), arrived.end());
    std::ranges::sort(devices);
    return devices;
  }

  /// Finished, or waiting for the same devices under another key.
  bool is_elsewhere_in_group(const Meeting& meeting, int64_t device) const {
    const Meeting* other = standing(device).meeting;
    return other == nullptr || members(*other) == members(meeting);
  }

  std::string place_text(const Meeting& meeting) const {
    const ir::OpId op = meeting.instruction->op;
    std::string text = std::string(module_.name(op));
    if (!module_.location_text(op).empty()) text += " (" + module_.location_text(op) + ")";
    for (std::size_t index = 0; index < meeting.path.size(); ++index) {
      text += (index == 0 ? ", path " : " ") + std::to_string(meeting.path[index]);
    }
    return text;
  }

  std::string waiting_text(const Meeting& meeting) const {
    const std::vector<int64_t> devices = select(meeting, true);
    return devices_text(devices) + (devices.size() == 1 ? " waits at " : " wait at ") +
           place_text(meeting);
  }

  /// Where the missing members are, one line per place.
  std::vector<std::string> missing_notes(const Meeting& meeting) const {
    std::vector<std::pair<std::string, std::vector<int64_t>>> places;
    for (const int64_t device : missing(meeting)) {
      const Meeting* other = standing(device).meeting;
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

  Error error_at(const Meeting& meeting, std::string_view code, std::string message) const {
    return {.message = std::move(message),
            .location = module_.location_text(meeting.instruction->op),
            .code = code};
  }

  Error divergence(const Meeting& meeting) const {
    Error error =
        error_at(meeting, "E_DIVERGENT",
                 std::string(module_.name(meeting.instruction->op)) + " is never reached by " +
                     devices_text(missing(meeting)) + " of its group");
    error.notes.push_back(waiting_text(meeting));
    for (std::string& note : missing_notes(meeting)) error.notes.push_back(std::move(note));
    return error;
  }

  /// Follows who waits for whom until it comes back.
  Error deadlock(const Meeting& first) const {
    std::vector<const Meeting*> chain = {&first};
    while (true) {
      const Meeting* next = standing(missing(*chain.back()).front()).meeting;
      const auto again = std::ranges::find(chain, next);
      if (again != chain.end()) {
        chain.erase(chain.begin(), again);
        break;
      }
      chain.push_back(next);
    }
    Error error = error_at(*chain.front(), "E_DEADLOCK", "communication ops wait for each other");
    for (const Meeting* meeting : chain) {
      error.notes.push_back(waiting_text(*meeting) + " for " + devices_text(missing(*meeting)));
    }
    if (error.notes.size() > kMaxListed) error.notes.resize(kMaxListed);
    return error;
  }

  const ir::Module& module_;
  std::span<const Standing> standings_;
};

}  // namespace

Error explain_standstill(const Program& program, std::span<const Standing> standings) {
  return Explanation(program, standings).error();
}

}  // namespace shardy::simulation
