// Text and Catch2 matchers for meshes, shardings, rules and reshards. The header needs only the
// layers up to resharding.
#pragma once

#if __has_include(<catch2/matchers/catch_matchers_templated.hpp>)
#include <catch2/catch_tostring.hpp>
#include <catch2/matchers/catch_matchers_templated.hpp>
#else
#include <catch2/catch.hpp>
#endif
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/resharding/step.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy::testing {

namespace detail {

#if __has_include(<catch2/matchers/catch_matchers_templated.hpp>)
using AnyMatcher = Catch::Matchers::MatcherGenericBase;
#else
using AnyMatcher = Catch::Matchers::Impl::MatcherUntypedBase;
#endif

/// A matcher of values. `Derived::difference` returns the differences from the wanted value, one
/// per line; empty if none exists.
template <class Derived>
class Matcher : public AnyMatcher {
 public:
  template <class T>
  bool match(const T& value) const {
    difference_ = static_cast<const Derived&>(*this).difference(value);
    return difference_.empty();
  }
  std::string describe() const override {
    std::string text = static_cast<const Derived&>(*this).wanted();
    if (!difference_.empty()) text += ", but\n" + difference_;
    return text;
  }

 private:
  mutable std::string difference_;
};

/// Appends one line to a difference: `dim 1: {} instead of {"x"}`.
inline void add_line(std::string& difference, std::string_view what, std::string_view got,
                     std::string_view wanted) {
  if (got == wanted) return;
  if (!difference.empty()) difference += '\n';
  difference += "  ";
  difference += what;
  difference += ": ";
  difference += got;
  difference += " instead of ";
  difference += wanted;
}

/// Returns the difference of a missing value.
inline std::string no_value(std::string_view what) { return "  found " + std::string(what); }

inline std::string quoted_list(const UnresolvedAxisList& axes) { return to_string(axes); }

/// Returns the differences of two shardings, dim by dim. Meshes are compared if `with_mesh`.
inline std::string difference_of(const UnresolvedSharding& got, const UnresolvedSharding& wanted,
                                 bool with_mesh) {
  std::string differences;
  if (with_mesh) add_line(differences, "the mesh", to_string(got.mesh), to_string(wanted.mesh));
  if (got.dims.size() != wanted.dims.size()) {
    add_line(differences, "dims", std::to_string(got.dims.size()),
             std::to_string(wanted.dims.size()));
  }
  for (std::size_t dim = 0; dim < std::min(got.dims.size(), wanted.dims.size()); ++dim) {
    add_line(differences, "dim " + std::to_string(dim), to_string(got.dims[dim]),
             to_string(wanted.dims[dim]));
  }
  add_line(differences, "replicated", quoted_list(got.replicated), quoted_list(wanted.replicated));
  add_line(differences, "unreduced", quoted_list(got.unreduced), quoted_list(wanted.unreduced));
  if (!wanted.unreduced.empty()) {
    add_line(differences, "reduction", to_string(got.reduction_op), to_string(wanted.reduction_op));
  }
  return differences;
}

/// Returns the differences of two rules, tensor by tensor and factor by factor.
inline std::string difference_of(const OpShardingRule& got, const OpShardingRule& wanted) {
  std::string differences;
  const auto compare = [&](std::string_view side, std::span<const TensorMapping> a,
                           std::span<const TensorMapping> b) {
    if (a.size() != b.size()) {
      add_line(differences, std::string(side) + "s", std::to_string(a.size()),
               std::to_string(b.size()));
    }
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      add_line(differences, std::string(side) + " " + std::to_string(i), to_string(a[i]),
               to_string(b[i]));
    }
  };
  compare("operand", got.operands(), wanted.operands());
  compare("result", got.results(), wanted.results());
  const auto factors = [](std::span<const int32_t> numbers) {
    return to_string(DimMapping(numbers.begin(), numbers.end()));
  };
  const int32_t both = std::min(got.num_factors(), wanted.num_factors());
  for (int32_t factor = 0; factor < both; ++factor) {
    const int32_t one[] = {factor};
    add_line(differences, "size of factor " + factors(one), std::to_string(got.factor_size(factor)),
             std::to_string(wanted.factor_size(factor)));
  }
  add_line(differences, "reduction factors", factors(got.reduction_factors()),
           factors(wanted.reduction_factors()));
  add_line(differences, "need_replication factors", factors(got.need_replication_factors()),
           factors(wanted.need_replication_factors()));
  add_line(differences, "permutation factors", factors(got.permutation_factors()),
           factors(wanted.permutation_factors()));
  add_line(differences, "blocked factors", factors(got.blocked_factors()),
           factors(wanted.blocked_factors()));
  return differences;
}

}  // namespace detail

