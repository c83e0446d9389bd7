#include "propagation/oracle.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace shardy::propagation::testing {
namespace {

// ---- Axis refs, propagation 2 ------------------------------------------------------------------

struct Ref {
  std::string name;
  bool is_sub = false;
  int64_t pre = 1;
  int64_t size = 0;  // of the sub-axis, or of the full axis
  bool operator==(const Ref&) const = default;

  int64_t next() const { return pre * size; }
};
using List = std::vector<Ref>;

bool contains(const Ref& x, const Ref& y) {
  if (x.name != y.name) return false;
  if (!x.is_sub) return true;
  return y.is_sub && x.pre <= y.pre && x.next() >= y.next();
}
bool overlaps(const Ref& x, const Ref& y) {
  if (x.name != y.name) return false;
  return !x.is_sub || !y.is_sub || (x.pre < y.next() && y.pre < x.next());
}
bool can_coexist(const Ref& x, const Ref& y) {
  if (x.name != y.name || !x.is_sub || !y.is_sub) return true;
  const int64_t min_pre = std::min(x.pre, y.pre);
  const int64_t max_pre = std::max(x.pre, y.pre);
  const int64_t min_next = std::min(x.next(), y.next());
  const int64_t max_next = std::max(x.next(), y.next());
  if (min_next > max_pre) {
    return min_next % max_pre == 0 && max_pre % min_pre == 0 && max_next % min_next == 0;
  }
  return max_pre % min_next == 0;
}
bool prefix_of(const Ref& x, const Ref& y) { return contains(y, x) && x.pre == y.pre; }
std::optional<Ref> without_overlap(const Ref& x, const Ref& y) {
  if (!can_coexist(x, y)) return std::nullopt;
  if (!overlaps(x, y)) return x;
  if (x.pre >= y.pre) return std::nullopt;
  return Ref{x.name, true, x.pre, y.pre / x.pre};
}
std::optional<Ref> without_overlap(std::optional<Ref> x, const List& list) {
  for (const Ref& y : list) {
    if (x) x = without_overlap(*x, y);
  }
  return x;
}

class Meshes {
 public:
  explicit Meshes(const Mesh& mesh) {
    for (const MeshAxis& axis : mesh.axes()) sizes_[axis.name] = axis.size;
    for (const MeshAxis& axis : mesh.axes()) names_.push_back(axis.name);
  }
  Ref part(const std::string& name, int64_t pre, int64_t size) const {
    return {name, size != sizes_.at(name), pre, size};
  }
  void append_merged(List& list, const Ref& x) const {
    if (!list.empty() && list.back().name == x.name && list.back().is_sub && x.is_sub &&
        list.back().next() == x.pre) {
      list.back() = part(x.name, list.back().pre, list.back().size * x.size);
      return;
    }
    list.push_back(x);
  }
  bool mesh_less(const Ref& x, const Ref& y) const {
    const auto rank = [&](const Ref& r) { return std::ranges::find(names_, r.name); };
    return std::tuple(rank(x), x.pre, x.size) < std::tuple(rank(y), y.pre, y.size);
  }

