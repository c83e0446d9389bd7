// Laws of propagation on random modules: what the examples cannot show.
#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "propagation/ir_program.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/walk.hpp"
#include "support/catch.hpp"

namespace shardy::propagation::testing::ir_random_test {
namespace {

/// Writes random programs in the test language. No value occurs twice in one op: each position
/// would be written from its own projection, and the last one would win.
class ProgramWriter {
 public:
  explicit ProgramWriter(std::mt19937& random) : random_(random) {}

  std::string write() {
    for (int arg = 0; arg < 4; ++arg) {
      const Shape shape = {kSizes[pick(2)], kSizes[pick(2)]};
      const std::string name = fresh();
      text_ += name + ": " + text(shape) + " " + sharding(2) + "\n";
      values_.push_back({name, shape});
    }
    text_ += "i: scalar\n";
    add_ops(12, 0);
    return text_;
  }

 private:
  using Shape = std::vector<int64_t>;
  struct Value {
    std::string name;
    Shape shape;
  };
  static constexpr int64_t kSizes[] = {8, 12, 6};

  std::size_t pick(std::size_t count) { return random_() % count; }
  std::string fresh() { return "v" + std::to_string(count_++); }
  static std::string text(const Shape& shape) {
    std::string text;
    for (const int64_t size : shape) text += (text.empty() ? "" : "x") + std::to_string(size);
    return text;
  }

  /// Empty half of the time.
  std::string sharding(std::size_t rank) {
    if (pick(2) == 0) return "";
    std::vector<std::string> axes = {"a", "b", "c"};
    std::ranges::shuffle(axes, random_);
    std::string dims;
    for (std::size_t dim = 0; dim < rank; ++dim) {
      std::string inside;
      while (!axes.empty() && pick(3) == 0) {
        inside += axes.back() + ",";
        axes.pop_back();
      }
      inside += pick(3) != 0 ? "?" : "";
      if (inside.ends_with(',')) inside.pop_back();
      dims += (dims.empty() ? "{" : ",{") + inside + "}";
    }
    const std::string replicated =
        !axes.empty() && pick(4) == 0 ? " rep={" + axes.back() + "}" : "";
    return "[" + dims + "]" + replicated;
  }

  void add(const std::string& op, const Shape& shape) {
    const std::string name = fresh();
    const std::size_t arrow = op.find("->");
    const std::string given = sharding(shape.size());
    text_ += name + " = " +
             (arrow == std::string::npos ? op + " " + given
                                         : op.substr(0, arrow) + given + " " + op.substr(arrow)) +
             "\n";
    values_.push_back({name, shape});
  }

  void add_pair_op(const Value& x, const Value& y) {
    if (x.shape == y.shape && pick(2) == 0) return add("add " + x.name + " " + y.name, x.shape);
    if (x.shape == y.shape) {
      return add("concatenate " + x.name + " " + y.name, {x.shape[0], 2 * x.shape[1]});
    }
    if (x.shape[1] == y.shape[0]) {
      add("dot " + x.name + " " + y.name, {x.shape[0], y.shape[1]});
    }
  }

  void add_unary_op(const Value& x) {
    const Shape& shape = x.shape;
    const bool is_even = shape[0] % 2 == 0;
    switch (is_even ? pick(7) : pick(2)) {
      case 0:
        return add("sine " + x.name, shape);
      case 1:
        return add("transpose " + x.name, {shape[1], shape[0]});
      case 2:
        return add("reshape " + x.name + " -> " + text({shape[0] / 2, shape[1] * 2}),
                   {shape[0] / 2, shape[1] * 2});
      case 3:
        return add("slice " + x.name + " -> " + text({shape[0], shape[1] / 2}),
                   {shape[0], shape[1] / 2});
      case 4:
        return add("dynamic_slice " + x.name + " i i -> " + text({shape[0] / 2, shape[1]}),
                   {shape[0] / 2, shape[1]});
      case 5:
        return add("barrier " + x.name + (pick(2) == 0 ? " FORWARD" : " BACKWARD"), shape);
      default:
        text_ +=
            fresh() + " = constraint " + x.name + " [{?},{" + (pick(2) == 0 ? "b}]\n" : "?}]\n");
        values_.push_back({"v" + std::to_string(count_ - 1), shape});
    }
  }

