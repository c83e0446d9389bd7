// Converts GSPMD shardings to sdy shardings on one common mesh. Spec: interop 5.
//
//   module of mhlo.sharding texts                  sdy.mesh @mesh = <["_axis_0"=2, "_axis_1"=2]>
//   "{devices=[2,2]<=[4]}"                    ->   <@mesh, [{"_axis_0"}, {"_axis_1"}]>
//   "{devices=[1,4]<=[4]}"                    ->   <@mesh, [{}, {"_axis_0", "_axis_1"}]>
//   "{maximal device=1}"                      ->   <@single_device_1, []>
#include <algorithm>
#include <set>
#include <utility>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/interop/imports.hpp"
#include "shardy/algebra/detail/hlo_mesh.hpp"
#include "shardy/algebra/hlo_conversion.hpp"
#include "shardy/algebra/hlo_sharding.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/type_shape.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::passes {

namespace {

std::string of_place(const Module& module, const AttributePlace& place) {
  return std::string(kMhloShardingAttr) + " of " + place_text(module, place);
}

/// The default mesh name in JAX.
constexpr std::string_view kMeshName = ir::attr::kMesh;

std::size_t values_at(const Module& module, const AttributePlace& place) {
  return place.kind == AttributePlace::Kind::Op ? module.num_results(place.op) : 1;
}

}  // namespace

bool LeafReader::is_replicated(const HloLeaf& leaf) {
  const auto* hlo = std::get_if<HloSharding>(&leaf);
  return hlo != nullptr && hlo->kind() == HloSharding::Kind::Replicated && !hlo->group();
}

// ---- Collecting ---------------------------------------------------------------------------------

Result<const HloLeaves*> LeafReader::parse(const AttributePlace& place, const std::string& text) {
  const auto found = parsed_.find(text);
  if (found != parsed_.end()) return &found->second;
  Result<HloLeaves> leaves = parse_hlo_leaves(text);
  if (!leaves) {
    const std::string at =
        leaves.error().location.empty() ? "" : " at " + leaves.error().location.text();
    const bool is_noise = leaves.error().message.starts_with("neither");
    return fail_at_place(module_, place,
                         of_place(module_, place) + (is_noise ? " is " : ": ") +
                             leaves.error().message + at + " in " + in_quotes(text));
  }
  return &parsed_.emplace(text, *std::move(leaves)).first->second;
}

Result<std::optional<std::vector<HloLeaf>>> LeafReader::leaves_at(const AttributePlace& place) {
  const ir::Attribute* attribute = mhlo_sharding(attributes_at(std::as_const(module_), place));
  if (attribute == nullptr) return std::nullopt;
  const auto* text = attribute->as<std::string>();
  if (text == nullptr) {
    return fail_at_place(module_, place, of_place(module_, place) + " is not a string");
  }
  SHARDY_TRY(const HloLeaves* read, parse(place, *text));
  const std::size_t count = values_at(module_, place);
  std::vector<HloLeaf> leaves = read->leaves;
  if (!read->is_tuple && count > 1) leaves.resize(count, leaves.front());
  if (leaves.size() == std::max<std::size_t>(count, 1)) return leaves;
  return fail_at_place(module_, place,
                       std::string(kMhloShardingAttr) + " on " + place_text(module_, place) +
                           " has " + std::to_string(leaves.size()) + " leaves for " +
                           std::to_string(count) + " results in " + in_quotes(*text));
}

void LeafReader::note_leaf(const AttributePlace& place, const HloLeaf& leaf) {
  if (const auto* named = std::get_if<NamedHloSharding>(&leaf)) {
    found_named_ = true;
    num_named_devices_ =
        std::max({num_named_devices_, named->mesh.num_devices(), named->device.value_or(0) + 1});
    return;
  }
  const auto& hlo = std::get<HloSharding>(leaf);
  if (hlo.kind() == HloSharding::Kind::Maximal) single_.emplace(hlo.device(), std::string());
  if (hlo.kind() != HloSharding::Kind::Tiled || hlo.devices().num_devices() == 1) return;
  arrays_.push_back(hlo.devices());
  array_places_.push_back(place);
}

