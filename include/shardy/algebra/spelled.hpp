#pragma once

#include <compare>
#include <shardy/algebra/detail/spelled_axis.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <string>
#include <variant>
#include <vector>

namespace shardy {

/// `@name` (held without the `@`) or an inlined mesh.
using MeshOrRef = std::variant<std::string, Mesh>;

/// A sharding as it is written: names instead of axes of a mesh, and no rule kept. What text and
/// JSON hold before a mesh gives it a meaning; resolve.hpp does that. Its text round-trips.
struct SpelledSharding {
  MeshOrRef mesh;                // by value or by name
  std::vector<SpelledDim> dims;  // one for each dim of the tensor
  /// Axes along which devices have the same, and propagation may not shard.
  SpelledAxisList replicated = {};
  SpelledAxisList unreduced = {};               // axes along which devices have summands
  ReductionOp reduction_op = ReductionOp::Sum;  // how summands are combined

  /// No dim has axes; says nothing of replicated and unreduced axes.
  bool is_fully_replicated() const;

  friend bool operator==(const SpelledSharding&, const SpelledSharding&);
  friend std::strong_ordering operator<=>(const SpelledSharding&, const SpelledSharding&);
};

/// The same with names of axes.
inline SpelledDim spell(const Mesh& mesh, const DimSharding& dim) {
  return {spell(mesh, dim.axes), dim.is_closed, dim.priority};
}

/// The same with names of axes and mesh.
SpelledSharding spell(const TensorSharding& sharding);

// Canonical text, algebra 10.4. An equal value has equal text.

namespace detail {

template <class Range, class Print>
std::string joined(const Range& range, Print print) {
  std::string text;
  bool is_first = true;
  for (const auto& element : range) {
    if (!is_first) text += ", ";
    is_first = false;
    text += print(element);
  }
  return text;
}

template <class Range>
std::string joined(const Range& range) {
  return joined(range, [](const auto& element) { return to_string(element); });
}

}  // namespace detail

std::string to_string(const MeshAxis& axis);

/// `<["a"=2, "b"=4], device_ids=[3, 2, 1, 0]>`
std::string to_string(const Mesh& mesh);

/// `@m` or `mesh<["a"=2]>`
std::string to_string(const MeshOrRef& mesh);

inline std::string to_string(const MeshRef& ref) {
  return to_string(ref.name ? MeshOrRef(*ref.name) : MeshOrRef(ref.mesh));
}

/// `{"a", "b":(2)2}`
std::string to_string(const SpelledAxisList& axes);

inline std::string to_string(const Mesh& mesh, AxisSpan axes) {
  return to_string(spell(mesh, axes));
}

/// `{"a", ?}p1`
std::string to_string(const SpelledDim& dim);

inline std::string to_string(const Mesh& mesh, const DimSharding& dim) {
  return to_string(spell(mesh, dim));
}

/// `<@m, [{"a"}, {?}], replicated={"b"}, unreduced=max{"c"}>`
std::string to_string(const SpelledSharding& sharding);

inline std::string to_string(const TensorSharding& sharding) { return to_string(spell(sharding)); }

}  // namespace shardy

template <>
struct std::hash<shardy::SpelledSharding> {
  std::size_t operator()(const shardy::SpelledSharding& sharding) const;
};

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/spelled_inl.hpp>
#endif