/// A matcher for a TensorSharding, also as std::optional or Result, by text. The text has a mesh
/// (`<@m, [{"x"}, {}]>`), or only dims (`[{"x"}, {}], replicated={"y"}`); then the mesh is not
/// compared. Differences are reported dim by dim. An invalid text matches nothing.
class ShardedAs : public detail::Matcher<ShardedAs> {
 public:
  explicit ShardedAs(std::string_view text)
      : text_(text),
        has_mesh_(!text.starts_with('[')),
        wanted_(parse_sharding(has_mesh_ ? text_ : "<@m, " + text_ + ">")) {}

  std::string difference(const TensorSharding& sharding) const {
    if (!wanted_) return "  the test's own text cannot be read: " + wanted_.error().message;
    return detail::difference_of(spell(sharding), *wanted_, has_mesh_);
  }
  std::string difference(const std::optional<TensorSharding>& sharding) const {
    return sharding ? difference(*sharding) : detail::no_value("no sharding");
  }
  std::string difference(const Result<TensorSharding>& sharding) const {
    if (sharding) return difference(*sharding);
    return detail::no_value("an error: " + sharding.error().message);
  }
  std::string wanted() const { return "is sharded as " + text_; }

 private:
  std::string text_;
  bool has_mesh_;
  Result<UnresolvedSharding> wanted_;
};

/// A matcher for an OpShardingRule, also as std::optional or Result, by text: `([i, k], [k,
/// j])->([i, j]) {i=8, j=4, k=16} reduction={k}`, with or without `<>`. Differences are reported
/// tensor by tensor and factor by factor.
class FollowsRule : public detail::Matcher<FollowsRule> {
 public:
  explicit FollowsRule(std::string_view text)
      : text_(text), wanted_(parse_rule(text.starts_with('<') ? text_ : "<" + text_ + ">")) {}

  std::string difference(const OpShardingRule& rule) const {
    if (!wanted_) return "  the test's own text cannot be read: " + wanted_.error().message;
    return detail::difference_of(rule, *wanted_);
  }
  std::string difference(const std::optional<OpShardingRule>& rule) const {
    return rule ? difference(*rule) : detail::no_value("no rule");
  }
  template <class Rule>
  std::string difference(const Result<Rule>& rule) const {
    if (rule) return difference(*rule);
    return detail::no_value("an error: " + rule.error().message);
  }
  std::string wanted() const { return "follows the rule " + text_; }

 private:
  std::string text_;
  Result<OpShardingRule> wanted_;
};

/// A matcher for a reshard plan, also as Result. Each wanted text must be a prefix of the text of
/// the step: `sdy.all_gather`, or `sdy.all_gather [{"x"}, {}]`. Differences are reported step by
/// step.
class TakesSteps : public detail::Matcher<TakesSteps> {
 public:
  TakesSteps(std::initializer_list<std::string_view> steps) : wanted_(steps.begin(), steps.end()) {}

  std::string difference(const std::vector<ReshardStep>& plan) const {
    std::string differences;
    for (std::size_t i = 0; i < std::max(plan.size(), wanted_.size()); ++i) {
      const std::string got = i < plan.size() ? to_string(plan[i]) : "nothing";
      const std::string want = i < wanted_.size() ? wanted_[i] : "nothing";
      if (!got.starts_with(want))
        detail::add_line(differences, "step " + std::to_string(i), got, want);
    }
    return differences;
  }
  std::string difference(const Result<std::vector<ReshardStep>>& plan) const {
    if (plan) return difference(*plan);
    return detail::no_value("an error: " + plan.error().message);
  }
  std::string wanted() const {
    std::string text = "takes the steps";
    for (const std::string& step : wanted_) text += (&step == wanted_.data() ? " " : ", ") + step;
    return wanted_.empty() ? "takes no step" : text;
  }

