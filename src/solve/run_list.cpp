#include "solve/run_list.h"

namespace stickslip {

void append_runs(const ContactProblem& p, std::span<const std::uint32_t> blocks, RowSet rows, std::vector<Batch>& runs) {
  const std::size_t start = runs.size();
  for (const std::uint32_t i : blocks) {
    const Block& b = p.blocks[i];
    const bool has_friction = b.kind == BlockKind::contact && b.dim > 1;
    if (rows == RowSet::friction && !has_friction) continue;
    const std::uint8_t arity = p.arity_class(b);
    const auto law = static_cast<std::uint8_t>(has_friction ? p.laws[i].index() : 0);
    if (runs.size() > start) {
      Batch& last = runs.back();
      if (last.first + last.count == i && last.kind == b.kind && last.dim == b.dim && last.arity == arity && last.law == law) {
        ++last.count;
        continue;
      }
    }
    runs.push_back({b.kind, b.dim, arity, law, i, 1, has_friction ? rows : RowSet::all});
  }
}

}  // namespace stickslip