Status LeafReader::collect() {
  std::set<const HloLeaves*> known;
  std::set<DeviceArray> arrays;
  for (const AttributePlace& place : all_places(module_)) {
    const ir::Attribute* attribute = mhlo_sharding(attributes_at(std::as_const(module_), place));
    if (attribute == nullptr) continue;
    ++num_texts_;
    SHARDY_TRY(const auto leaves, leaves_at(place));
    const auto* text = attribute->as<std::string>();
    if (!leaves || text == nullptr || !known.insert(&parsed_.at(*text)).second) continue;
    for (const HloLeaf& leaf : *leaves) {
      const auto* hlo = std::get_if<HloSharding>(&leaf);
      const bool is_tiled = hlo != nullptr && hlo->kind() == HloSharding::Kind::Tiled;
      if (is_tiled && !arrays.insert(hlo->devices()).second) continue;
      note_leaf(place, leaf);
    }
  }
  return {};
}

// ---- The mesh -----------------------------------------------------------------------------------

/// Returns a mesh of the program whose axes can express all device arrays; std::nullopt if none
/// exists.
std::optional<MeshRef> LeafReader::declared_mesh() const {
  for (const OpId op : module_.meshes()) {
    const auto* mesh = module_.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr || mesh->is_maximal() || mesh->empty()) continue;
    const MeshRef ref{*mesh, std::string(module_.symbol_name(op))};
    const bool fits = std::ranges::all_of(arrays_, [&](const DeviceArray& array) {
      const auto hlo = HloSharding::tiled(array);
      return hlo && import_hlo_onto(*hlo, array.tile().size(), ref).has_value();
    });
    if (fits && (!arrays_.empty() || mesh->num_devices() > 1)) return ref;
  }
  return std::nullopt;
}

Status LeafReader::check_counts() const {
  const ir::Attribute* attribute = module_.module_attributes().find(kNumPartitionsAttr);
  const auto* number = attribute != nullptr ? attribute->as<ir::IntegerAttr>() : nullptr;
  if (number == nullptr || number->value <= 1 || arrays_.empty()) return {};
  const int64_t count = arrays_[0].num_devices();
  if (count == number->value) return {};
  return fail_at_place(module_, array_places_[0],
                       place_text(module_, array_places_[0]) + " shards over " +
                           std::to_string(count) + " devices, " + std::string(kNumPartitionsAttr) +
                           " is " + std::to_string(number->value));
}

Status LeafReader::find_mesh() {
  const auto mesh = common_hlo_mesh(arrays_);
  if (mesh) {
    add_mesh(*mesh);
    return {};
  }
  using Kind = HloMeshConflict::Kind;
  const HloMeshConflict& conflict = mesh.error();
  const AttributePlace& first = array_places_[conflict.first];
  const AttributePlace& second = array_places_[conflict.second];
  const std::string one = place_text(module_, first);
  const std::string two = place_text(module_, second);
  std::string message;
  if (conflict.kind == Kind::Counts) {
    message = one + " shards over " + std::to_string(arrays_[conflict.first].num_devices()) +
              " devices, " + two + " over " +
              std::to_string(arrays_[conflict.second].num_devices());
  } else if (conflict.kind == Kind::Sizes) {
    message = "no common mesh: " + one + " splits " + std::to_string(arrays_[0].num_devices()) +
              " devices as " + conflict.first_sizes + ", " + two + " as " + conflict.second_sizes;
  } else {
    message = "device lists of " + one + " and " + two + " fit no common mesh";
  }
  Error error{.message = std::move(message),
              .location = module_.source_location(second.op),
              .subject = subject_of(first.op == second.op ? first : second)};
  for (const std::size_t index : {conflict.first, conflict.second}) {
    const ir::Attribute* text =
        mhlo_sharding(attributes_at(std::as_const(module_), array_places_[index]));
    error.notes.push_back(place_text(module_, array_places_[index]) + " " +
                          module_.location_text(array_places_[index].op) + ": " +
                          *text->as<std::string>());
  }
  return tl::unexpected(std::move(error));
}

