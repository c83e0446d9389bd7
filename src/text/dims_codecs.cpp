// Dim numbers of structured ops in MLIR text and JSON. Spec: stablehlo 8, 9.

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "text/attribute_codec.hpp"
#include "text/dim_numbers.hpp"
#include "text/json_attribute.hpp"
#include "text/json_writer.hpp"
#include "text/mlir_attribute_reader.hpp"
#include "text/mlir_printer.hpp"

namespace shardy::text {

namespace {

using ir::Attribute;

// ---- JSON --------------------------------------------------------------------------------------

template <class T>
Result<Attribute> read_dim_numbers(JsonNode node, const AttributeSlot&, const AttributeContext&) {
  std::vector<std::string_view> names;
  names.reserve(std::size(DimNumbers<T>::kMembers));
  for (const auto& member : DimNumbers<T>::kMembers) names.push_back(member.name);
  SHARDY_TRY_STATUS(expect_object(node, DimNumbers<T>::kName, names));
  T dims;
  for (const auto& member : DimNumbers<T>::kMembers) {
    const std::optional<JsonNode> value = node.find(member.name);
    if (value && member.list) {
      SHARDY_TRY(dims.*member.list, read_integers(*value, member.name));
    } else if (value) {
      SHARDY_TRY(dims.*member.number, read_integer(*value, member.name));
    }
  }
  return dims;
}

template <class T>
void write_dim_numbers(const JsonSink& to, const T& dims) {
  to.writer.begin_object();
  for (const auto& member : DimNumbers<T>::kMembers) {
    if (member.number) to.writer.key(member.name).integer(dims.*member.number);
    if (member.list && !(dims.*member.list).empty()) {
      write_integers(to.writer.key(member.name), dims.*member.list);
    }
  }
  to.writer.end_object();
}

// ---- MLIR text: printing -----------------------------------------------------------------------

/// Prints `#stablehlo.gather<` or a similar word, and the members that are not zero.
template <class T>
void print_members(const MlirSink& to, const T& dims, std::string_view word = {}) {
  to.out.append("#").append(DimNumbers<T>::kMnemonic).append("<").append(word);
  bool is_first = true;
  for (const auto& member : DimNumbers<T>::kMembers) {
    const bool is_empty = member.list ? (dims.*member.list).empty() : dims.*member.number == 0;
    if (is_empty) continue;
    if (!is_first) to.out += ", ";
    is_first = false;
    to.out.append(member.mlir_name).append(" = ");
    if (member.list) {
      to.print.integers(dims.*member.list);
    } else {
      to.out += std::to_string(dims.*member.number);
    }
  }
  to.out += '>';
}

template <class T>
void print_dims(const MlirSink& to, const T& dims) {
  print_members(to, dims);
}

void print_dot(const MlirSink& to, const ir::DotDims& dims) {
  if (to.row == nullptr) return print_members(to, dims);
  const auto pair = [&](const std::vector<int64_t>& lhs, const std::vector<int64_t>& rhs) {
    to.print.integers(lhs);
    to.out += " x ";
    to.print.integers(rhs);
  };
  if (!dims.lhs_batch.empty() || !dims.rhs_batch.empty()) {
    to.out += "batching_dims = ";
    pair(dims.lhs_batch, dims.rhs_batch);
    to.out += ", ";
  }
  to.out += "contracting_dims = ";
  pair(dims.lhs_contracting, dims.rhs_contracting);
}

/// Checks whether each dim of each tensor has exactly one role, so that the bracket form is
/// complete.
bool has_places(const ir::ConvolutionDims& dims) {
  return std::ranges::all_of(kConvolutionSides, [&](const ConvolutionSide& side) {
    std::vector<int64_t> places = dims.*side.spatial;
    for (const auto member : side.dims) places.push_back(dims.*member);
    std::ranges::sort(places);
    for (std::size_t place = 0; place < places.size(); ++place) {
      if (places[place] != static_cast<int64_t>(place)) return false;
    }
    return true;
  });
}

void print_convolution(const MlirSink& to, const ir::ConvolutionDims& dims) {
  if (!has_places(dims)) return print_members(to, dims, "raw ");
  to.out += "#stablehlo.conv<";
  to.print.convolution_dims(dims);
  to.out += '>';
}

// ---- MLIR text: reading ------------------------------------------------------------------------

/// Reads `name = [1, 2], other = 3` up to `>`. Members may have any order; each occurs at most
/// once. A comma may follow the last one, as in StableHLO's parser.
template <class T>
std::optional<Attribute> read_members(MlirAttributeReader& reader) {
  MlirCursor& cursor = reader.cursor();
  T dims;
  std::vector<std::string_view> seen;
  if (cursor.peek() == '>') return Attribute(std::move(dims));
  do {
    const std::size_t begin = cursor.position();
    const std::string_view name = cursor.ident();
    const auto& members = DimNumbers<T>::kMembers;
    const auto* const member = std::ranges::find(members, name, &DimsMember<T>::mlir_name);
    if (member == members.end()) {
      cursor.fail(begin, "unexpected field '" + std::string(name) + "'");
      return std::nullopt;
    }
    if (std::ranges::find(seen, name) != seen.end()) {
      cursor.fail(begin, "duplicated `" + std::string(name) + "` entry");
      return std::nullopt;
    }
    seen.push_back(member->mlir_name);
    if (!cursor.expect('=')) return std::nullopt;
    if (member->list) {
      std::optional<std::vector<int64_t>> list = reader.integer_list();
      if (!list) return std::nullopt;
      dims.*member->list = *std::move(list);
    } else {
      const std::optional<int64_t> value = cursor.integer();
      if (!value) return std::nullopt;
      dims.*member->number = *value;
    }
  } while (cursor.eat(',') && cursor.peek() != '>');
  return Attribute(std::move(dims));
}

/// Reads `batching_dims = [0] x [0], contracting_dims = [2] x [1]`.
std::optional<Attribute> read_bare_dot(MlirAttributeReader& reader,
                                       const AttributeDefinition& /*row*/) {
  MlirCursor& cursor = reader.cursor();
  if (const Attribute* const recent = reader.recent_dots().eat(cursor)) return *recent;
  const std::size_t begin = cursor.position();
  ir::DotDims dims;
  const auto read_pair = [&](std::vector<int64_t>& lhs, std::vector<int64_t>& rhs) {
    if (!cursor.expect('=')) return false;
    std::optional<std::vector<int64_t>> left = reader.integer_list();
    if (!left || !cursor.expect('x')) return false;
    std::optional<std::vector<int64_t>> right = reader.integer_list();
    if (!right) return false;
    lhs = *std::move(left);
    rhs = *std::move(right);
    return true;
  };
  if (cursor.eat_word("batching_dims")) {
    if (!read_pair(dims.lhs_batch, dims.rhs_batch) || !cursor.expect(',')) return std::nullopt;
  }
  if (!cursor.expect("contracting_dims") ||
      !read_pair(dims.lhs_contracting, dims.rhs_contracting)) {
    return std::nullopt;
  }
  Attribute attribute(std::move(dims));
  reader.recent_dots().add(cursor.slice(begin), attribute);
  return attribute;
}

/// Reads one bracket such as `[b, 0, 1, f]`.
bool read_convolution_side(MlirAttributeReader& reader, ir::ConvolutionDims& dims, int side_index) {
  MlirCursor& cursor = reader.cursor();
  const ConvolutionSide& side = kConvolutionSides[static_cast<std::size_t>(side_index)];
  const std::size_t begin = cursor.position();
  if (!cursor.expect('[')) return false;
  std::vector<std::pair<int64_t, int64_t>> spatial;
  std::array<int64_t, 2> found = {-1, -1};
  int64_t dim = 0;
  do {
    if (cursor.at_integer()) {
      const std::optional<int64_t> number = cursor.integer();
      if (!number) return false;
      spatial.emplace_back(*number, dim++);
      continue;
    }
    const std::size_t at = cursor.position();
    const std::string_view letter = cursor.ident();
    const auto* const which = std::ranges::find(side.letters, letter);
    if (which == side.letters.end()) {
      return cursor.fail(at, "expected a dimension number, '" + std::string(side.letters[0]) +
                                 "' or '" + std::string(side.letters[1]) + "'");
    }
    found[static_cast<std::size_t>(which - side.letters.begin())] = dim++;
  } while (cursor.eat(','));
  if (!cursor.expect(']')) return false;
  std::ranges::sort(spatial);
  for (std::size_t index = 0; index < spatial.size(); ++index) {
    if (spatial[index].first != static_cast<int64_t>(index)) {
      return cursor.fail(begin,
                         "expected spatial dimensions " + std::to_string(index) + " not found");
    }
    (dims.*side.spatial).push_back(spatial[index].second);
  }
  for (std::size_t index = 0; index < 2; ++index) {
    if (found[index] < 0) {
      return cursor.fail(begin, "expected dimension '" + std::string(side.letters[index]) + "'");
    }
    dims.*side.dims[index] = found[index];
  }
  return true;
}

std::optional<Attribute> read_convolution(MlirAttributeReader& reader) {
  MlirCursor& cursor = reader.cursor();
  if (cursor.eat_word("raw")) return read_members<ir::ConvolutionDims>(reader);
  ir::ConvolutionDims dims;
  if (!read_convolution_side(reader, dims, 0) || !cursor.expect('x') ||
      !read_convolution_side(reader, dims, 1) || !cursor.expect("->") ||
      !read_convolution_side(reader, dims, 2)) {
    return std::nullopt;
  }
  return Attribute(std::move(dims));
}

std::optional<Attribute> read_bare_convolution(MlirAttributeReader& reader,
                                               const AttributeDefinition& /*row*/) {
  return read_convolution(reader);
}

// ---- The rows ----------------------------------------------------------------------------------

template <class T>
constexpr JsonCodec kJson{&read_dim_numbers<T>, kHeld<&write_dim_numbers<T>>};

template <class T>
constexpr MlirCodec kMlir{kHeld<&print_dims<T>>, nullptr, DimNumbers<T>::kMnemonic,
                          &read_members<T>};

constexpr AttributeCodec kDimsCodecs[] = {
    codec(AttributeKind::DotDims, "dot", kJson<ir::DotDims>,
          {kHeld<&print_dot>, &read_bare_dot, DimNumbers<ir::DotDims>::kMnemonic,
           &read_members<ir::DotDims>}),
    codec(AttributeKind::RaggedDotDims, "ragged_dot", kJson<ir::RaggedDotDims>,
          kMlir<ir::RaggedDotDims>),
    codec(AttributeKind::GatherDims, "gather", kJson<ir::GatherDims>, kMlir<ir::GatherDims>),
    codec(AttributeKind::ScatterDims, "scatter", kJson<ir::ScatterDims>, kMlir<ir::ScatterDims>),
    codec(AttributeKind::ConvolutionDims, "convolution", kJson<ir::ConvolutionDims>,
          {kHeld<&print_convolution>, &read_bare_convolution,
           DimNumbers<ir::ConvolutionDims>::kMnemonic, &read_convolution},
          {.bare_only = true}),
};

}  // namespace

std::span<const AttributeCodec> dims_codecs() { return kDimsCodecs; }

}  // namespace shardy::text
