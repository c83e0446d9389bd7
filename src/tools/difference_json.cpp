#include "tools/difference_json.hpp"

namespace shardy::tools {

void add_cost(text::JsonWriter& out, const report::Cost& cost) {
  add(out, "bytes", cost.bytes, "collectives", cost.count, "peak_bytes", cost.peak_bytes);
  out.key("seconds").number(cost.seconds);
  out.key("operations").number(cost.operations);
}

void write_changes(text::JsonWriter& out, std::span<const report::CollectiveChange> changes) {
  out.key("collectives").begin_array(text::JsonWriter::Layout::Broken);
  for (const report::CollectiveChange& change : changes) {
    out.begin_object();
    add(out, "kind", change.kind, "axes", change.axes, "type", change.type, "serves", change.serves,
        "count_before", change.count_before, "count_after", change.count_after, "bytes_before",
        change.bytes_before, "bytes_after", change.bytes_after);
    out.end_object();
  }
  out.end_array();
}

}  // namespace shardy::tools