void LeafReader::add_mesh(const Mesh& mesh) {
  SymbolTable symbols(module_);
  const std::string name = symbols.unique_name(kMeshName);
  insert_mesh(module_, OpId(), name, mesh);
  mesh_ = MeshRef{mesh, name};
}

void LeafReader::add_maximal_meshes() {
  SymbolTable symbols(module_);
  OpId last;
  for (const OpId op : module_.meshes()) last = op;
  for (const OpId op : module_.meshes()) {
    const auto* mesh = module_.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr || !mesh->is_maximal()) continue;
    const auto own = single_.find(*mesh->maximal_device_id());
    if (own != single_.end()) own->second = std::string(module_.symbol_name(op));
  }
  for (auto& [device, name] : single_) {
    if (!name.empty()) continue;
    name = symbols.unique_name("single_device_" + std::to_string(device));
    last = insert_mesh(module_, last, name, Mesh::maximal(device).value_or(Mesh()));
  }
}

/// Detects programs with one partition, the default. Their only device has all values, so values
/// are replicated. Spec: interop 5.4.
void LeafReader::find_partitions() {
  const ir::Attribute* attribute = module_.module_attributes().find(kNumPartitionsAttr);
  const auto* number = attribute != nullptr ? attribute->as<ir::IntegerAttr>() : nullptr;
  const bool names_others =
      num_named_devices_ > 1 || (!single_.empty() && single_.rbegin()->first > 0);
  const bool is_one = (number == nullptr || number->value == 1) && !names_others;
  has_one_partition_ = is_one && arrays_.empty() && !mesh_;
  if (has_one_partition_) single_.erase(0);
}

Status LeafReader::choose_mesh() {
  SHARDY_TRY_STATUS(check_counts());
  mesh_ = declared_mesh();
  find_partitions();
  if (!mesh_ && !arrays_.empty()) {
    SHARDY_TRY_STATUS(find_mesh());
  }
  if (!mesh_ && !found_named_ && num_texts_ > 0) {
    const ir::Attribute* attribute = module_.module_attributes().find(kNumPartitionsAttr);
    const auto* number = attribute != nullptr ? attribute->as<ir::IntegerAttr>() : nullptr;
    std::vector<MeshAxis> axes;
    if (number != nullptr && number->value > 1) axes.push_back({"_axis_0", number->value});
    add_mesh(Mesh::make(std::move(axes)).value_or(Mesh()));
  }
  add_maximal_meshes();
  return {};
}

// ---- Meaning ------------------------------------------------------------------------------------

MeshRef LeafReader::maximal(int64_t device) const {
  const auto found = single_.find(device);
  std::optional<std::string> name;
  if (found != single_.end() && !found->second.empty()) name = found->second;
  return {Mesh::maximal(device).value_or(Mesh()), std::move(name)};
}