 private:
  std::map<std::string, int64_t> sizes_;
  std::vector<std::string> names_;
};

enum class Prefix { Equal, Strict, Not };
Prefix compare(const List& l1, const List& l2) {
  if (l1 == l2) return Prefix::Equal;
  if (l1.empty()) return Prefix::Strict;
  if (l1.size() > l2.size()) return Prefix::Not;
  for (std::size_t i = 0; i + 1 < l1.size(); ++i) {
    if (l1[i] != l2[i]) return Prefix::Not;
  }
  return prefix_of(l1.back(), l2[l1.size() - 1]) ? Prefix::Strict : Prefix::Not;
}

// ---- Shardings and their projection, propagation 3 and 4 ---------------------------------------

struct Dim {
  List axes;
  bool closed = false;
  std::optional<int64_t> priority;
  bool operator==(const Dim&) const = default;
};
struct Sharding {
  std::vector<Dim> dims;
  List replicated;
  List unreduced;
  bool operator==(const Sharding&) const = default;
};
using MaybeSharding = std::optional<Sharding>;

struct Factor {
  List axes;
  bool closed = false;
  bool minor_most = false;
  List overflow;
};
struct Tensor {
  std::map<int, Factor> factors;
  List replicated;
  List unreduced;
};

struct Rest {
  Ref current;
  List later;
};

void project_dim(const DimMapping& factors, const std::vector<int64_t>& sizes, const Dim& dim,
                 const Meshes& meshes, Tensor& tensor) {
  List rest = dim.axes;
  bool overflowed = false;
  for (std::size_t position = 0; position < factors.size(); ++position) {
    Factor& factor = tensor.factors[factors[position]];
    factor.minor_most = position + 1 == factors.size();
    if (overflowed) {
      factor.closed = true;
      return;
    }
    factor.closed = dim.closed;
    int64_t r = sizes[static_cast<std::size_t>(factors[position])];
    if (factor.minor_most) {
      for (const Ref& axis : rest) meshes.append_merged(factor.axes, axis);
      return;
    }
    while (!rest.empty()) {
      Ref& current = rest.front();
      const int64_t z = current.size;
      const int64_t g = std::gcd(r, z);
      if (z != 1 && g == 1) break;
      if (z > g) {
        factor.axes.push_back(meshes.part(current.name, current.pre, g));
        current = meshes.part(current.name, current.pre * g, z / g);
        r /= g;
        continue;
      }
      factor.axes.push_back(current);
      r /= z;
      rest.erase(rest.begin());
    }
    if (r > 1 && !rest.empty()) {
      factor.overflow = rest;
      rest.clear();
      overflowed = true;
    }
  }
}

Tensor project(const TensorMapping& mapping, const std::vector<int64_t>& sizes,
               const MaybeSharding& sharding, const Meshes& meshes) {
  Tensor tensor;
  for (std::size_t d = 0; d < mapping.dims.size(); ++d) {
    project_dim(mapping.dims[d], sizes, sharding ? sharding->dims[d] : Dim(), meshes, tensor);
  }
  if (sharding) {
    tensor.replicated = sharding->replicated;
    tensor.unreduced = sharding->unreduced;
  }
  return tensor;
}

Sharding back_project(const TensorMapping& mapping, const std::vector<int64_t>& sizes,
                      Tensor& tensor, const Meshes& meshes) {
  Sharding sharding;
  for (const DimMapping& factors : mapping.dims) {
    Dim out;
    for (const int f : factors) {
      const Factor& factor = tensor.factors.at(f);
      out.closed |= factor.closed;
      int64_t t = 1;
      for (const List* list : {&factor.axes, &factor.overflow}) {
        for (std::size_t i = 0; i < list->size(); ++i) {
          if (i == 0) {
            meshes.append_merged(out.axes, (*list)[i]);
          } else {
            out.axes.push_back((*list)[i]);
          }
        }
      }
      for (const Ref& axis : factor.axes) t *= axis.size;
      if (!factor.overflow.empty() || t < sizes[static_cast<std::size_t>(f)]) break;
    }
    sharding.dims.push_back(out);
  }
  sharding.replicated = tensor.replicated;
  sharding.unreduced = tensor.unreduced;
  return sharding;
}

/// Checks whether all refs of the dims can coexist in one tensor.
bool can_exist(const Sharding& sharding) {
  List all;
  for (const Dim& dim : sharding.dims) all.insert(all.end(), dim.axes.begin(), dim.axes.end());
  for (const Ref& x : all) {
    for (const Ref& y : all) {
      if (!can_coexist(x, y)) return false;
    }
  }
  return true;
}

// ---- Strategies, propagation 5 and 6 -----------------------------------------------------------

struct Op {
  std::vector<int64_t> sizes;
  std::size_t num_operands = 0;
  std::vector<Direction> directions;
  bool elementwise = false;
  bool conservative = false;
  std::vector<Tensor> tensors;
};

std::pair<List, bool> combine(List old_list, List new_list, bool expand) {
  List res;
  const auto pop = [](List& list) {
    const Ref front = list.front();
    list.erase(list.begin());
    return front;
  };
  while (!old_list.empty() && !new_list.empty()) {
    const Ref o = pop(old_list);
    const Ref n = pop(new_list);
    if (o.name != n.name) return {res, false};
    if (o == n) {
      res.push_back(n);
    } else if (prefix_of(n, o)) {
      if (!new_list.empty()) {
        res.push_back(n);
        return {res, false};
      }
      res.push_back(o);
    } else if (prefix_of(o, n)) {
      if (!expand || !old_list.empty()) {
        res.push_back(o);
        return {res, false};
      }
      res.push_back(n);
    } else {
      return {res, false};
    }
  }
  res.insert(res.end(), old_list.begin(), old_list.end());
  if (expand) res.insert(res.end(), new_list.begin(), new_list.end());
  return {res, expand};
}

List compat(const Op& op, int f) {
  const Direction dir = op.directions[static_cast<std::size_t>(f)];
  if (dir == Direction::None) return {};
  std::vector<std::size_t> operands(op.num_operands);
  std::vector<std::size_t> results(op.tensors.size() - op.num_operands);
  std::iota(operands.begin(), operands.end(), std::size_t{0});
  std::iota(results.begin(), results.end(), op.num_operands);
  if (dir == Direction::Backward) std::swap(operands, results);
  List r;
  bool expand = true;
  for (const std::size_t t : operands) {
    if (!op.tensors[t].factors.contains(f)) continue;
    std::tie(r, expand) = combine(r, op.tensors[t].factors.at(f).axes, expand);
  }
  if (dir != Direction::Both) expand = false;
  for (const std::size_t t : results) {
    if (!op.tensors[t].factors.contains(f)) continue;
    std::tie(r, expand) = combine(r, op.tensors[t].factors.at(f).axes, expand);
  }
  return r;
}

std::optional<Ref> across(std::optional<Ref> x, const Tensor& tensor, int f) {
  for (const auto& [g, factor] : tensor.factors) {
    if (g == f) continue;
    x = without_overlap(x, factor.overflow);
    x = without_overlap(x, factor.axes);
  }
  return x;
}

std::optional<Ref> within(std::optional<Ref> x, const Tensor& tensor, int f, int64_t prev,
                          int64_t size) {
  x = without_overlap(x, tensor.replicated);
  x = without_overlap(x, tensor.unreduced);
  if (!x) return std::nullopt;
  const Factor& factor = tensor.factors.at(f);
  for (const Ref& axis : factor.axes) {
    if (contains(axis, *x)) return x;
  }
  if (!factor.closed && factor.overflow.empty()) {
    if (factor.minor_most) return x;
    if (size % prev == 0) {
      const int64_t g = std::gcd(size / prev, x->size);
      if (g == x->size) return x;
      if (g > 1) return Ref{x->name, true, x->pre, g};
    }
  }
  if (!factor.axes.empty() && prefix_of(factor.axes.back(), *x)) return factor.axes.back();
  return std::nullopt;
}

template <class Fn>
void truncate(List& list, Fn fn, bool conservative) {
  int64_t prev = 1;
  for (std::size_t p = 0; p < list.size(); ++p) {
    const std::optional<Ref> y = fn(list[p], prev);
    if (!y || (conservative && y->is_sub)) {
      list.resize(p);
      return;
    }
    if (*y != list[p]) {
      list[p] = *y;
      list.resize(p + 1);
      return;
    }
    prev *= y->size;
  }
}

std::vector<bool> basic(Op& op) {
  std::vector<bool> updated(op.tensors.size(), false);
  for (int f = 0; f < static_cast<int>(op.sizes.size()); ++f) {
    List cand = compat(op, f);
    truncate(
        cand,
        [&](const Ref& axis, int64_t prev) {
          std::optional<Ref> x = axis;
          for (const Tensor& tensor : op.tensors) {
            x = across(x, tensor, f);
            if (tensor.factors.contains(f)) {
              x = within(x, tensor, f, prev, op.sizes[static_cast<std::size_t>(f)]);
            }
          }
          return x;
        },
        op.conservative);
    for (std::size_t t = 0; t < op.tensors.size(); ++t) {
      if (!op.tensors[t].factors.contains(f)) continue;
      if (compare(op.tensors[t].factors[f].axes, cand) != Prefix::Strict) continue;
      op.tensors[t].factors[f].axes = cand;
      updated[t] = true;
    }
  }
  return updated;
}

std::vector<int> factor_order(const Op& op, const std::vector<List>& cand) {
  std::vector<std::tuple<int64_t, int64_t, int64_t, int>> keys;
  for (int f = 0; f < static_cast<int>(cand.size()); ++f) {
    int64_t best = -1;
    int64_t source = -1;
    const List& list = cand[static_cast<std::size_t>(f)];
    for (std::size_t t = 0; t < op.tensors.size() && !list.empty(); ++t) {
      if (!op.tensors[t].factors.contains(f)) continue;
      if (compare(list, op.tensors[t].factors.at(f).axes) == Prefix::Not) continue;
      int64_t size = 1;
      for (const auto& [g, factor] : op.tensors[t].factors) {
        size *= op.sizes[static_cast<std::size_t>(g)];
      }
      if (size > best) std::tie(best, source) = std::tuple(size, static_cast<int64_t>(t));
    }
    int64_t shards = 1;
    for (const Ref& axis : list) shards *= axis.size;
    keys.emplace_back(-best, op.elementwise ? -shards : 0, source, f);
  }
  std::ranges::sort(keys);
  std::vector<int> order;
  for (const auto& key : keys) order.push_back(std::get<3>(key));
  return order;
}

std::vector<bool> aggressive(Op& op) {
  std::vector<bool> updated(op.tensors.size(), false);
  std::vector<List> cand;
  for (int f = 0; f < static_cast<int>(op.sizes.size()); ++f) cand.push_back(compat(op, f));
  const std::vector<int> order = factor_order(op, cand);
  std::vector<std::size_t> tensors;
  for (std::size_t t = op.num_operands; t < op.tensors.size(); ++t) tensors.push_back(t);
  for (std::size_t t = 0; t < op.num_operands; ++t) tensors.push_back(t);
  for (const std::size_t t : tensors) {
    for (const int f : order) {
      Tensor& tensor = op.tensors[t];
      if (!tensor.factors.contains(f)) continue;
      List& axes = tensor.factors[f].axes;
      List n = cand[static_cast<std::size_t>(f)];
      const int64_t size = op.sizes[static_cast<std::size_t>(f)];
      truncate(
          n, [&](const Ref& x, int64_t prev) { return within(x, tensor, f, prev, size); },
          op.conservative);
      if (compare(axes, n) != Prefix::Strict) continue;
      truncate(
          n, [&](const Ref& x, int64_t) { return across(x, tensor, f); }, op.conservative);
      if (n.empty()) continue;
      for (std::size_t q = op.num_operands; q < op.tensors.size(); ++q) {
        if (!op.elementwise || t >= op.num_operands || !op.tensors[q].factors.contains(f)) continue;
        const List& result = op.tensors[q].factors.at(f).axes;
        if (compare(result, n) == Prefix::Strict) n = result;
      }
      if (compare(axes, n) != Prefix::Strict) continue;
      axes = n;
      updated[t] = true;
    }
  }
  return updated;
}

// ---- The driver, propagation 7, 9 to 13 --------------------------------------------------------

/// The table of propagation 11, row by row; what a level adds to those before.
Direction row(int level, PriorityClass priority, bool multi, bool pass_through) {
  const bool pointwise = priority == PriorityClass::Pointwise;
  const bool slice = priority == PriorityClass::DynamicSlice;
  const Direction broad =
      priority == PriorityClass::Broadcast ? Direction::Backward : Direction::Both;
  if (level <= 1) {
    if (multi && level == 0) return Direction::None;
    if (pointwise) return Direction::Both;
    return slice ? Direction::Forward : Direction::None;
  }
  if (level == 2) return pass_through ? broad : Direction::None;
  return level == 3 ? broad : Direction::Both;
}

Direction unite(Direction a, Direction b) {
  const auto x = static_cast<int>(a);
  const auto y = static_cast<int>(b);
  return x + y == 3 ? Direction::Both : static_cast<Direction>(std::max(x, y));
}
Direction intersect(Direction a, Direction b) {
  const auto x = static_cast<int>(a);
  const auto y = static_cast<int>(b);
  return (x == 1 && y == 2) || (x == 2 && y == 1) ? Direction::None
                                                  : static_cast<Direction>(std::min(x, y));
}

class Driver {
 public:
  Driver(const Problem& problem, const std::vector<OpShardingRule>& rules,
         const ProblemOptions& options)
      : problem_(problem), rules_(rules), options_(options), meshes_(find_mesh(problem)) {
    for (uint32_t slot = 0; slot < problem.num_slots(); ++slot) {
      values_.push_back(convert(problem.sharding(SlotId(slot))));
    }
  }

