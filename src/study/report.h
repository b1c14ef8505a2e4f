// The report: one page for people that opens offline.
#pragma once

#include "stickslip/study/run.h"

namespace stickslip::study {

/// Writes report.html with the figures inside.
void write_report(const RunOptions&, const Study&, const Setting&, const Plan&, const Data&, const RunResult&);

}   // namespace stickslip::study
