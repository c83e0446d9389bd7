#include "python/callbacks.hpp"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <vector>

#include "python/bindings.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/propagation/problem.hpp"
#include "shardy/resharding/best_plan.hpp"

namespace shardy::python {

namespace py = pybind11;
using propagation::ConflictQuery;
using propagation::Direction;
using propagation::FactorQuery;
using propagation::FlatRule;
using propagation::LevelQuery;

namespace {

std::string name_of(Direction direction) {
  switch (direction) {
    case Direction::None:
      return "none";
    case Direction::Forward:
      return "forward";
    case Direction::Backward:
      return "backward";
    default:
      return "both";
  }
}

Direction direction_of(const std::string& name) {
  for (const Direction each :
       {Direction::None, Direction::Forward, Direction::Backward, Direction::Both}) {
    if (name == name_of(each)) return each;
  }
  throw Refused(
      {.message = "unknown direction: " + name, .notes = {"one of none forward backward both"}});
}

std::string name_of(FactorKind kind) {
  switch (kind) {
    case FactorKind::PassThrough:
      return "pass_through";
    case FactorKind::Reduction:
      return "reduction";
    case FactorKind::NeedReplication:
      return "need_replication";
    default:
      return "permutation";
  }
}

// ---- Queries: copies, which Python may keep -----------------------------------------------------

/// A factor of a sharding rule.
struct RuleFactor {
  int64_t size = 0;
  std::string kind;
};

/// The sharding rule of an op: the factors of each dim of each tensor.
struct RuleQuery {
  std::vector<RuleFactor> factors;
  std::size_t num_operands = 0;
  std::vector<std::vector<std::vector<std::size_t>>> tensors;
};

RuleQuery query_of(const FlatRule& rule) {
  RuleQuery query{.factors = {}, .num_operands = rule.num_operands(), .tensors = {}};
  for (std::size_t factor = 0; factor < rule.num_factors(); ++factor) {
    query.factors.push_back({rule.factor_size(factor), name_of(rule.factor_kind(factor))});
  }
  for (std::size_t tensor = 0; tensor < rule.num_tensors(); ++tensor) {
    auto& dims = query.tensors.emplace_back(rule.rank(tensor));
    for (std::size_t dim = 0; dim < dims.size(); ++dim) {
      const propagation::EntryRange entries = rule.dim_entries(tensor, dim);
      for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
        dims[dim].push_back(rule.entry_factor(entry));
      }
    }
  }
  return query;
}

struct AxesQuery {
  RuleQuery rule;
  Mesh mesh;
  std::size_t factor = 0;
  std::string direction;
  std::vector<std::optional<std::vector<std::string>>> tensors;  // axes of the factor per tensor
  std::vector<std::string> standard;  // the result of default_compatible_axes
};

AxesQuery query_of(const FactorQuery& query) {
  AxesQuery copy{.rule = query_of(query.layout),
                 .mesh = query.mesh,
                 .factor = query.factor,
                 .direction = name_of(query.direction),
                 .tensors = {},
                 .standard = axis_names(query.mesh, default_compatible_axes(query))};
  copy.tensors.resize(query.layout.num_tensors());
  for (const uint32_t entry : query.layout.factor_entries(query.factor)) {
    const propagation::FactorSharding& have = query.projection.entries[entry];
    if (have.is_mapped) {
      copy.tensors[query.layout.entry_tensor(entry)] = axis_names(query.mesh, have.axes);
    }
  }
  return copy;
}

struct OrderQuery {
  RuleQuery rule;
  std::vector<int64_t> shards;  // number of shards of each factor's candidate
  bool is_elementwise = false;
  std::vector<std::size_t> standard;  // the result of default_conflict_order
};

OrderQuery query_of(const ConflictQuery& query) {
  OrderQuery copy{.rule = query_of(query.layout),
                  .shards = {},
                  .is_elementwise = query.is_elementwise,
                  .standard = default_conflict_order(query)};
  for (const AxisList& axes : query.candidates) copy.shards.push_back(sharding_size(axes));
  return copy;
}

struct DirectionQuery {
  RuleQuery rule;
  std::size_t factor = 0;
  int level = 0;
  bool has_multi_use_operand = false;
  std::string standard;  // the result of default_direction, at most for the last level
};

DirectionQuery query_of(const LevelQuery& query) {
  LevelQuery known = query;
  known.level = std::min(query.level, propagation::kLastLevel);
  return {.rule = query_of(query.problem.rule(query.problem.node(query.node).rule)),
          .factor = query.factor,
          .level = query.level,
          .has_multi_use_operand = query.has_multi_use_operand,
          .standard = name_of(default_direction(known))};
}

struct CommonAxesCopy {
  RuleQuery rule;
  std::vector<passes::QueryTensor> tensors;
  std::vector<std::string> bound;
  std::vector<std::vector<std::string>> standard;
};

CommonAxesCopy query_of(const passes::CommonAxesQuery& query, std::span<const AxisList> reference) {
  CommonAxesCopy copy{.rule = query_of(FlatRule(query.rule)),
                      .tensors = query.tensors,
                      .bound = {query.bound.names().begin(), query.bound.names().end()},
                      .standard = {}};
  const Mesh& mesh = query.tensors.front().sharding.mesh();
  for (const AxisList& axes : reference) copy.standard.push_back(axis_names(mesh, axes));
  return copy;
}

struct PlanQuery {
  std::vector<int64_t> shape;
  int64_t element_bytes = 1;
  TensorSharding source;
  TensorSharding target;
  std::vector<std::string> bound;
};

// ---- Calls --------------------------------------------------------------------------------------

/// Calls `ask` with the lock of the interpreter. If `ask` throws, keeps the exception and returns
/// `standard()`.
template <class Ask, class Standard>
auto guarded(const std::shared_ptr<CallbackErrors>& errors, const Ask& ask,
             const Standard& standard) {
  if (!errors->is_empty()) return standard();
  const py::gil_scoped_acquire held;
  try {
    return ask();
  } catch (...) {
    errors->keep();
  }
  return standard();
}

using Errors = std::shared_ptr<CallbackErrors>;

void add_propagation(const Callbacks& from, const Errors& errors,
                     propagation::PropagationExtensions& to) {
  if (from.compatible_axes) {
    to.compatible_axes = [call = from.compatible_axes, errors](const FactorQuery& query) {
      return guarded(
          errors, [&] { return axes_from(query.mesh, call.get()(query_of(query))); },
          [&] { return default_compatible_axes(query); });
    };
  }
  if (from.resolve_conflicts) {
    to.resolve_conflicts = [call = from.resolve_conflicts, errors](const ConflictQuery& query) {
      return guarded(
          errors, [&] { return call.get()(query_of(query)).cast<std::vector<std::size_t>>(); },
          [&] { return default_conflict_order(query); });
    };
  }
  if (from.op_direction) {
    to.op_priorities.num_levels = from.op_levels;
    to.op_priorities.direction = [call = from.op_direction, errors](const LevelQuery& query) {
      return guarded(
          errors, [&] { return direction_of(call.get()(query_of(query)).cast<std::string>()); },
          [&] { return Direction::None; });
    };
  }
  if (from.user_priorities) {
    to.user_priorities = [call = from.user_priorities, errors](std::span<const int64_t> given) {
      const std::vector<int64_t> ascending(given.begin(), given.end());
      return guarded(
          errors, [&] { return call.get()(ascending).cast<std::vector<int64_t>>(); },
          [&] { return ascending; });
    };
  }
}

void add_resharding(const Callbacks& from, const Errors& errors, passes::Extensions& to) {
  if (from.common_axes) {
    to.common_axes = [call = from.common_axes, errors](const passes::CommonAxesQuery& query,
                                                       std::span<const AxisList> reference) {
      return guarded(
          errors,
          [&] {
            const Mesh& mesh = query.tensors.front().sharding.mesh();
            std::vector<AxisList> lists;
            for (const py::handle names : call.get()(query_of(query, reference))) {
              lists.push_back(axes_from(mesh, names));
            }
            return lists;
          },
          [&] { return std::vector<AxisList>(reference.begin(), reference.end()); });
    };
  }
  if (from.plan_reshard) {
    to.plan_reshard = [call = from.plan_reshard, errors](
                          const TensorSize& tensor, const TensorSharding& source,
                          const TensorSharding& target,
                          const BoundAxes& bound) -> Result<std::vector<ReshardStep>> {
      using Steps = Result<std::vector<ReshardStep>>;
      return guarded(
          errors,
          [&]() -> Steps {
            const PlanQuery query{{tensor.shape.begin(), tensor.shape.end()},
                                  tensor.element_bytes,
                                  source,
                                  target,
                                  {bound.names().begin(), bound.names().end()}};
            return call.get()(query).cast<std::vector<ReshardStep>>();
          },
          [&]() -> Steps { return plan_reshard(tensor.shape, source, target); });
    };
  }
}

// ---- The class ----------------------------------------------------------------------------------

std::shared_ptr<Callbacks> make_callbacks(
    const py::object& compatible_axes, const py::object& resolve_conflicts,
    const py::object& op_direction, int op_levels, const py::object& user_priorities,
    const py::object& common_axes, const py::object& plan_reshard, const py::object& strategy) {
  for (const py::object* each : {&compatible_axes, &resolve_conflicts, &op_direction,
                                 &user_priorities, &common_axes, &plan_reshard, &strategy}) {
    if (!each->is_none() && PyCallable_Check(each->ptr()) == 0) {
      throw py::type_error("a member of a context is a function, not " +
                           std::string(py::str(py::type::of(*each).attr("__name__"))));
    }
  }
  if (!op_direction.is_none() && (op_levels < 1 || op_levels > propagation::kMaxLevels)) {
    throw Refused({.message = "op_levels is " + std::to_string(op_levels) + "; it is from 1 to " +
                              std::to_string(propagation::kMaxLevels)});
  }
  return std::make_shared<Callbacks>(
      Callbacks{SharedObject(compatible_axes), SharedObject(resolve_conflicts),
                SharedObject(op_direction), op_levels, SharedObject(user_priorities),
                SharedObject(common_axes), SharedObject(plan_reshard), SharedObject(strategy)});
}

void bind_rule_queries(py::module_& module) {
  py::class_<RuleFactor>(module, "Factor", "A factor of a sharding rule.")
      .def_readonly("size", &RuleFactor::size, "Number of elements along the factor.")
      .def_readonly("kind", &RuleFactor::kind,
                    "`pass_through`, `reduction`, `need_replication` or `permutation`.");
  py::class_<RuleQuery>(module, "Rule", "The sharding rule of an op.")
      .def_readonly("factors", &RuleQuery::factors, "The factors, by their numbers.")
      .def_readonly("num_operands", &RuleQuery::num_operands,
                    "Operands are the first tensors, results follow.")
      .def_readonly("tensors", &RuleQuery::tensors,
                    "The numbers of the factors of each dim of each tensor.");
}

void bind_propagation_queries(py::module_& module) {
  const char* const rule = "The rule of the op.";
  py::class_<AxesQuery>(module, "AxesQuery", "One factor of one op, before a step.")
      .def_readonly("rule", &AxesQuery::rule, rule)
      .def_readonly("mesh", &AxesQuery::mesh, "The mesh of all axes.")
      .def_readonly("factor", &AxesQuery::factor, "The number of the factor.")
      .def_readonly("direction", &AxesQuery::direction,
                    "Tensors that may contribute: `forward`, `backward`, `both`.")
      .def_readonly("tensors", &AxesQuery::tensors,
                    "The axes of the factor in each tensor; None without the factor.")
      .def_readonly("default", &AxesQuery::standard, "The axes that the library takes.");
  py::class_<OrderQuery>(module, "OrderQuery", "The factors of an op that may compete for axes.")
      .def_readonly("rule", &OrderQuery::rule, rule)
      .def_readonly("shards", &OrderQuery::shards,
                    "The number of shards that each factor would get.")
      .def_readonly("is_elementwise", &OrderQuery::is_elementwise, "The op is elementwise.")
      .def_readonly("default", &OrderQuery::standard, "The order of the library.");
  py::class_<DirectionQuery>(module, "DirectionQuery", "One factor of one op, at one level.")
      .def_readonly("rule", &DirectionQuery::rule, rule)
      .def_readonly("factor", &DirectionQuery::factor, "The number of the factor.")
      .def_readonly("level", &DirectionQuery::level, "The level of op priorities, from 0 on.")
      .def_readonly("has_multi_use_operand", &DirectionQuery::has_multi_use_operand,
                    "An operand other than a scalar has several uses.")
      .def_readonly("default", &DirectionQuery::standard, "The direction of the library.");
}

void bind_reshard_queries(py::module_& module) {
  py::class_<passes::QueryTensor>(module, "QueryTensor", "A tensor of an op.")
      .def_readonly("sharding", &passes::QueryTensor::sharding, "Its sharding, with closed dims.")
      .def_readonly("shape", &passes::QueryTensor::shape, "Its global shape.")
      .def_readonly("element_bytes", &passes::QueryTensor::element_bytes, "Bytes per element.");
  py::class_<CommonAxesCopy>(module, "CommonAxesQuery",
                             "An op whose tensors have different axes for a factor.")
      .def_readonly("rule", &CommonAxesCopy::rule, "The rule of the op.")
      .def_readonly("tensors", &CommonAxesCopy::tensors, "Operands, then results.")
      .def_readonly("bound", &CommonAxesCopy::bound, "Axes that no factor may use.")
      .def_readonly("default", &CommonAxesCopy::standard,
                    "The axes of each factor that the library takes.");
  py::class_<PlanQuery>(module, "PlanQuery", "A reshard that needs a plan.")
      .def_readonly("shape", &PlanQuery::shape, "The global shape.")
      .def_readonly("element_bytes", &PlanQuery::element_bytes, "Bytes per element.")
      .def_readonly("source", &PlanQuery::source, "The sharding before.")
      .def_readonly("target", &PlanQuery::target, "The sharding after.")
      .def_readonly("bound", &PlanQuery::bound, "Axes that no step may use.")
      .def_property_readonly(
          "default",
          [](const PlanQuery& query) {
            return value_or_throw(plan_reshard(query.shape, query.source, query.target));
          },
          "The steps that Shardy takes.");
}

}  // namespace