  std::vector<std::string> run() {
    synchronize();
    if (options_.algorithm == Algorithm::UserPriority) {
      run_user_priorities();
    } else {
      run_levels();
    }
    std::vector<std::string> text;
    for (uint32_t slot = 0; slot < problem_.num_slots(); ++slot) text.push_back(print(at(slot)));
    return text;
  }

 private:
  static Mesh find_mesh(const Problem& problem) {
    for (uint32_t slot = 0; slot < problem.num_slots(); ++slot) {
      if (problem.sharding(SlotId(slot))) return problem.sharding(SlotId(slot))->mesh();
    }
    return {};
  }
  static MaybeSharding convert(const std::optional<TensorSharding>& from) {
    if (!from) return std::nullopt;
    const auto list = [&](const AxisList& axes) {
      List result;
      for (const AxisRef& axis : axes) {
        const std::string& name = from->mesh().axis_name(axis.axis);
        result.push_back({name, !from->mesh().is_full(axis), axis.pre, axis.size});
      }
      return result;
    };
    Sharding sharding{{}, list(from->replicated_axes()), list(from->unreduced_axes())};
    for (const DimSharding& dim : from->dims()) {
      sharding.dims.push_back({list(dim.axes), dim.is_closed, dim.priority});
    }
    return sharding;
  }
  static std::string print(const List& axes) {
    std::string text;
    for (const Ref& axis : axes) {
      if (!text.empty()) text += ",";
      text += axis.name;
      if (axis.is_sub) text += ":(" + std::to_string(axis.pre) + ")" + std::to_string(axis.size);
    }
    return text;
  }
  static std::string print(const MaybeSharding& sharding) {
    if (!sharding) return "-";
    std::string text = "[";
    for (const Dim& dim : sharding->dims) {
      if (text.size() > 1) text += ",";
      text += "{" + print(dim.axes);
      if (!dim.closed) text += dim.axes.empty() ? "?" : ",?";
      text += "}";
      if (dim.priority) text += "p" + std::to_string(*dim.priority);
    }
    text += "]";
    if (!sharding->replicated.empty()) text += " rep={" + print(sharding->replicated) + "}";
    if (!sharding->unreduced.empty()) text += " unr={" + print(sharding->unreduced) + "}";
    return text;
  }

