// Annotations from Python, and sweeps over several sets of annotations.
#include "shardy/report/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <optional>

#include "python/bindings.hpp"
#include "python/callbacks.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/resharding/cost.hpp"
#include "support/quantities.hpp"

namespace shardy::python {

namespace py = pybind11;

namespace {

/// Finds the tensor rank of a value of a program by name.
class Ranks {
 public:
  explicit Ranks(const ir::Module& module) : names_(module) {}

  const ir::Module& module() const { return names_.module(); }

  /// Returns the rank; std::nullopt for a name that report::annotate refuses.
  std::optional<std::size_t> of(const std::string& name) {
    const auto [found, is_new] = ranks_.try_emplace(name);
    if (!is_new) return found->second;
    const auto place = report::find_annotation_place(names_, name);
    if (place) found->second = ir::sharding_rank(report::type_of(module(), *place));
    return found->second;
  }

 private:
  text::WrittenValues names_;
  std::map<std::string, std::optional<std::size_t>> ranks_;
};

/// Returns the text of a sharding for report::parse_annotation. For None returns "none", which
/// removes the annotation.
std::string text_of_sharding(const ir::Module& module, py::handle value,
                             std::optional<std::size_t> rank) {
  if (value.is_none()) return "none";
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (!py::isinstance<TensorSharding>(value)) return sharding_text(value, module, rank);
  return to_string(extended_to(value.cast<const TensorSharding&>(), rank.value_or(0)));
}

std::string name_text(py::handle name) {
  if (py::isinstance<py::str>(name)) return name.cast<std::string>();
  throw py::type_error("names of values and strategies are str, not " +
                       std::string(py::str(py::type::of(name).attr("__name__"))));
}

std::vector<report::Setting> settings_for(Ranks& ranks, const py::dict& shardings) {
  std::vector<report::Setting> settings;
  for (const auto& [key, value] : shardings) {
    std::string name = name_text(key);
    try {
      std::string text = text_of_sharding(ranks.module(), value, ranks.of(name));
      settings.push_back({std::move(name), std::move(text)});
    } catch (const Refused& refused) {
      Error error = refused.diagnostics().front();
      throw Refused(with_prefix(name + ": ", std::move(error)));
    }
  }
  return settings;
}

py::dict set_of(py::handle value) {
  if (py::isinstance<py::dict>(value)) return py::reinterpret_borrow<py::dict>(value);
  throw py::type_error("a strategy is a dict of names and shardings");
}

/// Returns the strategies of a dict by name. The strategies of a list have their numbers as names.
std::vector<report::SweepStrategy> strategies_of(const ir::Module& module,
                                                 const py::object& given) {
  Ranks ranks(module);
  std::vector<report::SweepStrategy> strategies;
  if (py::isinstance<py::dict>(given)) {
    for (const auto& [name, set] : py::reinterpret_borrow<py::dict>(given)) {
      strategies.push_back({name_text(name), settings_for(ranks, set_of(set))});
    }
    return strategies;
  }
  for (const py::handle set : given) {
    strategies.push_back({std::to_string(strategies.size()), settings_for(ranks, set_of(set))});
  }
  return strategies;
}

py::dict dict_of(const report::SweepStrategy& strategy) {
  py::dict set;
  for (const report::Setting& setting : strategy.set) {
    set[py::str(setting.value)] = setting.sharding;
  }
  return set;
}

// ---- Results -----------------------------------------------------------------------------------

struct SweepResult {
  report::SweepStrategy strategy;
  report::StrategyResult measured;
};

struct SweepSettings {
  bool check = false;
  bool shardings = false;
  uint64_t seed = 0;
  int64_t threads = 0;
  double operations_per_second = 100e12;
};

std::vector<SweepResult> run_sweep(const PythonProgram& program, const py::object& given,
                                   const SweepSettings& settings, const StageArguments& stages,
                                   const py::object& progress, const ContextPtr& context) {
  const std::vector<report::SweepStrategy> strategies = strategies_of(program.module(), given);
  ProgressCallback report_state(progress);
  const auto work = [&](const PythonProgram& source, const StageOptions& options,
                        std::stop_token cancel) {
    std::vector<SweepResult> results;
    report::SweepOptions sweep{.compile = source.compile_options(options),
                               .model = value_or_throw(parse_cost_model(options.axis_cost)),
                               .operations_per_second = settings.operations_per_second,
                               .num_threads = settings.threads,
                               .shardings = settings.shardings,
                               .check = settings.check,
                               .input_seed = settings.seed};
    sweep.on_result = [&](const report::StrategyResult& result) {
      results.push_back({strategies[result.index], result});
      const bool goes_on =
          !report_state || report_state("strategies", results.size(), strategies.size());
      return goes_on && !cancel.stop_requested();
    };
    throw_error(report::sweep(source.module(), strategies, sweep, options.context));
    return results;
  };
  std::vector<SweepResult> results = run_interruptible(program, stages, context, work);
  report_state.end();
  return results;
}

std::vector<SweepResult> pareto_front(const std::vector<SweepResult>& results) {
  std::vector<SweepResult> measured;
  std::ranges::copy_if(results, std::back_inserter(measured),
                       [](const SweepResult& each) { return each.measured.is_measured(); });
  std::vector<double> times;
  std::vector<int64_t> bytes;
  for (const SweepResult& each : measured) {
    times.push_back(each.measured.seconds);
    bytes.push_back(each.measured.cost.peak_bytes);
  }
  std::vector<SweepResult> front;
  for (const std::size_t index : report::pareto_front(times, bytes)) {
    front.push_back(measured[index]);
  }
  return front;
}

std::string repr_result(const SweepResult& result) {
  const std::string begin = "<shardy.StrategyResult " + result.strategy.name + ": ";
  if (!result.measured.is_measured()) {
    return begin + "refused, " + result.measured.errors.front().headline() + ">";
  }
  return begin + bytes_text(result.measured.cost.bytes) + " sent, peak memory " +
         bytes_text(result.measured.cost.peak_bytes) + ">";
}

const Docs kResultDocs(R"(The costs of a strategy.
seconds: Modelled time of a device; infinite if the strategy was refused.
collective_seconds: Modelled time of the collectives.
peak_bytes: Peak memory of a device.
bytes: Sent per device.
operations: Floating-point operations per device.
)");

/// The costs of a refused strategy are infinite, so that it is sorted last.
void bind_strategy_costs(py::class_<SweepResult>& type) {
  const auto* result = static_cast<const report::StrategyResult*>(nullptr);
  report::visit_members(report::members_of(result), [&](const char* name, auto get) {
    type.def_property_readonly(
        name,
        [get](const SweepResult& each) {
          return each.measured.is_measured() ? py::cast(std::invoke(get, each.measured))
                                             : py::object(py::float_(HUGE_VAL));
        },
        kResultDocs.of(name).c_str());
  });
}

void bind_result(py::module_& module) {
  py::class_<SweepResult> type(module, "StrategyResult", kResultDocs.of_class().c_str());
  bind_strategy_costs(type);
  type.def_property_readonly(
          "name", [](const SweepResult& each) { return each.strategy.name; },
          "The name, or the number in the list of strategies.")
      .def_property_readonly(
          "set", [](const SweepResult& each) { return dict_of(each.strategy); },
          "Values and texts of shardings.")
      .def_property_readonly(
          "errors", [](const SweepResult& each) { return each.measured.errors; },
          "Errors of a strategy that does not fit the program.")
      .def_property_readonly(
          "by_kind", [](const SweepResult& each) { return each.measured.by_kind; },
          "Collectives by kind.")
      .def_property_readonly(
          "equal", [](const SweepResult& each) { return each.measured.equal; },
          "With `check`: the results are those of the unsharded run. Otherwise None.")
      .def_property_readonly(
          "shardings",
          [](const SweepResult& each) {
            py::dict shardings;
            for (const report::PlacedSharding& one : each.measured.shardings) {
              shardings[py::str(one.value)] = one.sharding;
            }
            return shardings;
          },
          "With `shardings`: texts of shardings of arguments and results after propagation.")
      .def("__repr__", &repr_result);
}

void bind_sweep_method(py::class_<PythonProgram>& program) {
  program.def(
      "sweep",
      [](const PythonProgram& self, const py::object& strategies, bool check, bool shardings,
         uint64_t seed, int64_t threads, double speed, const py::object& progress,
         const std::string& cost, bool is_strict, const ContextPtr& context) {
        return run_sweep(self, strategies, {check, shardings, seed, threads, speed},
                         {cost, is_strict}, progress, context);
      },
      "Returns the costs of the program under each strategy of a list or a dict.",
      py::arg("strategies"), py::kw_only(), py::arg("check") = false, py::arg("shardings") = false,
      py::arg("seed") = 0, py::arg("threads") = 0, py::arg("operations_per_second") = 100e12,
      py::arg("progress") = py::none(), py::arg("axis_cost") = "", py::arg("strict") = false,
      py::arg("context") = py::none());
}

}  // namespace

std::vector<report::Setting> settings_of(const ir::Module& module, const py::dict& shardings) {
  Ranks ranks(module);
  return settings_for(ranks, shardings);
}

void bind_sweep(py::module_& module, py::class_<PythonProgram>& program) {
  bind_result(module);
  module.def("pareto_front", &pareto_front,
             "Returns the results that no other one beats in time and memory, the fastest first.",
             py::arg("results"));
  program
      .def(
          "annotate",
          [](const PythonProgram& self, const py::dict& shardings) {
            return self.annotate(settings_of(self.module(), shardings));
          },
          "Returns the program with other annotations of the named values; None removes one.",
          py::arg("shardings"))
      .def(
          "random_strategies",
          [](const PythonProgram& self, std::size_t count, uint64_t seed) {
            py::dict strategies;
            for (const report::SweepStrategy& each :
                 value_or_throw(report::random_strategies(self.module(), count, seed))) {
              strategies[py::str(each.name)] = dict_of(each);
            }
            return strategies;
          },
          "Returns strategies that shard each argument and result randomly.", py::arg("count"),
          py::arg("seed") = 0);
  bind_sweep_method(program);
}

}  // namespace shardy::python
