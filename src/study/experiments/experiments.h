// The studies, each a file of its own in this folder; src/study/studies.cpp is the table.
#pragma once

#include "stickslip/study/study.h"

namespace stickslip::study {

Study r_factors();         ///< r_factors.cpp [prox §5]
Study own_scene_study();   ///< own_scene.cpp
Study profiles();          ///< profiles.cpp [Dolan, Moré 2002]

}   // namespace stickslip::study
