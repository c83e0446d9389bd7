#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/hlo_sharding.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <string>
#include <string_view>
#include <vector>

// XLA shardings in the text form with axis names. Spec: interop 2.3.

namespace shardy {

/// An XLA sharding with axis names. Not validated; resolve checks the axes. Text:
/// `{mesh['x'=2,'y'=4], [{'x', ?}, {}], manual={'y'}}`.
struct NamedHloSharding {
  std::optional<int64_t> device;  // device of a maximal sharding; then all other members are unset
  Mesh mesh;                      // empty: the text has no mesh
  std::optional<std::vector<UnresolvedDim>> dims;  // std::nullopt: `word` gives the kind instead
  HloDimKind word = HloDimKind::Replicated;        // kind of a sharding without dims
  UnresolvedAxisList replicated = {};              // explicitly replicated axes
  UnresolvedAxisList unreduced = {};               // unreduced axes
  UnresolvedAxisList manual = {};                  // manual axes
  ReductionOp reduction_op = ReductionOp::Sum;     // reduction op of partial values

  friend bool operator==(const NamedHloSharding&, const NamedHloSharding&);
};

std::string to_string(const NamedHloSharding& sharding);

/// Checks whether the text after `{` is a sharding with axis names.
bool at_named_hlo_sharding(Scanner& scanner);

/// Reads the text after `{`, up to and including `}`.
Result<NamedHloSharding> read_named_hlo_sharding(Scanner& scanner);

/// Converts `sharding` of a tensor inside computations with the manual axes `manual`. Open dims,
/// sub-axes and reduction ops are kept; priorities are dropped.
NamedHloSharding named_hlo_of(const TensorSharding& sharding,
                              const UnresolvedAxisList& manual = {});

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <shardy/algebra/detail/device_array.hpp>
#include <utility>

namespace shardy {

SHARDY_INLINE bool operator==(const NamedHloSharding&, const NamedHloSharding&) = default;

}  // namespace shardy

namespace shardy::detail {

// ---- Printing -----------------------------------------------------------------------------------

SHARDY_INLINE std::string named_hlo_text(const UnresolvedAxisRef& ref) {
  std::string text = "'" + ref.name + "'";
  if (!ref.sub) return text;
  return text + ":(" + std::to_string(ref.sub->pre) + ")" + std::to_string(ref.sub->size);
}

SHARDY_INLINE std::string named_hlo_text(const UnresolvedAxisList& list) {
  return joined(list, [](const UnresolvedAxisRef& ref) { return named_hlo_text(ref); });
}

SHARDY_INLINE std::string named_hlo_text(const UnresolvedDim& dim) {
  std::string text = named_hlo_text(dim.axes);
  if (!dim.is_closed) text += dim.axes.empty() ? "?" : ", ?";
  return "{" + text + "}";
}

SHARDY_INLINE std::string named_hlo_text(const Mesh& mesh) {
  std::string text;
  for (const MeshAxis& axis : mesh.axes()) {
    text += (text.empty() ? "'" : ",'") + axis.name + "'=" + std::to_string(axis.size);
  }
  text = "mesh[" + text + "]";
  if (mesh.device_ids().empty()) return text;
  return text + ", device_ids=(" + without_spaces(mesh.device_ids()) + ")";
}

SHARDY_INLINE std::string clause_text(std::string_view name, std::string_view kind,
                                      const UnresolvedAxisList& axes) {
  if (axes.empty()) return "";
  return ", " + std::string(name) + "=" + std::string(kind) + "{" + named_hlo_text(axes) + "}";
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE std::string to_string(const NamedHloSharding& sharding) {
  if (sharding.device) {
    return "{single_device[device_id=" + std::to_string(*sharding.device) + "]}";
  }
  std::string text = "{" + detail::named_hlo_text(sharding.mesh) + ", ";
  if (sharding.dims) {
    text += "[" +
            detail::joined(*sharding.dims,
                           [](const UnresolvedDim& dim) { return detail::named_hlo_text(dim); }) +
            "]";
  } else {
    text += detail::kHloDimKinds[static_cast<std::size_t>(sharding.word)];
  }
  const bool is_sum = sharding.reduction_op == ReductionOp::Sum;
  text += detail::clause_text("replicated", "", sharding.replicated);
  text += detail::clause_text("unreduced", is_sum ? "" : to_string(sharding.reduction_op),
                              sharding.unreduced);
  return text + detail::clause_text("manual", "", sharding.manual) + "}";
}

}  // namespace shardy

namespace shardy::detail {

// ---- Reading ------------------------------------------------------------------------------------

/// Reads `'x'`, or `x` without quotes, which older versions of XLA print.
SHARDY_INLINE Result<std::string> read_named_axis_name(Scanner& scanner) {
  if (!scanner.eat('\'')) {
    SHARDY_TRY(const std::string_view bare, scanner.ident());
    return std::string(bare);
  }
  const std::size_t start = scanner.raw_position();
  const std::size_t end = scanner.text().find('\'', start);
  if (end == std::string_view::npos) {
    return scanner.error_at(start, "expected ' at the end of the name of an axis");
  }
  scanner.seek(end + 1);
  return std::string(scanner.text().substr(start, end - start));
}

SHARDY_INLINE Result<UnresolvedAxisRef> read_named_axis_ref(Scanner& scanner) {
  UnresolvedAxisRef ref;
  SHARDY_TRY(ref.name, read_named_axis_name(scanner));
  if (!scanner.eat(':')) return ref;
  SubAxis sub;
  SHARDY_TRY_STATUS(scanner.expect("("));
  SHARDY_TRY(sub.pre, scanner.int64());
  SHARDY_TRY_STATUS(scanner.expect(")"));
  SHARDY_TRY(sub.size, scanner.int64());
  ref.sub = sub;
  return ref;
}

SHARDY_INLINE Result<UnresolvedAxisList> read_named_axis_set(Scanner& scanner) {
  UnresolvedAxisList axes;
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY_STATUS(read_list(scanner, "}", [&]() -> Status {
    SHARDY_TRY(UnresolvedAxisRef ref, read_named_axis_ref(scanner));
    axes.push_back(std::move(ref));
    return {};
  }));
  return axes;
}

SHARDY_INLINE Result<UnresolvedDim> read_named_dim(Scanner& scanner) {
  UnresolvedDim dim;
  dim.is_closed = true;
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY_STATUS(read_list(scanner, "}", [&]() -> Status {
    if (!dim.is_closed) return scanner.expected("'}' after '?'");
    if (scanner.eat('?')) {
      dim.is_closed = false;
      return {};
    }
    SHARDY_TRY(UnresolvedAxisRef ref, read_named_axis_ref(scanner));
    dim.axes.push_back(std::move(ref));
    return {};
  }));
  return dim;
}

/// Reads `(1,0)`, or `([2,2]T(1,0))`: a transposed iota.
SHARDY_INLINE Result<std::vector<int64_t>> read_named_device_ids(Scanner& scanner) {
  const std::size_t start = scanner.position();
  SHARDY_TRY_STATUS(scanner.expect("("));
  if (!scanner.eat('[')) return read_ints(scanner, ")");
  SHARDY_TRY(std::vector<int64_t> shape, read_ints(scanner, "]"));
  std::vector<int64_t> order;
  if (scanner.eat("T")) {
    SHARDY_TRY_STATUS(scanner.expect("("));
    SHARDY_TRY(order, read_ints(scanner, ")"));
  }
  SHARDY_TRY_STATUS(scanner.expect(")"));
  const std::optional<int64_t> count = checked_product(shape);
  constexpr int64_t kMost = int64_t{1} << 24;
  if (!count || *count > kMost) return scanner.error_at(start, "too many device ids");
  SHARDY_TRY(const DeviceArray array,
             DeviceArray::iota({*count}, std::move(shape), std::move(order)));
  std::vector<int64_t> ids;
  for (int64_t index = 0; index < *count; ++index) ids.push_back(array.device_at(index));
  return ids;
}

/// Consumes `, device_ids=` if it comes next. Returns whether it did.
SHARDY_INLINE bool eat_device_ids(Scanner& scanner) {
  const std::size_t start = scanner.raw_position();
  if (scanner.eat(',') && scanner.eat("device_ids") && scanner.eat('=')) return true;
  scanner.seek(start);
  return false;
}

SHARDY_INLINE Result<Mesh> read_named_mesh(Scanner& scanner) {
  const std::size_t start = scanner.position();
  std::vector<MeshAxis> axes;
  SHARDY_TRY_STATUS(scanner.expect("mesh"));
  SHARDY_TRY_STATUS(scanner.expect("["));
  SHARDY_TRY_STATUS(read_list(scanner, "]", [&]() -> Status {
    MeshAxis axis;
    SHARDY_TRY(axis.name, read_named_axis_name(scanner));
    SHARDY_TRY_STATUS(scanner.expect("="));
    SHARDY_TRY(axis.size, scanner.int64());
    axes.push_back(std::move(axis));
    return {};
  }));
  std::vector<int64_t> ids;
  if (eat_device_ids(scanner)) {
    SHARDY_TRY(ids, read_named_device_ids(scanner));
  }
  return Mesh::make(std::move(axes), std::move(ids)).map_error([&](Error error) {
    error.location = scanner.location(start);
    return error;
  });
}

SHARDY_INLINE Status skip_named_metadata(Scanner& scanner) {
  SHARDY_TRY_STATUS(scanner.expect("{"));
  const std::size_t start = scanner.raw_position();
  const std::optional<std::size_t> length = balanced_length(scanner.text().substr(start));
  if (!length) return scanner.error_at(start, "expected '}' at the end of the metadata");
  scanner.seek(start + *length + 1);
  return {};
}

SHARDY_INLINE Status read_named_clause(Scanner& scanner, NamedHloSharding& sharding) {
  const std::size_t start = scanner.position();
  SHARDY_TRY(const std::string_view name, scanner.ident());
  SHARDY_TRY_STATUS(scanner.expect("="));
  if (name == "metadata") return skip_named_metadata(scanner);
  UnresolvedAxisList* into = name == "replicated"  ? &sharding.replicated
                             : name == "unreduced" ? &sharding.unreduced
                             : name == "manual"    ? &sharding.manual
                                                   : nullptr;
  if (into == nullptr || !into->empty()) {
    return scanner.error_at(start, (into == nullptr ? "unknown part of a sharding: "
                                                    : "duplicate part of a sharding: ") +
                                       std::string(name));
  }
  if (name == "unreduced" && scanner.eat("max")) sharding.reduction_op = ReductionOp::Max;
  if (name == "unreduced" && scanner.eat("min")) sharding.reduction_op = ReductionOp::Min;
  SHARDY_TRY(*into, read_named_axis_set(scanner));
  return {};
}

SHARDY_INLINE Status read_named_dims(Scanner& scanner, NamedHloSharding& sharding) {
  sharding.dims.emplace();
  return read_list(scanner, "]", [&]() -> Status {
    SHARDY_TRY(UnresolvedDim dim, read_named_dim(scanner));
    sharding.dims->push_back(std::move(dim));
    return {};
  });
}

/// Consumes a keyword for the whole mesh, such as `replicated`, unless it is the name of a clause.
SHARDY_INLINE std::optional<HloDimKind> eat_named_word(Scanner& scanner) {
  const std::size_t start = scanner.raw_position();
  for (std::size_t kind = 0; kind < kHloDimKinds.size(); ++kind) {
    if (!scanner.eat(kHloDimKinds[kind])) continue;
    if (scanner.peek() != '=') return static_cast<HloDimKind>(kind);
    scanner.seek(start);
  }
  return std::nullopt;
}

SHARDY_INLINE Result<NamedHloSharding> read_single_device(Scanner& scanner) {
  NamedHloSharding sharding;
  const std::size_t start = scanner.position();
  for (const std::string_view token : {"[", "device_id", "="}) {
    SHARDY_TRY_STATUS(scanner.expect(token));
  }
  SHARDY_TRY(sharding.device, scanner.int64());
  if (*sharding.device < 0) return scanner.error_at(start, "device id must be non-negative");
  SHARDY_TRY_STATUS(scanner.expect("]"));
  SHARDY_TRY_STATUS(scanner.expect("}"));
  return sharding;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE bool at_named_hlo_sharding(Scanner& scanner) {
  const std::size_t start = scanner.raw_position();
  const bool is_named =
      scanner.eat("mesh") || scanner.eat("single_device") || scanner.eat("maximal_mesh");
  scanner.seek(start);
  return is_named;
}

SHARDY_INLINE Result<NamedHloSharding> read_named_hlo_sharding(Scanner& scanner) {
  if (scanner.eat("single_device") || scanner.eat("maximal_mesh")) {
    return detail::read_single_device(scanner);
  }
  NamedHloSharding sharding;
  SHARDY_TRY(sharding.mesh, detail::read_named_mesh(scanner));
  bool is_first = true;
  while (scanner.eat(',')) {
    if (const auto word = is_first ? detail::eat_named_word(scanner) : std::nullopt) {
      sharding.word = *word;
    } else if (is_first && scanner.eat('[')) {
      SHARDY_TRY_STATUS(detail::read_named_dims(scanner, sharding));
    } else {
      SHARDY_TRY_STATUS(detail::read_named_clause(scanner, sharding));
    }
    is_first = false;
  }
  SHARDY_TRY_STATUS(scanner.expect("}"));
  return sharding;
}

SHARDY_INLINE NamedHloSharding named_hlo_of(const TensorSharding& sharding,
                                            const UnresolvedAxisList& manual) {
  NamedHloSharding named;
  if (sharding.mesh().is_maximal()) {
    named.device = sharding.mesh().maximal_device_id();
    return named;
  }
  named.mesh = sharding.mesh();
  if (!manual.empty() && manual.size() == named.mesh.axes().size()) {
    named.word = HloDimKind::Manual;
    return named;
  }
  if (sharding.rank() == 0 && sharding.empty_axes() && manual.empty()) return named;
  UnresolvedSharding spelled = spell(sharding);
  for (UnresolvedDim& dim : spelled.dims) dim.priority.reset();
  named.dims = std::move(spelled.dims);
  named.replicated = std::move(spelled.replicated);
  named.unreduced = std::move(spelled.unreduced);
  named.manual = manual;
  named.reduction_op = spelled.reduction_op;
  return named;
}

}  // namespace shardy
#endif  // SHARDY_BODIES
