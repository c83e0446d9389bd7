// Any text in any place of a module that carries shardings is an error or a program, which every
// form in which it can be written gives back. The first byte chooses the place. Spec: interop 5
// to 7.
#include <array>
#include <cstdint>
#include <shardy/ir/verify.hpp>
#include <shardy/passes/pipeline.hpp>
#include <shardy/text/mlir.hpp>
#include <string>
#include <string_view>

#include "fuzz/check.hpp"

namespace {

using namespace shardy;
using passes::ExportForm;

/// All forms of shardings, with texts that are right; one of them is replaced.
constexpr std::string_view kProgram = R"(
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "@0"}, mhlo.num_partitions = 8 : i32} {
  func.func @main(%arg0: tensor<8x4xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "@1"}, mhlo.sharding = "@2"}, %arg1: tensor<8x4xf32> {mhlo.sharding = "@3"}) -> (tensor<8x4xf32>, tensor<8x4xf32> {mhlo.sharding = "@4"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.frontend_attributes = {xla.sdy.sharding = "@5"}, mhlo.sharding = "@6"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    stablehlo.custom_call @xla.sdy.ShardingGroup(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "@7"}} : (tensor<8x4xf32>) -> ()
    %1 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.allowed_direction = "@8"}} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %2 = stablehlo.add %1, %1 {mhlo.frontend_attributes = {xla.sdy.sharding_rule = "@9"}, mhlo.sharding = "@10"} : tensor<8x4xf32>
    %3 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%2) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.in_shardings = "@11", xla.sdy.manual_axes = "@12"}} : (tensor<8x4xf32>) -> tensor<4x4xf32>
    %4 = call @xla.sdy.manual_computation_body(%3) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %5 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%4) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.manual_axes = "@12", xla.sdy.out_shardings = "@13"}} : (tensor<4x4xf32>) -> tensor<8x4xf32>
    %6 = stablehlo.custom_call @Sharding(%arg1) {backend_config = "@14", mhlo.sharding = "@15"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %7:2 = stablehlo.optimization_barrier {mhlo.sharding = "@16"} %5, %6 : tensor<8x4xf32>, tensor<8x4xf32>
    %8 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%7#0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "@17"}} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %8, %7#1 : tensor<8x4xf32>, tensor<8x4xf32>
  }
  func.func private @xla.sdy.manual_computation_body(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
    return %arg0 : tensor<4x4xf32>
  }
}
)";

constexpr std::array<std::string_view, 18> kTexts = {
    R"({mesh = #sdy.mesh<["x"=2, "y"=4]>})",
    R"(#sdy.sharding<@mesh, [{"x"}, {?}p1]>)",
    "{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
    "{mesh['x'=2,'y'=4], [{'x'}, {'y', ?}]}",
    "{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
    R"(#sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>)",
    "{devices=[2,4]<=[8]}",
    "12 : i64",
    "2 : i32",
    "#sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=4}>",
    "{devices=[4,2]<=[2,4]T(1,0)}",
    R"(#sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>)",
    R"(#sdy<manual_axes{"x"}>)",
    R"(#sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>]>)",
    "unspecified_dims=[0,1]",
    "{replicated}",
    "{{replicated}, {devices=[8,1]0,1,2,3,4,5,6,7}}",
    R"(#sdy.sharding_per_value<[<@mesh, [{"x", "y"}, {}]>]>)"};

/// As MLIR writes a string.
std::string quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string written;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    written += '\\';
    written += kHex[byte / 16];
    written += kHex[byte % 16];
  }
  return written;
}

/// The program with that text at that place.
std::string program(std::size_t place, std::string_view text) {
  std::string made;
  std::size_t at = 0;
  while (at < kProgram.size()) {
    const bool is_slot = kProgram[at] == '"' && kProgram[at + 1] == '@';
    if (!is_slot) {
      made += kProgram[at++];
      continue;
    }
    at += 2;
    std::size_t number = 0;
    while (kProgram[at] != '"') {
      number = 10 * number + static_cast<std::size_t>(kProgram[at++] - '0');
    }
    made += '"' + quoted(number == place ? text : kTexts[number]) + '"';
    ++at;
  }
  return made;
}

std::string first_of(const Diagnostics& errors) {
  return errors.empty() ? std::string() : errors.front().headline();
}

void check_form(const ir::Module& module, ExportForm form, std::string_view text) {
  ir::Module other = module;
  const auto lost = passes::export_shardings(other, form);
  if (!lost) {
    fuzz::check(!first_of(lost.error()).empty(), "an error of the export has a message", text);
    return;
  }
  const std::string written = text::to_mlir(other);
  auto read = text::parse_mlir(written);
  fuzz::check(read.has_value(), "what is exported is read", written);
  const auto counts = passes::import_shardings(*read);
  // Lists of devices may have no mesh in common.
  if (form == ExportForm::Gspmd && !counts) return;
  fuzz::check(counts.has_value(), "what is exported is imported", written);
  fuzz::check(ir::verify(*read).empty(), "what is imported verifies", written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  if (all.empty()) return 0;
  constexpr std::array<ExportForm, 4> kForms = {ExportForm::Gspmd, ExportForm::GspmdNamed,
                                                ExportForm::RoundTrip, ExportForm::RoundTripNamed};
  const std::size_t choice = static_cast<unsigned char>(all[0]);
  const std::size_t place = choice % kTexts.size();
  const std::string text = program(place, all.substr(1));
  auto module = text::parse_mlir(text);
  if (!module) return 0;  // invalid programs are tested by the fuzz target of the reader
  const auto counts = passes::import_shardings(*module);
  if (!counts) {
    fuzz::check(!first_of(counts.error()).empty(), "an error has a message", text);
    return 0;
  }
  fuzz::check(ir::verify(*module).empty(), "what is imported verifies", text);
  check_form(*module, kForms[choice / kTexts.size() % kForms.size()], text);
  return 0;
}