Result<LeafSharding> LeafReader::read_devices(const HloSharding& hlo, const ir::Type& type) const {
  using Kind = HloSharding::Kind;
  const std::size_t rank = ir::sharding_rank(type);
  LeafSharding read{.sharding = TensorSharding::fully_closed(Mesh(), std::nullopt, 0),
                    .manual = {},
                    .group = hlo.group()};
  const MeshRef mesh = mesh_.value_or(MeshRef());
  if (hlo.kind() == Kind::Maximal) {
    const bool is_only = is_only_device(hlo.device());
    const MeshRef where = is_only ? mesh : maximal(hlo.device());
    read.sharding = TensorSharding::fully_closed(where.mesh, where.name, is_only ? rank : 0);
    return read;
  }
  if (hlo.kind() == Kind::Unknown) {
    read.sharding = TensorSharding::fully_open(mesh.mesh, mesh.name, rank);
    read.is_unknown = true;
    return read;
  }
  const bool wants_axes = hlo.kind() == Kind::Manual || hlo.kind() == Kind::Unreduced;
  if (wants_axes && mesh.mesh.num_devices() == 1) return fail("the module lists no devices");
  if (hlo.kind() == Kind::Tiled && hlo.tiled_rank() != rank) {
    return fail("has rank " + std::to_string(rank) + ", its sharding tiles " +
                std::to_string(hlo.tiled_rank()) + " dims");
  }
  const bool is_whole = hlo.kind() == Kind::Tiled && hlo.devices().num_devices() == 1;
  SHARDY_TRY(HloLayout layout,
             import_hlo_onto(is_whole ? HloSharding() : without_extras(hlo), rank, mesh));
  SHARDY_TRY(const ReductionOp reduction, reduction_of_metadata(hlo));
  read.sharding = std::move(layout.sharding);
  if (reduction != ReductionOp::Sum && !read.sharding.unreduced_axes().empty()) {
    read.sharding = read.sharding.with_unreduced(read.sharding.unreduced_axes(), reduction);
  }
  read.manual = std::move(layout.manual);
  return read;
}

Result<LeafSharding> LeafReader::read_named(const NamedHloSharding& named,
                                            const ir::Type& type) const {
  const std::size_t rank = ir::sharding_rank(type);
  LeafSharding read{.sharding = TensorSharding::fully_closed(Mesh(), std::nullopt, rank),
                    .manual = {},
                    .group = {}};
  if (named.device && is_only_device(*named.device)) {
    const MeshRef mesh = mesh_.value_or(MeshRef());
    read.sharding = TensorSharding::fully_closed(mesh.mesh, mesh.name, rank);
    return read;
  }
  if (named.device) {
    const MeshRef mesh = maximal(*named.device);
    read.sharding = TensorSharding::fully_closed(mesh.mesh, mesh.name, 0);
    return read;
  }
  UnresolvedSharding unresolved{.mesh = named.mesh, .dims = {}};
  unresolved.replicated = named.replicated;
  unresolved.unreduced = named.unreduced;
  unresolved.reduction_op = named.reduction_op;
  if (named.dims) {
    unresolved.dims = *named.dims;
  } else {
    unresolved.dims.resize(rank, UnresolvedDim{{}, true, std::nullopt});
  }
  const bool is_word = !named.dims;
  for (const MeshAxis& axis : named.mesh.axes()) {
    if (!is_word) break;
    if (named.word == HloDimKind::Unreduced)
      unresolved.unreduced.push_back({axis.name, std::nullopt});
    if (named.word == HloDimKind::Manual) read.manual.push_back(axis.name);
  }
  for (const UnresolvedAxisRef& axis : named.manual) {
    if (axis.sub)
      return fail("manual axes must be full mesh axes, not sub-axes, got: '" + axis.name + "'");
    read.manual.push_back(axis.name);
  }
  const ir::TypeShape shape(type);
  SHARDY_TRY(read.sharding, resolve(unresolved, named.mesh, shape.view()));
  return read;
}

Result<LeafSharding> LeafReader::read(const AttributePlace& place, const HloLeaf& leaf,
                                      const ir::Type& type) const {
  const auto* hlo = std::get_if<HloSharding>(&leaf);
  Result<LeafSharding> sharding = hlo != nullptr
                                      ? read_devices(*hlo, type)
                                      : read_named(std::get<NamedHloSharding>(leaf), type);
  if (sharding) return sharding;
  const std::string text =
      hlo != nullptr ? to_string(*hlo) : to_string(std::get<NamedHloSharding>(leaf));
  return fail_at_place(
      module_, place,
      (sharding.error().message.starts_with("has rank") ? place_text(module_, place) + " "
                                                        : of_place(module_, place) + ": ") +
          sharding.error().message + " in " + in_quotes(text));
}

}  // namespace shardy::passes