 private:
  std::vector<std::string> wanted_;
};

/// A matcher for a Mesh, also as Result, by text: `<["x"=2, "y"=4]>`.
class IsMesh : public detail::Matcher<IsMesh> {
 public:
  explicit IsMesh(std::string_view text) : text_(text), wanted_(parse_mesh(text)) {}

  std::string difference(const Mesh& mesh) const {
    if (!wanted_) return "  the test's own text cannot be read: " + wanted_.error().message;
    std::string differences;
    detail::add_line(differences, "the mesh", to_string(mesh), to_string(*wanted_));
    return differences;
  }
  std::string difference(const Result<Mesh>& mesh) const {
    return mesh ? difference(*mesh) : detail::no_value("an error: " + mesh.error().message);
  }
  std::string wanted() const { return "is the mesh " + text_; }

 private:
  std::string text_;
  Result<Mesh> wanted_;
};

/// A matcher for an error, the error of a Result, or the first of several errors, by a part of the
/// message.
class FailsWith : public detail::Matcher<FailsWith> {
 public:
  explicit FailsWith(std::string_view part) : part_(part) {}

  std::string difference(const Diagnostic& error) const {
    return error.message.find(part_) != std::string::npos ? ""
                                                          : "  its message is: " + error.message;
  }
  std::string difference(const Diagnostics& errors) const {
    return errors.empty() ? detail::no_value("no error") : difference(errors.front());
  }
  template <class T>
  std::string difference(const Result<T>& result) const {
    return result ? detail::no_value("a value, no error") : difference(result.error());
  }
  template <class T>
  std::string difference(const DiagnosedResult<T>& result) const {
    return result ? detail::no_value("a value, no error") : difference(result.error());
  }
  std::string wanted() const { return "fails with \"" + part_ + "\""; }

 private:
  std::string part_;
};

}  // namespace shardy::testing

// Conversion of the library's values to text for Catch2.
#define SHARDY_CATCH_TEXT(...)                             \
  template <>                                              \
  struct Catch::StringMaker<__VA_ARGS__> {                 \
    static std::string convert(const __VA_ARGS__& value) { \
      return std::string(::shardy::to_string(value));      \
    }                                                      \
  }

SHARDY_CATCH_TEXT(shardy::Mesh);
SHARDY_CATCH_TEXT(shardy::MeshAxis);
SHARDY_CATCH_TEXT(shardy::UnresolvedSharding);
SHARDY_CATCH_TEXT(shardy::UnresolvedDim);
SHARDY_CATCH_TEXT(shardy::TensorSharding);
SHARDY_CATCH_TEXT(shardy::TensorMapping);
SHARDY_CATCH_TEXT(shardy::OpShardingRule);
SHARDY_CATCH_TEXT(shardy::ReshardStep);
SHARDY_CATCH_TEXT(shardy::ReductionOp);

#undef SHARDY_CATCH_TEXT

template <>
struct Catch::StringMaker<shardy::AxisRef> {
  static std::string convert(const shardy::AxisRef& ref) {
    return "axis " + std::to_string(ref.axis) + ":(" + std::to_string(ref.pre) + ")" +
           std::to_string(ref.size);
  }
};

template <>
struct Catch::StringMaker<shardy::Diagnostic> {
  static std::string convert(const shardy::Diagnostic& diagnostic) {
    return diagnostic.location.empty() ? diagnostic.message
                                       : diagnostic.location.text() + ": " + diagnostic.message;
  }
};

/// Text of a result: the value, or `error: ...`.
template <class T>
struct Catch::StringMaker<tl::expected<T, shardy::Diagnostic>> {
  static std::string convert(const tl::expected<T, shardy::Diagnostic>& result) {
    if (!result) return "error: " + Catch::StringMaker<shardy::Diagnostic>::convert(result.error());
    if constexpr (std::is_void_v<T>) {
      return "success";
    } else {
      return Catch::Detail::stringify(*result);
    }
  }
};