  uint32_t storage(uint32_t slot) const { return problem_.slot(SlotId(slot)).storage.value; }
  bool is_stored(uint32_t slot) const { return problem_.slot(SlotId(slot)).storage.valid(); }
  MaybeSharding at(uint32_t slot) const {
    return is_stored(slot) ? values_[storage(slot)] : std::nullopt;
  }
  void store(uint32_t slot, const Sharding& sharding) {
    if (!is_stored(slot)) return;
    const bool first = !values_[storage(slot)];
    values_[storage(slot)] = sharding;
    if (!first) return;
    for (const SlotId sibling : problem_.siblings(SlotId(storage(slot)))) {
      if (values_[sibling.value]) continue;
      values_[sibling.value] = Sharding{std::vector<Dim>(problem_.slot(sibling).rank), {}, {}};
    }
  }

  void synchronize() {
    for (uint32_t group = 0; group < problem_.num_groups(); ++group) {
      const auto members = problem_.members(GroupId(group));
      MaybeSharding common;
      bool conflict = false;
      for (const SlotId member : members) {
        const MaybeSharding sharding = at(member.value);
        if (!sharding) continue;
        const bool ignored = std::ranges::all_of(
            sharding->dims, [](const Dim& dim) { return dim.axes.empty() && !dim.closed; });
        if (ignored && members.size() > 1) continue;
        if (!common) common = sharding;
        conflict |= sharding != common;
      }
      if (conflict) broken_groups_.push_back(group);
      if (conflict || !common) continue;
      for (const SlotId member : members) store(member.value, *common);
    }
  }