  void add_loop(const Value& x, int depth) {
    const std::string result = fresh();
    const std::string arg = fresh();
    text_ += result + " = while " + x.name + " " + sharding(2) + " : " + arg + "\n";
    const std::size_t outside = values_.size();
    values_.push_back({arg, x.shape});
    add_ops(4, depth + 1);
    const std::string last = fresh();
    text_ += last + " = sine " + arg + "\nyield " + last + "\n";
    values_.resize(outside);
    values_.push_back({result, x.shape});
  }

  void add_ops(int count, int depth) {
    for (int op = 0; op < count; ++op) {
      const Value x = values_[pick(values_.size())];
      const Value y = values_[pick(values_.size())];
      if (x.shape[0] < 2 || x.shape[1] < 2) continue;
      if (depth < 2 && pick(6) == 0) {
        add_loop(x, depth);
      } else if (pick(2) == 0 && x.name != y.name) {
        add_pair_op(x, y);
      } else {
        add_unary_op(x);
      }
    }
  }

  std::mt19937& random_;
  std::string text_;
  std::vector<Value> values_;
  int count_ = 0;
};

constexpr int kRounds = 100;

PropagationReport run(ir::Module& module, const PropagationOptions& options) {
  const Result<PropagationReport> report = propagate(module, options);
  REQUIRE(shardy_test::message_of(report) == "(no error)");
  return *report;
}

/// Calls `check` with random programs and each algorithm that is one sweep.
template <class Check>
void for_random_programs(Check check) {
  std::mt19937 random(Catch::rngSeed());
  for (int round = 0; round < kRounds; ++round) {
    const std::string text = ProgramWriter(random).write();
    CAPTURE(Catch::rngSeed(), round, text);
    for (const Algorithm algorithm :
         {Algorithm::Basic, Algorithm::Aggressive, Algorithm::OpPriority}) {
      CAPTURE(static_cast<int>(algorithm));
      check(parse_ir_program(text), PropagationOptions{.algorithm = algorithm});
    }
  }
}

TEST_CASE("propagating again changes nothing", "[propagation][ir][random]") {
  for_random_programs([](IrProgram program, PropagationOptions options) {
    run(program.module, options);
    if (options.algorithm == Algorithm::OpPriority) options.algorithm = Algorithm::Aggressive;
    CHECK(run(program.module, options).num_updates == 0);
  });
}

TEST_CASE("propagation only extends open dims", "[propagation][ir][random]") {
  for_random_programs([](IrProgram program, const PropagationOptions& options) {
    const IrProgram before = program;
    run(program.module, options);
    for (const auto& [name, value] : before.values) {
      const auto old = ir::get_sharding(before.module, value);
      if (!old || program.is_erased(name)) continue;
      const auto now = ir::get_sharding(program.module, value);
      REQUIRE(now);
      CAPTURE(name, to_text(old), to_text(now));
      CHECK(now->replicated_axes() == old->replicated_axes());
      for (std::size_t dim = 0; dim < old->rank(); ++dim) {
        CHECK(now->is_closed(dim) == old->is_closed(dim));
        const PrefixStatus status = prefix_status(old->dim(dim).axes, now->dim(dim).axes);
        CHECK((status == PrefixStatus::Equal ||
               (status == PrefixStatus::StrictPrefix && !old->is_closed(dim))));
      }
    }
  });
}

TEST_CASE("the order of use lists does not affect propagation", "[propagation][ir][random]") {
  for_random_programs([](IrProgram program, const PropagationOptions& options) {
    IrProgram relinked = program;
    ir::Module& module = relinked.module;
    std::vector<ir::OpId> order = ir::pre_order(module);
    std::ranges::reverse(order);
    for (const ir::OpId op : order) module.set_operands(op, module.operands(op));
    run(program.module, options);
    run(relinked.module, options);
    for (const auto& [name, value] : program.values) {
      CAPTURE(name);
      CHECK(program[name] == relinked[name]);
    }
  });
}

}  // namespace
}  // namespace shardy::propagation::testing::ir_random_test
