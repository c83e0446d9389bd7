// Applies the rewrite rules of the per-device program to random programs. Results must stay equal,
// and no device may send more. Spec: resharding C.8.
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checking/poisoned_run.hpp"
#include "checking/programs.hpp"
#include "checking/stablehlo_forms.hpp"
#include "partitioning/program_rewrites.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using checking::Random;
using shardy_test::load_of;
using shardy_test::run;
using Rewrites = std::vector<passes::CollectiveRewrite>;
using Rule = Rewrites (*)(ir::Module& program);
using Generator = std::string (*)(Random& random);

namespace program_rules_test {
namespace {

std::string number(int64_t value) { return std::to_string(value); }

// ---- Texts of random programs -------------------------------------------------------------------

struct NamedAxes {
  std::string mesh;
  std::vector<std::string> axes;  // each of these axes may shard a dim
};

const NamedAxes& any_mesh(Random& random) {
  static const std::vector<NamedAxes> meshes = {
      {R"("x"=2)", {R"("x")"}},
      {R"("x"=3)", {R"("x")"}},
      {R"("x"=4)", {R"("x")"}},
      {R"("x"=4)", {R"("x":(1)2)", R"("x":(2)2)"}},
      {R"("x"=6)", {R"("x")"}},
      {R"("x"=6)", {R"("x":(1)2)", R"("x":(2)3)"}},
      {R"("x"=8)", {R"("x")"}},
      {R"("x"=1, "y"=2)", {R"("x")", R"("y")"}},
      {R"("x"=2, "y"=3)", {R"("x")", R"("y")"}},
      {R"("x"=2, "y"=2)", {R"("x")", R"("y")"}},
  };
  return random.pick(meshes);
}

/// Returns a random sharding in which each axis shards one dim or none.
std::string any_sharding(Random& random, const NamedAxes& mesh, int64_t rank) {
  std::vector<std::string> dims(static_cast<std::size_t>(rank));
  for (const std::string& axis : mesh.axes) {
    const int64_t dim = random.between(0, rank);
    if (dim == rank) continue;
    std::string& axes = dims[static_cast<std::size_t>(dim)];
    if (axes.empty()) axes = axis;
  }
  std::string text;
  for (const std::string& axes : dims) text += (text.empty() ? "{" : ", {") + axes + "}";
  return "<@mesh, [" + text + "]>";
}

std::string attribute(const std::string& sharding) {
  return " {sdy.sharding = #sdy.sharding" + sharding + "}";
}

/// A part of a step of the loop: the partial value `%p`, whose parts `combiner` combines.
struct Summand {
  std::string ops;
  std::vector<int64_t> dims;
  std::string combiner;
};

std::string tensor(const std::vector<int64_t>& dims, const std::string& element) {
  std::string text = "tensor<";
  for (const int64_t dim : dims) text += number(dim) + "x";
  return text + element + ">";
}

/// Makes a partial value of `%v`, b x k, and `%w`, k x n: a product, or a reduction of a dim of
/// `%v`.
Summand any_summand(Random& random, const std::vector<int64_t>& v, const std::vector<int64_t>& w,
                    const std::string& element) {
  if (random.chance(2)) {
    const std::vector<int64_t> dims = {v[0], w[1]};
    return {"    %p = stablehlo.dot_general %v, %w, contracting_dims = [1] x [0] : (" +
                tensor(v, element) + ", " + tensor(w, element) + ") -> " + tensor(dims, element) +
                "\n",
            dims, "add"};
  }
  const std::vector<std::string> combiners = {"add", "maximum", "minimum"};
  const std::string combiner = random.pick(combiners);
  const bool is_first = random.chance(2);
  const std::vector<int64_t> dims = {is_first ? v[1] : v[0]};
  return {"    %e = stablehlo.constant dense<0> : tensor<" + element + ">\n" +
              "    %p = stablehlo.reduce(%v init: %e) applies stablehlo." + combiner +
              " across dimensions = [" + (is_first ? "0" : "1") + "] : (" + tensor(v, element) +
              ", tensor<" + element + ">) -> " + tensor(dims, element) + "\n",
          dims, combiner};
}

/// A loop that combines a carried value with partial values. The loop has 0 to 4 steps, or a number
/// of steps that an argument gives.
std::string accumulating_loop(Random& random) {
  const NamedAxes& mesh = any_mesh(random);
  const std::string element = random.chance(2) ? "i32" : "f32";
  const std::vector<int64_t> sizes = {1, 2, 3, 4, 5, 6, 8, 12};
  const std::vector<int64_t> v = {random.pick(sizes), random.pick(sizes)};
  const std::vector<int64_t> w = {v[1], random.pick(sizes)};
  Summand summand = any_summand(random, v, w, element);
  if (random.chance(4)) summand.combiner = "maximum";  // a maximum of sums, which stay in the loop
  const auto rank = std::ssize(summand.dims);
  const std::string type = tensor(summand.dims, element);
  const std::string v_type = tensor(v, element);
  const auto constraint = [&](const std::string& name, const std::string& of) {
    return "    " + name + " = sdy.sharding_constraint " + of + " " +
           any_sharding(random, mesh, rank) + " : " + type + "\n";
  };
  const bool is_constant = random.chance(2);
  std::string body = summand.ops + constraint("%q", "%p");
  const bool is_swapped = random.chance(2);
  body += "    %t = stablehlo." + summand.combiner + (is_swapped ? " %q, %s" : " %s, %q") + " : " +
          type + "\n";
  std::string total = "%t";
  if (random.chance(3)) {  // a second link of the same kind
    body += "    %t2 = stablehlo." + summand.combiner + " %t, %q : " + type + "\n";
    total = "%t2";
  }
  const std::string arguments =
      "%a: " + v_type + attribute(any_sharding(random, mesh, 2)) + ", %w: " + tensor(w, element) +
      attribute(any_sharding(random, mesh, 2)) + ", %begin: " + type +
      attribute(any_sharding(random, mesh, rank)) + ", %steps: tensor<i32>";
  const std::string begin = random.chance(2) ? "%begin" : "%zeros";
  return "sdy.mesh @mesh = <[" + mesh.mesh + "]>\nfunc.func @main(" + arguments + ") -> (" + type +
         attribute(any_sharding(random, mesh, rank)) + ") {\n" +
         "  %zero = stablehlo.constant dense<0> : tensor<i32>\n" +
         "  %zeros = stablehlo.constant dense<0> : " + type + "\n" +
         "  %r:3 = stablehlo.while(%i = %zero, %v = %a, %s = " + begin + ") : tensor<i32>, " +
         v_type + ", " + type + "\n  cond {\n    %n = stablehlo.constant dense<" +
         number(random.between(0, 4)) + "> : tensor<i32>\n" +
         "    %c = stablehlo.compare LT, %i, " + (is_constant ? "%n" : "%steps") +
         ", SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" +
         "    stablehlo.return %c : tensor<i1>\n  } do {\n" + body +
         "    %one = stablehlo.constant dense<1> : tensor<i32>\n" +
         "    %j = stablehlo.add %i, %one : tensor<i32>\n" +
         "    %ones = stablehlo.constant dense<1> : " + v_type + "\n" +
         "    %u = stablehlo.add %v, %ones : " + v_type + "\n" + "    stablehlo.return %j, %u, " +
         total + " : tensor<i32>, " + v_type + ", " + type + "\n  }\n  return %r#2 : " + type +
         "\n}\n";
}

/// A loop that combines slices of a value that it does not change. The loop has 0 to 6 steps; the
/// slices begin at the counter.
std::string slicing_loop(Random& random) {
  const NamedAxes& mesh = any_mesh(random);
  const std::string element = random.chance(2) ? "i32" : "f32";
  const std::vector<int64_t> sizes = {2, 3, 4, 6, 8, 12};
  const std::vector<int64_t> whole = {random.pick(sizes), random.pick(sizes)};
  const bool is_first = random.chance(2);
  const std::size_t dim = is_first ? 0 : 1;
  std::vector<int64_t> part = whole;
  part[dim] = random.between(1, whole[dim]);
  const std::string from = tensor(whole, element);
  const std::string type = tensor(part, element);
  const std::string value = random.chance(2) ? "%k" : "%a";  // carried unchanged, or captured
  std::string body;
  std::string total = "%s";
  const int64_t count = random.between(1, 2);
  for (int64_t at = 0; at < count; ++at) {
    const std::string slice = "%p" + number(at);
    const std::string wanted = "%q" + number(at);
    const std::string next = "%t" + number(at);
    const std::string start = at == 0 ? "%i" : "%next";
    body += "    " + slice + " = stablehlo.dynamic_slice " + value + ", " +
            (is_first ? start + ", %zero" : "%zero, " + start) + ", sizes = [" + number(part[0]) +
            ", " + number(part[1]) + "] : (" + from + ", tensor<i32>, tensor<i32>) -> " + type +
            "\n    " + wanted + " = sdy.sharding_constraint " + slice + " " +
            any_sharding(random, mesh, 2) + " : " + type + "\n    " + next + " = stablehlo." +
            (random.chance(2) ? "add " : "maximum ") + total + ", " + wanted + " : " + type + "\n";
    total = next;
  }
  return "sdy.mesh @mesh = <[" + mesh.mesh + "]>\nfunc.func @main(%a: " + from +
         attribute(any_sharding(random, mesh, 2)) + ", %begin: " + type +
         attribute(any_sharding(random, mesh, 2)) + ") -> (" + type +
         attribute(any_sharding(random, mesh, 2)) + ") {\n" +
         "  %zero = stablehlo.constant dense<0> : tensor<i32>\n" +
         "  %one = stablehlo.constant dense<1> : tensor<i32>\n" +
         "  %r:3 = stablehlo.while(%i = %zero, %k = %a, %s = %begin) : tensor<i32>, " + from +
         ", " + type + "\n  cond {\n    %n = stablehlo.constant dense<" +
         number(random.between(0, 6)) +
         "> : tensor<i32>\n    %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, "
         "tensor<i32>) -> tensor<i1>\n    stablehlo.return %c : tensor<i1>\n  } do {\n" +
         "    %next = stablehlo.add %i, %one : tensor<i32>\n" + body +
         "    stablehlo.return %next, %k, " + total + " : tensor<i32>, " + from + ", " + type +
         "\n  }\n  return %r#2 : " + type + "\n}\n";
}

/// The sum of two to four slices of a sharded value. The slices begin at different rows.
std::string sum_of_slices(Random& random) {
  const NamedAxes& mesh = any_mesh(random);
  const std::string element = random.chance(2) ? "i32" : "f32";
  const std::vector<int64_t> sizes = {4, 6, 8, 9, 12, 13, 16};
  const std::vector<int64_t> given = {random.pick(sizes), random.pick(sizes)};
  std::vector<int64_t> dims;
  for (const int64_t size : given) dims.push_back(size - random.between(1, 3));
  const std::string type = tensor(dims, element);
  std::string body;
  std::string sum;
  const int64_t count = random.between(2, 4);
  for (int64_t at = 0; at < count; ++at) {
    std::string bounds;
    for (std::size_t dim = 0; dim < dims.size(); ++dim) {
      const int64_t start = random.between(0, given[dim] - dims[dim]);
      bounds += (bounds.empty() ? "" : ", ") + number(start) + ":" + number(start + dims[dim]);
    }
    const std::string slice = "%s" + number(at);
    body += "  " + slice + " = stablehlo.slice %a [" + bounds + "] : (" + tensor(given, element) +
            ") -> " + type + "\n";
    if (!sum.empty()) {
      const std::string next = "%t" + number(at);
      body += "  " + next + " = stablehlo.add " + sum + ", " + slice + " : " + type + "\n";
      sum = next;
    } else {
      sum = slice;
    }
  }
  const std::string sharding = any_sharding(random, mesh, 2);
  return "sdy.mesh @mesh = <[" + mesh.mesh + "]>\nfunc.func @main(%a: " + tensor(given, element) +
         attribute(sharding) + ") -> (" + type + attribute(sharding) + ") {\n" + body +
         "  return " + sum + " : " + type + "\n}\n";
}

std::string slice_of(const std::string& name, int64_t from, int64_t to, std::size_t dim,
                     const std::vector<int64_t>& given, const std::string& element) {
  std::string bounds;
  std::vector<int64_t> dims = given;
  for (std::size_t each = 0; each < given.size(); ++each) {
    const bool is_cut = each == dim;
    bounds += (bounds.empty() ? "" : ", ") + number(is_cut ? from : 0) + ":" +
              number(is_cut ? to : given[each]);
  }
  dims[dim] = to - from;
  return "  " + name + " = stablehlo.slice %a [" + bounds + "] : (" + tensor(given, element) +
         ") -> " + tensor(dims, element) + "\n";
}

std::string concatenation(const std::vector<std::string>& names, std::size_t dim,
                          const std::vector<std::vector<int64_t>>& parts,
                          const std::string& element) {
  std::vector<int64_t> dims = parts.front();
  dims[dim] = 0;
  std::string operands;
  std::string types;
  for (std::size_t at = 0; at < names.size(); ++at) {
    dims[dim] += parts[at][dim];
    operands += (at == 0 ? "" : ", ") + names[at];
    types += (at == 0 ? "" : ", ") + tensor(parts[at], element);
  }
  return "  %r = stablehlo.concatenate " + operands +
         ", dim = " + number(static_cast<int64_t>(dim)) + " : (" + types + ") -> " +
         tensor(dims, element) + "\n";
}

/// A function of values with one sharding, whose result has the same sharding.
std::string main_function(const std::string& mesh, const std::string& sharding,
                          const std::vector<std::vector<int64_t>>& args, const std::string& body,
                          const std::vector<int64_t>& result, const std::string& element) {
  std::string text;
  for (std::size_t at = 0; at < args.size(); ++at) {
    text += (at == 0 ? "%" : ", %") + std::string(1, static_cast<char>('a' + at)) + ": " +
            tensor(args[at], element) + attribute(sharding);
  }
  return "sdy.mesh @mesh = <[" + mesh + "]>\nfunc.func @main(" + text + ") -> (" +
         tensor(result, element) + attribute(sharding) + ") {\n" + body +
         "  return %r : " + tensor(result, element) + "\n}\n";
}

/// A value whose last elements along `dim` come first.
std::string rolled(const std::string& mesh, const std::string& sharding,
                   const std::vector<int64_t>& dims, std::size_t dim, int64_t distance,
                   const std::string& element) {
  std::vector<int64_t> first = dims;
  std::vector<int64_t> second = dims;
  first[dim] = dims[dim] - distance;
  second[dim] = distance;
  const std::string body = slice_of("%0", distance, dims[dim], dim, dims, element) +
                           slice_of("%1", 0, distance, dim, dims, element) +
                           concatenation({"%0", "%1"}, dim, {first, second}, element);
  return main_function(mesh, sharding, {dims}, body, dims, element);
}

/// A roll, a concatenation of two or three values, or the product of two slices of one value.
std::string moved_parts(Random& random) {
  const NamedAxes& mesh = any_mesh(random);
  const std::string sharding = any_sharding(random, mesh, 2);
  const std::string element = random.chance(2) ? "i32" : "f32";
  const std::vector<int64_t> sizes = {2, 4, 6, 7, 8, 9, 12, 13, 16};
  const std::vector<int64_t> given = {random.pick(sizes), random.pick(sizes)};
  const auto dim = static_cast<std::size_t>(random.between(0, 1));
  const int64_t kind = random.between(0, 2);
  if (kind == 0) {
    return rolled(mesh.mesh, sharding, given, dim, random.between(1, given[dim] - 1), element);
  }
  if (kind == 1) {
    std::vector<std::vector<int64_t>> args;
    std::vector<std::string> names;
    const int64_t count = random.between(2, 3);
    std::vector<int64_t> result = given;
    result[dim] = 0;
    for (int64_t at = 0; at < count; ++at) {
      args.push_back(given);
      if (random.chance(3)) args.back()[dim] = random.pick(sizes);
      result[dim] += args.back()[dim];
      names.push_back("%" + std::string(1, static_cast<char>('a' + at)));
    }
    return main_function(mesh.mesh, sharding, args, concatenation(names, dim, args, element),
                         result, element);
  }
  std::vector<int64_t> part = given;
  part[dim] = given[dim] / 2;
  const int64_t start = random.between(0, given[dim] - part[dim]);
  const std::string body = slice_of("%0", given[dim] - part[dim], given[dim], dim, given, element) +
                           slice_of("%1", start, start + part[dim], dim, given, element) +
                           "  %r = stablehlo.multiply %0, %1 : " + tensor(part, element) + "\n";
  return main_function(mesh.mesh, sharding, {given}, body, part, element);
}

/// A matrix, with a dim of one element before, between or after its dims, whose dims are wanted
/// along each other's axes.
std::string swapped_axes(Random& random) {
  const std::vector<std::pair<int64_t, int64_t>> meshes = {{2, 3}, {3, 2}, {2, 4}, {4, 2}, {3, 4},
                                                           {4, 3}, {3, 3}, {2, 6}, {3, 6}, {2, 2}};
  const auto& [x, y] = random.pick(meshes);
  const std::vector<int64_t> sizes = {x * y, 2 * x * y, 3 * x * y - 1, 25, 12};
  std::vector<int64_t> dims = {random.pick(sizes), random.pick(sizes)};
  std::vector<std::string> from = {R"({"x"})", R"({"y"})"};
  std::vector<std::string> to = {R"({"y"})", R"({"x"})"};
  const int64_t at = random.between(0, 3);
  if (at < 3) {
    dims.insert(dims.begin() + at, 1);
    from.insert(from.begin() + at, "{}");
    to.insert(to.begin() + at, "{}");
  }
  const auto sharding = [](const std::vector<std::string>& axes) {
    std::string text;
    for (const std::string& each : axes) text += (text.empty() ? "" : ", ") + each;
    return attribute("<@mesh, [" + text + "]>");
  };
  const std::string type = tensor(dims, random.chance(2) ? "i32" : "f32");
  return "sdy.mesh @mesh = <[\"x\"=" + number(x) + ", \"y\"=" + number(y) +
         "]>\nfunc.func @main(%a: " + type + sharding(from) + ") -> (" + type + sharding(to) +
         ") {\n  %0 = stablehlo.add %a, %a : " + type + "\n  return %0 : " + type + "\n}\n";
}

Rewrites join_exchanges(ir::Module& program) { return partitioning::join_exchanges(program); }

// ---- Programs before and after a rule -----------------------------------------------------------

struct Bytes {
  int64_t before = 0;
  int64_t after = 0;
};

/// Returns the bytes that the busiest device sends, if the rule applies to the partitioned program.
std::optional<Bytes> bytes_of(Rule rule, const std::string& text, uint64_t seed) {
  INFO(text);
  auto module = text::parse_mlir(text);
  INFO((module ? std::string() : shardy_test::text_of(module.error())));
  REQUIRE(module.has_value());
  checking::CompileOptions options;
  options.collectives.rules = std::vector<std::string>();
  const auto compiled = checking::compile(*module, options);
  INFO((compiled ? std::string() : shardy_test::text_of(compiled.error())));
  REQUIRE(compiled.has_value());
  ir::Module changed = compiled->program;
  const Rewrites rewrites = rule(changed);
  if (rewrites.empty()) return std::nullopt;
  INFO(text::to_mlir(changed));
  const auto errors = ir::verify(changed);
  INFO(shardy_test::text_of(errors));
  REQUIRE(errors.empty());
  const simulation::Tensors inputs = shardy_test::small_integers(*module, seed);
  const auto wanted = run(*module, inputs);
  const auto before = run(compiled->program, inputs);
  const auto after = run(changed, inputs);
  REQUIRE(before.outputs == wanted.outputs);
  REQUIRE(after.outputs == wanted.outputs);
  shardy_test::check_stablehlo_form(changed, inputs, wanted.outputs, seed);
  return Bytes{load_of(before).bytes_sent, load_of(after).bytes_sent};
}

/// Checks the rule on `wanted` programs to which the rule applies. Returns the number of programs
/// that send fewer bytes. `may_send_more`: the loop of a program may have fewer steps than the rule
/// assumes.
int64_t check_rule(Rule rule, Generator generate, int64_t wanted, bool may_send_more) {
  int64_t fitted = 0;
  int64_t less = 0;
  for (uint64_t seed = 1; fitted < wanted; ++seed) {
    CAPTURE(seed);
    REQUIRE(seed < static_cast<uint64_t>(100 * wanted));
    Random random(seed);
    const auto bytes = bytes_of(rule, generate(random), seed);
    if (!bytes) continue;
    ++fitted;
    less += bytes->after < bytes->before ? 1 : 0;
    CHECK((may_send_more || bytes->after <= bytes->before));
  }
  return less;
}

}  // namespace

TEST_CASE("collectives of accumulated values are sunk after the loop", "[rewrites][differential]") {
  constexpr int64_t kPrograms = 60;
  CHECK(check_rule(&partitioning::sink_loop_collectives, &accumulating_loop, kPrograms, true) >
        kPrograms / 2);
}

TEST_CASE("collectives of loop-invariant values are hoisted before the loop",
          "[rewrites][differential]") {
  constexpr int64_t kPrograms = 60;
  CHECK(check_rule(&partitioning::hoist_collectives, &accumulating_loop, kPrograms, true) >
        kPrograms / 4);
}

TEST_CASE("values whose slices a loop gathers are gathered before the loop",
          "[rewrites][differential]") {
  constexpr int64_t kPrograms = 30;
  CHECK(check_rule(&partitioning::gather_slices_before_loops, &slicing_loop, kPrograms, false) ==
        kPrograms);
}

TEST_CASE("halos of one value are exchanged once", "[rewrites][differential]") {
  constexpr int64_t kPrograms = 60;
  CHECK(check_rule(&partitioning::share_permutes, &sum_of_slices, kPrograms, false) >
        kPrograms / 2);
}

TEST_CASE("exchanges of swapped axes are joined", "[rewrites][differential]") {
  constexpr int64_t kPrograms = 60;
  CHECK(check_rule(&join_exchanges, &swapped_axes, kPrograms, false) == kPrograms);
}

TEST_CASE("permutes with different senders and receivers are united", "[rewrites][differential]") {
  constexpr int64_t kPrograms = 90;
  check_rule(&partitioning::unite_permutes, &moved_parts, kPrograms, false);
}

TEST_CASE("a permute of several affine maps is refused in a group of 2^40 devices", "[limits]") {
  const auto module = text::parse_mlir(R"(sdy.mesh @m = <["x"=1099511627776]>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> attributes {spmd.per_device} {
  %0 = "spmd.permute"(%a) <{axes = #sdy<axis_ref_list{"x"}>, map = #spmd.permute_map<affine, [1, 1, 1, 0, 2, 0, 1, -1, 1, 0, 2, 1]>, mesh = @m}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})");
  const Diagnostics errors = module ? ir::verify(*module) : module.error();
  REQUIRE(errors.size() == 1);
  CHECK(errors.front().message.find("affine map with more than 6 numbers needs a group of at most "
                                    "1048576 devices, got 1099511627776") != std::string::npos);
}

namespace {

/// Returns the sum of the bytes of all collectives of the compiled program, after a comparison of
/// its results with those of the unsharded program.
int64_t bytes_of_collectives(const std::string& text) {
  INFO(text);
  const auto module = text::parse_mlir(text);
  REQUIRE(module.has_value());
  const auto compiled = checking::compile(*module);
  REQUIRE(compiled.has_value());
  const simulation::Tensors inputs = shardy_test::small_integers(*module, 7);
  REQUIRE(run(compiled->program, inputs).outputs == run(*module, inputs).outputs);
  return partitioning::program_cost(compiled->program).bytes_sent;
}

}  // namespace

TEST_CASE("a device sends no more than its shard for a roll by any distance", "[rewrites][law]") {
  const auto check = [](const std::string& mesh, const std::string& axes, int64_t devices) {
    for (int64_t shard = 1; shard <= 3; ++shard) {
      const int64_t size = devices * shard;
      for (int64_t distance = 1; distance < size; ++distance) {
        CAPTURE(mesh, axes, shard, distance);
        const std::string text =
            rolled(mesh, "<@mesh, [{" + axes + "}]>", {size}, 0, distance, "i32");
        CHECK(bytes_of_collectives(text) <= shard * 4);
      }
    }
  };
  for (int64_t devices = 2; devices <= 8; ++devices) {
    check("\"x\"=" + number(devices), "\"x\"", devices);
  }
  check(R"("x"=8)", R"("x":(2)4)", 4);
  check(R"("x"=8)", R"("x":(4)2, "x":(1)2)", 4);
  check(R"("x"=2, "y"=3)", R"("y", "x")", 6);
}

TEST_CASE("united permutes give the results of both, with zeros where a device has no source",
          "[rewrites][law]") {
  int64_t united = 0;
  const auto check = [&](int64_t devices, const std::string& one, const std::string& other) {
    const std::string local = "tensor<2xi32>";
    const std::string sharded =
        "{sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>, "
        "spmd.global_type = tensor<" +
        number(2 * devices) + "xi32>}";
    const auto permute = [&](const std::string& map) {
      return " {axes = #sdy<axis_ref_list{\"x\"}>, map = #spmd.permute_map<" + map +
             ">, mesh = @mesh} : (" + local + ") -> " + local + "\n";
    };
    const std::string text =
        "sdy.mesh @mesh = <[\"x\"=" + number(devices) + "]>\nfunc.func @main(%a: " + local + " " +
        sharded + ", %b: " + local + " " + sharded + ") -> (" + local + " " + sharded + ", " +
        local + " " + sharded + ") {\n  %0 = \"spmd.permute\"(%a)" + permute(one) +
        "  %1 = stablehlo.negate %b : " + local + "\n  %2 = \"spmd.permute\"(%1)" + permute(other) +
        "  return %0, %2 : " + local + ", " + local + "\n}\n";
    INFO(text);
    const auto program = text::parse_mlir(text);
    INFO((program ? std::string() : shardy_test::text_of(program.error())));
    REQUIRE(program.has_value());
    if (!ir::verify(*program).empty()) return;  // one source for two receivers
    ir::Module changed = *program;
    if (partitioning::unite_permutes(changed).empty()) return;
    ++united;
    INFO(text::to_mlir(changed));
    REQUIRE(ir::verify(changed).empty());
    const std::string whole = "tensor<" + number(2 * devices) + "xi32>";
    const auto arguments =
        text::parse_mlir("func.func @main(%a: " + whole + ", %b: " + whole + ") {\n  return\n}\n");
    const simulation::Tensors inputs = shardy_test::small_integers(arguments.value(), 5);
    const auto wanted = run(*program, inputs);
    REQUIRE(run(changed, inputs).outputs == wanted.outputs);
    shardy_test::check_stablehlo_form(changed, inputs, wanted.outputs, 5);
  };
  for (int64_t devices = 2; devices <= 8; ++devices) {
    std::vector<std::string> maps;
    for (int64_t hop = 1 - devices; hop < devices; ++hop) {
      if (hop != 0) maps.push_back("shift, [" + number(hop) + "]");
      if (hop > 0) maps.push_back("affine, [2, " + number(hop - 2) + ", 1, 0, 1, 0]");
      if (hop > 0) maps.push_back("affine, [1, " + number(hop - 1) + ", 2, 0, 2, 0]");
      if (hop > 0) maps.push_back("affine, [1, " + number(hop - 1) + ", 2, 0, 2, 1]");
    }
    for (const std::string& one : maps) {
      for (const std::string& other : maps) check(devices, one, other);
    }
  }
  CHECK(united == 340);  // all pairs of maps without a common sender or receiver
}

TEST_CASE("operands of a concatenation are sent at the same time", "[rewrites][law]") {
  for (int64_t devices = 2; devices <= 8; ++devices) {
    for (int64_t count = 2; count <= 4; ++count) {
      if (devices % count != 0) continue;
      for (int64_t shard = 1; shard <= 2; ++shard) {
        CAPTURE(devices, count, shard);
        const std::vector<std::vector<int64_t>> parts(static_cast<std::size_t>(count),
                                                      {devices * shard});
        std::vector<std::string> names = {"%a", "%b", "%c", "%d"};
        names.resize(parts.size());
        const std::string text =
            main_function("\"x\"=" + number(devices), R"(<@mesh, [{"x"}]>)", parts,
                          concatenation(names, 0, parts, "i32"), {count * devices * shard}, "i32");
        // Shifts may send one of three or more operands. Their order does not fit the others.
        const int64_t steps = count == 2 ? 2 : count + 1;
        CHECK(bytes_of_collectives(text) <= steps * shard * 4);
      }
    }
  }
}

TEST_CASE("a concatenation with a short operand has no permute per row", "[rewrites]") {
  const std::vector<std::vector<int64_t>> parts = {{60}, {4}};
  const std::string text = main_function(R"("x"=4)", R"(<@mesh, [{"x"}]>)", parts,
                                         concatenation({"%a", "%b"}, 0, parts, "i32"), {64}, "i32");
  const auto compiled = checking::compile(text::parse_mlir(text).value());
  REQUIRE(compiled.has_value());
  CHECK(partitioning::program_cost(compiled->program).messages <= 4);
}

TEST_CASE("a rule that rewrites nothing leaves the program unchanged", "[rewrites]") {
  const std::vector<Rule> rules = {&partitioning::hoist_collectives,
                                   &partitioning::gather_slices_before_loops,
                                   &partitioning::sink_loop_collectives,
                                   &partitioning::share_permutes,
                                   &join_exchanges,
                                   &partitioning::unite_permutes};
  int64_t unchanged = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const ir::Module module = seed % 3 == 0
                                  ? *text::parse_mlir(accumulating_loop(random))
                                  : checking::random_program(seed, {.windows = true}).module;
    checking::CompileOptions options;
    options.collectives.rules = std::vector<std::string>();
    const auto compiled = checking::compile(module, options);
    if (!compiled) continue;
    const std::string before = text::to_mlir(compiled->program);
    for (const Rule rule : rules) {
      ir::Module program = compiled->program;
      if (!rule(program).empty()) continue;
      CHECK(text::to_mlir(program) == before);
      ++unchanged;
    }
  }
  CHECK(unchanged > 150);
}

TEST_CASE("a permute that leaves a device without source is sunk only below sums", "[rewrites]") {
  constexpr std::string_view kProgram = R"(
sdy.mesh @mesh = <["x"=3]>
func.func @main(%a: tensor<4xf32>, %begin: tensor<4xf32>, %steps: tensor<i32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %s = %begin) : tensor<i32>, tensor<4xf32>
  cond {
    %c = stablehlo.compare LT, %i, %steps, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %p = "spmd.permute"(%a) {axes = #sdy<axis_ref_list{"x"}>, map = #spmd.permute_map<shift, [1]>, mesh = @mesh} : (tensor<4xf32>) -> tensor<4xf32>
    %t = stablehlo.COMBINE %s, %p : tensor<4xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %t : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
})";
  const auto rewrites = [&](const std::string& combiner, const std::string& element = "f32",
                            const std::string& steps = "%steps") {
    std::string text(kProgram);
    text.replace(text.find("COMBINE"), 7, combiner);
    text.replace(text.find("%i, %steps"), 10, "%i, " + steps);
    for (std::size_t at = 0; (at = text.find("f32", at)) != std::string::npos; ++at) {
      text.replace(at, 3, element);
    }
    auto module = text::parse_mlir(text);
    INFO((module ? std::string() : shardy_test::text_of(module.error())));
    REQUIRE(module.has_value());
    return partitioning::sink_loop_collectives(*module).size();
  };
  CHECK(rewrites("add", "i32") == 1);
  CHECK(rewrites("add", "f32", "%three") == 1);
  // After a loop without steps, a device without a source would receive +0, but its sum of -0 is
  // -0.
  CHECK(rewrites("add") == 0);
  // Devices without a source receive zeros, so a maximum with a negative value would be wrong.
  CHECK(rewrites("maximum") == 0);
  CHECK(rewrites("minimum") == 0);
}

TEST_CASE("the bytes of a collective in a loop of very many steps are saturated", "[rewrites]") {
  constexpr std::string_view kProgram = R"(
sdy.mesh @mesh = <["x"=3]>
func.func @main(%a: tensor<4xi32>, %begin: tensor<4xi32>) -> tensor<4xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %steps = stablehlo.constant dense<4611686018427387904> : tensor<i64>
  %r:2 = stablehlo.while(%i = %zero, %s = %begin) : tensor<i64>, tensor<4xi32>
  cond {
    %c = stablehlo.compare LT, %i, %steps, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %p = "spmd.permute"(%a) {axes = #sdy<axis_ref_list{"x"}>, map = #spmd.permute_map<shift, [1]>, mesh = @mesh} : (tensor<4xi32>) -> tensor<4xi32>
    %t = stablehlo.add %s, %p : tensor<4xi32>
    %one = stablehlo.constant dense<1> : tensor<i64>
    %j = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %j, %t : tensor<i64>, tensor<4xi32>
  }
  return %r#1 : tensor<4xi32>
})";
  for (const auto rule : {&partitioning::hoist_collectives, &partitioning::sink_loop_collectives}) {
    ir::Module module = text::parse_mlir(kProgram).value();
    const auto rewrites = rule(module);
    REQUIRE(rewrites.size() == 1);
    CHECK(rewrites[0].bytes_after == 16);
    CHECK(rewrites[0].bytes_before == std::numeric_limits<int64_t>::max());
    CHECK(rewrites[0].messages_before == int64_t{1} << 62);
  }
}

}  // namespace program_rules_test
