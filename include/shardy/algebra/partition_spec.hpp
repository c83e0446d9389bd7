#pragma once

#include <cstddef>
#include <optional>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy {

/// Converts a JAX PartitionSpec to a sharding of a tensor of `rank` dims. Each entry has the axis
/// names of one dim, major first; names may be sub-axes, `x:(1)2`. `"?"` at the end of an entry
/// makes the dim open. Dims without an entry have no axes. Spec: algebra 12.2.
///
/// Errors: `partition spec has <n> entries, the tensor has rank <r>`, `"?" must come last in entry
/// <i> of a partition spec`. Example: `{{"x"}, {}, {"y", "z"}}` is `[{"x"}, {}, {"y", "z"}]`.
Result<UnresolvedSharding> sharding_of_partition_spec(
    std::span<const std::vector<std::string>> entries, std::size_t rank, MeshOrRef mesh);

/// Checks whether the text of a sharding includes its mesh: `<@mesh, [{"x"}]>`.
bool names_mesh(std::string_view text);

/// Parses a sharding in any notation: dims `[{"x"}, {}]`, a PartitionSpec `P("x", None)`, or JSON
/// `[["x"], null]`; each optionally followed by clauses such as `replicated={"y"}`. The text may
/// include the mesh, `<@mesh, ...>`; otherwise the sharding is on `mesh`. In PartitionSpec and JSON
/// notation, missing dims up to `rank` have no axes. Errors: any other text, with line:column.
/// Spec: algebra 12.3.
Result<UnresolvedSharding> parse_any_sharding(std::string_view text, const MeshOrRef& mesh,
                                              std::optional<std::size_t> rank = std::nullopt);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <shardy/algebra/detail/text_form.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/scanner.hpp>
#include <utility>

