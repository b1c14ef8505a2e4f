// Figures, drawn by draw.py with matplotlib from the written data.
#pragma once

#include "stickslip/study/run.h"

namespace stickslip::study {

/// Writes figures/figures.json and figures/draw.py, and runs the latter. @returns why there are no figures, with the remedy;
/// empty: there are
std::string draw_figures(const RunOptions&, const Plan&, const Data&);

}   // namespace stickslip::study

namespace stickslip {

const std::string& study_drawing_script();   ///< the text of src/study/draw.py

}   // namespace stickslip