SharedObject::SharedObject(const py::object& object) {
  if (object.is_none()) return;
  object_ = std::shared_ptr<const py::object>(new py::object(object), [](const py::object* kept) {
    const py::gil_scoped_acquire held;
    delete kept;
  });
}

void CallbackErrors::keep() {
  const std::scoped_lock lock(mutex_);
  if (!first_) first_ = std::current_exception();
}

bool CallbackErrors::is_empty() const {
  const std::scoped_lock lock(mutex_);
  return !first_;
}

void CallbackErrors::rethrow() const {
  const std::scoped_lock lock(mutex_);
  if (first_) std::rethrow_exception(first_);
}

CallbackScope::CallbackScope(const Callbacks* callbacks)
    : errors_(std::make_shared<CallbackErrors>()) {
  if (callbacks == nullptr) return;
  add_propagation(*callbacks, errors_, context_.extensions.propagation);
  add_resharding(*callbacks, errors_, context_.extensions);
}

void bind_callbacks(py::module_& module) {
  bind_rule_queries(module);
  bind_propagation_queries(module);
  bind_reshard_queries(module);
  const auto none = [](const char* name) { return py::arg(name) = py::none(); };
  py::class_<Callbacks, std::shared_ptr<Callbacks>>(
      module, "Context",
      "Python functions that make decisions of the library. Each must return equal results for "
      "equal queries. An exception ends the stage, which raises it.")
      .def(py::init(&make_callbacks),
           "Takes the functions; the library decides where one is missing.", py::kw_only(),
           none("compatible_axes"), none("resolve_conflicts"), none("op_direction"),
           py::arg("op_levels") = 2, none("user_priorities"), none("common_axes"),
           none("plan_reshard"), none("strategy"));
}

}  // namespace shardy::python