namespace shardy::detail {

/// Returns the axis ref of `x` or `x:(1)2`. Text after the last `:(` is a sub-axis if it has that
/// form, else a part of the name.
SHARDY_INLINE UnresolvedAxisRef axis_ref_of_spec(std::string_view text) {
  const std::size_t colon = text.rfind(":(");
  if (colon == std::string_view::npos) return {std::string(text), std::nullopt};
  Scanner scanner(text.substr(colon + 1));
  const Result<SubAxis> sub = read_sub_axis(scanner);
  if (!sub || !scanner.at_end()) return {std::string(text), std::nullopt};
  return {std::string(text.substr(0, colon)), *sub};
}

SHARDY_INLINE Result<UnresolvedDim> dim_of_spec(std::span<const std::string> names,
                                                std::size_t dim) {
  UnresolvedDim result{{}, true, std::nullopt};
  for (const std::string& name : names) {
    if (!result.is_closed) {
      return fail("\"?\" must come last in entry " + std::to_string(dim) + " of a partition spec");
    }
    if (name == "?") {
      result.is_closed = false;
    } else {
      result.axes.push_back(axis_ref_of_spec(name));
    }
  }
  return result;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<UnresolvedSharding> sharding_of_partition_spec(
    std::span<const std::vector<std::string>> entries, std::size_t rank, MeshOrRef mesh) {
  if (rank > kMaxRank) return fail(too_many_dims());
  if (entries.size() > rank) {
    return fail("partition spec has " + std::to_string(entries.size()) +
                " entries, the tensor has rank " + std::to_string(rank));
  }
  UnresolvedSharding sharding{std::move(mesh), {}};
  for (std::size_t dim = 0; dim < entries.size(); ++dim) {
    SHARDY_TRY(UnresolvedDim one, detail::dim_of_spec(entries[dim], dim));
    sharding.dims.push_back(std::move(one));
  }
  sharding.dims.resize(rank, UnresolvedDim{{}, true, std::nullopt});
  return sharding;
}

}  // namespace shardy

namespace shardy::detail {

/// Reads `None`, `null` or UNCONSTRAINED; std::nullopt if the text continues with a name or a list.
SHARDY_INLINE std::optional<UnresolvedDim> read_spec_word(Scanner& scanner) {
  if (scanner.eat("None") || scanner.eat("null")) return UnresolvedDim{{}, true, std::nullopt};
  if (scanner.eat("P.UNCONSTRAINED") || scanner.eat("PartitionSpec.UNCONSTRAINED") ||
      scanner.eat('?')) {
    return UnresolvedDim{{}, false, std::nullopt};
  }
  return std::nullopt;
}

/// Reads `'x'` or `"x"`.
SHARDY_INLINE Result<std::string> read_spec_name(Scanner& scanner) {
  if (scanner.peek() != '\'') {
    if (!scanner.at_string()) return scanner.expected("the name of an axis, None or a list");
    return scanner.string();
  }
  const std::size_t begin = scanner.position() + 1;
  const std::size_t end = scanner.text().find('\'', begin);
  if (end == std::string_view::npos) return scanner.error("expected ' at the end of the name");
  scanner.seek(end + 1);
  return std::string(scanner.text().substr(begin, end - begin));
}

/// Reads names up to `close`. A comma may precede `close`, as in `('x',)`.
SHARDY_INLINE Result<std::vector<std::string>> read_spec_names(Scanner& scanner,
                                                               std::string_view close) {
  std::vector<std::string> names;
  while (!scanner.eat(close)) {
    SHARDY_TRY_STATUS(read_into(scanner, names, read_spec_name));
    if (scanner.eat(close)) break;
    if (!scanner.eat(',')) return scanner.expected("',' or '" + std::string(close) + "'");
  }
  return names;
}

SHARDY_INLINE Result<UnresolvedDim> read_spec_dim(Scanner& scanner, std::size_t dim) {
  if (const std::optional<UnresolvedDim> word = read_spec_word(scanner)) return *word;
  const std::size_t start = scanner.position();
  std::vector<std::string> names;
  if (scanner.eat('(')) {
    SHARDY_TRY(names, read_spec_names(scanner, ")"));
  } else if (scanner.eat('[')) {
    SHARDY_TRY(names, read_spec_names(scanner, "]"));
  } else {
    SHARDY_TRY_STATUS(read_into(scanner, names, read_spec_name));
  }
  return dim_of_spec(names, dim).map_error([&](Error error) {
    error.location = scanner.location(start);
    return error;
  });
}

/// Reads `P(`, `PartitionSpec(` or `jax.sharding.PartitionSpec(`.
SHARDY_INLINE bool eat_spec_head(Scanner& scanner) {
  const std::size_t start = scanner.position();
  const Result<std::string_view> word = scanner.ident();
  if (word) {
    const std::string_view last = word->substr(word->rfind('.') + 1);  // npos + 1 is 0
    if ((last == "P" || last == "PartitionSpec") && scanner.eat('(')) return true;
  }
  scanner.seek(start);
  return false;
}

/// Reads `unreduced={'x'}`, the last argument of a PartitionSpec, if present.
SHARDY_INLINE Status read_spec_unreduced(Scanner& scanner, UnresolvedSharding& sharding) {
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY(const std::vector<std::string> names, read_spec_names(scanner, "}"));
  for (const std::string& name : names) sharding.unreduced.push_back(axis_ref_of_spec(name));
  return {};
}

/// Reads dims up to `close`. Returns whether any dim is in PartitionSpec or JSON notation.
SHARDY_INLINE Result<bool> read_any_dims(Scanner& scanner, std::string_view close,
                                         UnresolvedSharding& sharding) {
  bool is_spec = close == ")";
  while (!scanner.eat(close)) {
    if (sharding.dims.size() == kMaxRank) return scanner.error(too_many_dims());
    if (scanner.peek() == '{') {
      SHARDY_TRY_STATUS(read_into(scanner, sharding.dims, read_dim));
    } else if (is_spec && scanner.eat("unreduced")) {
      SHARDY_TRY_STATUS(read_spec_unreduced(scanner, sharding));
    } else {
      is_spec = true;
      SHARDY_TRY(UnresolvedDim dim, read_spec_dim(scanner, sharding.dims.size()));
      sharding.dims.push_back(std::move(dim));
    }
    if (scanner.eat(close)) break;
    if (!scanner.eat(',')) return scanner.expected("',' or '" + std::string(close) + "'");
  }
  return is_spec;
}

/// Reads the dims and clauses of a sharding.
SHARDY_INLINE Status read_any_body(Scanner& scanner, UnresolvedSharding& sharding,
                                   std::optional<std::size_t> rank) {
  const bool is_call = eat_spec_head(scanner);
  if (!is_call && !scanner.eat('[')) return scanner.expected("'[' or 'P('");
  SHARDY_TRY(const bool is_spec, read_any_dims(scanner, is_call ? ")" : "]", sharding));
  if (is_spec && rank && sharding.dims.size() < *rank) {
    sharding.dims.resize(*rank, UnresolvedDim{{}, true, std::nullopt});
  }
  if (sharding.unreduced.empty()) return read_clauses(scanner, sharding);
  return {};
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE bool names_mesh(std::string_view text) {
  Scanner scanner(text);
  return scanner.peek() == '<' || scanner.peek() == '#';
}

SHARDY_INLINE Result<UnresolvedSharding> parse_any_sharding(std::string_view text,
                                                            const MeshOrRef& mesh,
                                                            std::optional<std::size_t> rank) {
  Scanner scanner(text);
  UnresolvedSharding sharding{mesh, {}};
  const bool is_whole = names_mesh(text);
  if (is_whole) {
    if (scanner.peek() == '#' && !scanner.eat("#sdy.sharding")) {
      return parse_value<UnresolvedSharding>(text);
    }
    SHARDY_TRY_STATUS(scanner.expect("<"));
    SHARDY_TRY(sharding.mesh, TextForm<UnresolvedSharding>::read_mesh_or_ref(scanner, nullptr));
    SHARDY_TRY_STATUS(scanner.expect(","));
  }
  SHARDY_TRY_STATUS(detail::read_any_body(scanner, sharding, rank));
  if (is_whole) {
    SHARDY_TRY_STATUS(scanner.expect(">"));
  }
  SHARDY_TRY_STATUS(scanner.expect_end());
  return sharding;
}

SHARDY_INLINE Result<TensorSharding> TensorSharding::parse(const Mesh& mesh, std::string_view text,
                                                           std::optional<std::size_t> rank) {
  SHARDY_TRY(const UnresolvedSharding sharding, parse_any_sharding(text, mesh, rank));
  const auto* own = std::get_if<Mesh>(&sharding.mesh);
  if (own != nullptr && *own != mesh) {
    return fail("the sharding is on " + to_string(*own) + ", not on " + to_string(mesh));
  }
  return resolve(sharding, mesh);
}

}  // namespace shardy
#endif  // SHARDY_BODIES