  bool is_multi(NodeId node) const {
    if (!problem_.node(node).operands_are_uses) return false;
    for (const TensorUse& operand : problem_.operands(node)) {
      if (problem_.slot(operand.slot).rank > 0 && count_uses(operand.slot) != 1) return true;
    }
    return false;
  }
  int count_uses(SlotId slot) const {
    int uses = 0;
    for (uint32_t n = 0; n < problem_.num_nodes(); ++n) {
      if (!problem_.node(NodeId(n)).operands_are_uses || erased_.contains(n)) continue;
      for (const TensorUse& use : problem_.operands(NodeId(n))) uses += use.slot == slot ? 1 : 0;
    }
    for (uint32_t g = 0; g < problem_.num_groups(); ++g) {
      uses += static_cast<int>(std::ranges::count(problem_.members(GroupId(g)), slot));
    }
    return uses;
  }

  Direction direction(NodeId node, FactorKind kind, bool multi) const {
    const Node& of = problem_.node(node);
    if (of.priority == PriorityClass::Always) return of.direction;
    Direction result = Direction::None;
    for (int level = 0; level <= level_; ++level) {
      result = unite(result, row(level, of.priority, multi, kind == FactorKind::PassThrough));
    }
    return intersect(result, of.direction);
  }

  bool step(NodeId node, bool notifies) {
    const Node& of = problem_.node(node);
    const OpShardingRule& rule = rules_[of.rule.index()];
    const auto tensors = problem_.tensors(node);
    Op op;
    op.sizes.assign(rule.factor_sizes().begin(), rule.factor_sizes().end());
    op.num_operands = of.num_operands;
    op.elementwise = of.is_elementwise;
    op.conservative = of.is_conservative;
    const bool multi = is_multi(node);
    for (int f = 0; f < rule.num_factors(); ++f) {
      op.directions.push_back(rule.is_blocked(f) ? Direction::None
                                                 : direction(node, rule.factor_kind(f), multi));
    }
    std::vector<MaybeSharding> old;
    bool any = false;
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      old.push_back(at(tensors[t].slot.value));
      any |= old.back().has_value();
      op.tensors.push_back(project(rule.tensor(t), op.sizes, old.back(), meshes_));
    }
    if (!any) return false;
    const std::vector<bool> updated = basic_ ? basic(op) : aggressive(op);
    bool stored = false;
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      const uint32_t slot = tensors[t].slot.value;
      if (!updated[t] || !is_stored(slot)) continue;
      const Sharding now = back_project(rule.tensor(t), op.sizes, op.tensors[t], meshes_);
      const bool has_axes =
          std::ranges::any_of(now.dims, [](const Dim& dim) { return !dim.axes.empty(); });
      if ((old[t] ? now == *old[t] : !has_axes) || !can_exist(now)) continue;
      store(slot, now);
      stored = true;
      if (notifies) notify(slot, node);
      const GroupId group = problem_.slot(SlotId(slot)).group;
      if (!group.valid() || std::ranges::count(broken_groups_, group.value) > 0) continue;
      for (const SlotId member : problem_.members(group)) {
        if (member.value == slot) continue;
        store(member.value, now);
        if (notifies && is_stored(member.value)) notify(member.value, node);
      }
    }
    return stored;
  }

  void push(uint32_t node, NodeId current) {
    if (node == current.value || problem_.node(NodeId(node)).is_function_result) return;
    if (erased_.contains(node)) return;
    if (!problem_.node(NodeId(node)).rule.valid()) return;
    if (std::ranges::find(stack_, node) == stack_.end()) stack_.push_back(node);
  }
  void push_users(uint32_t slot, NodeId current) {
    for (auto n = static_cast<uint32_t>(problem_.num_nodes()); n-- > 0;) {
      for (const TensorUse& use : problem_.operands(NodeId(n))) {
        if (use.slot.value == slot) push(n, current);
      }
    }
  }
  void push_definers(uint32_t slot, NodeId current) {
    for (uint32_t n = 0; n < problem_.num_nodes(); ++n) {
      for (const TensorUse& use : problem_.results(NodeId(n))) {
        if (use.slot.value == slot) push(n, current);
      }
    }
  }
  void notify(uint32_t slot, NodeId current) {
    const uint32_t owner = storage(slot);
    for (uint32_t other = 0; other < problem_.num_slots(); ++other) {
      if (other == owner || !is_stored(other) || storage(other) != owner) continue;
      push_users(other, current);
    }
    push_definers(owner, current);
    push_users(owner, current);
  }

  /// Ops that use the slot: one for each node and group, one for all function results together.
  int count_users(SlotId slot) const {
    std::set<uint32_t> users;
    for (uint32_t n = 0; n < problem_.num_nodes(); ++n) {
      const Node& of = problem_.node(NodeId(n));
      if (!of.operands_are_uses || erased_.contains(n)) continue;
      for (const TensorUse& use : problem_.operands(NodeId(n))) {
        if (use.slot == slot) users.insert(of.is_function_result ? UINT32_MAX : n);
      }
    }
    int groups = 0;
    for (uint32_t g = 0; g < problem_.num_groups(); ++g) {
      groups += static_cast<int>(std::ranges::count(problem_.members(GroupId(g)), slot));
    }
    return static_cast<int>(users.size()) + groups;
  }
  bool is_dead(NodeId node) const {
    const auto results = problem_.results(node);
    return problem_.node(node).is_removable &&
           std::ranges::none_of(results, [&](auto use) { return count_uses(use.slot) > 0; });
  }
  void erase(NodeId node) {
    erased_.insert(node.value);
    for (const TensorUse& operand : problem_.operands(node)) {
      if (count_users(operand.slot) > 1) continue;
      for (uint32_t n = 0; n < problem_.num_nodes(); ++n) {
        const auto results = problem_.results(NodeId(n));
        const bool defines = std::ranges::count(results, operand.slot, &TensorUse::slot) > 0;
        if (defines) push(n, node);
      }
    }
  }

  void sweep() {
    for (const NodeId node : problem_.function_results()) step(node, false);
    for (auto n = static_cast<uint32_t>(problem_.num_nodes()); n-- > 0;) {
      const bool is_gone = problem_.node(NodeId(n)).is_function_result || erased_.contains(n);
      if (!is_gone) stack_.push_back(n);
    }
    while (!stack_.empty()) {
      const NodeId node(stack_.back());
      stack_.pop_back();
      if (is_dead(node)) {
        erase(node);
      } else if (problem_.node(node).rule.valid()) {
        step(node, true);
      }
    }
    for (const NodeId node : problem_.function_results()) step(node, false);
  }

  void run_levels() {
    const bool has_levels = options_.algorithm != Algorithm::Basic &&
                            options_.algorithm != Algorithm::Aggressive && options_.run_op_priority;
    for (level_ = has_levels ? 0 : 4; level_ <= 4; ++level_) {
      if (options_.algorithm == Algorithm::Basic || options_.strategy != Strategy::Aggressive) {
        basic_ = true;
        sweep();
      }
      if (options_.algorithm != Algorithm::Basic && options_.strategy != Strategy::Basic) {
        basic_ = false;
        sweep();
      }
    }
  }

  void run_user_priorities() {
    std::map<int64_t, std::vector<std::pair<uint32_t, Sharding>>> refs;
    for (uint32_t slot = 0; slot < values_.size(); ++slot) {
      if (!values_[slot]) continue;
      Sharding& sharding = *values_[slot];
      const Sharding original = sharding;
      for (Dim& dim : sharding.dims) {
        const int64_t priority = dim.priority.value_or(0);
        dim.priority.reset();
        if (priority == 0) continue;
        auto& list = refs[priority];
        if (list.empty() || list.back().first != slot) list.emplace_back(slot, original);
        for (const Ref& axis : dim.axes) sharding.replicated.push_back(axis);
        dim = Dim{{}, true, std::nullopt};
      }
      std::ranges::sort(sharding.replicated,
                        [&](const Ref& x, const Ref& y) { return meshes_.mesh_less(x, y); });
    }
    run_levels();
    for (const auto& [priority, list] : refs) {
      for (const auto& [slot, original] : list) {
        Sharding& sharding = *values_[slot];
        for (std::size_t d = 0; d < original.dims.size(); ++d) {
          if (original.dims[d].priority.value_or(0) != priority) continue;
          if (sharding.dims[d] != Dim{{}, true, std::nullopt}) continue;
          sharding.dims[d] = original.dims[d];
          sharding.dims[d].priority.reset();
          for (const Ref& axis : original.dims[d].axes) std::erase(sharding.replicated, axis);
        }
      }
      run_levels();
    }
  }

  const Problem& problem_;
  const std::vector<OpShardingRule>& rules_;
  const ProblemOptions& options_;
  Meshes meshes_;
  std::vector<MaybeSharding> values_;
  std::vector<uint32_t> broken_groups_;
  std::vector<uint32_t> stack_;
  std::set<uint32_t> erased_;
  int level_ = 4;
  bool basic_ = false;
};

}  // namespace

std::vector<std::string> expected_shardings(const Problem& problem,
                                            const std::vector<OpShardingRule>& rules,
                                            const ProblemOptions& options) {
  return Driver(problem, rules, options).run();
}

}  // namespace shardy::propagation::testing
