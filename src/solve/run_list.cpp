#include "solve/run_list.h"

namespace stickslip {

void append_runs(const ContactProblem& p, std::span<const std::uint32_t> blocks, RowSet rows, std::vector<Batch>& runs) {
  const std::size_t start = runs.size();
  for (const std::uint32_t i : blocks) {
    const bool has_friction = p.blocks[i].kind == BlockKind::contact && p.blocks[i].dim > 1;
    if (rows == RowSet::friction && !has_friction) continue;
    Batch run = p.run_of(i);
    if (has_friction) run.rows = rows;
    if (runs.size() == start || !runs.back().extend(run)) runs.push_back(run);
  }
}

}   // namespace stickslip
