// The studies, each a file of its own in this folder; src/study/studies.cpp is the table.
#pragma once

#include "stickslip/study/study.h"

namespace stickslip::study {

Study r_factors();          ///< r_factors.cpp [prox §5]
Study row_orders();         ///< row_orders.cpp [reordering]
Study fischer_newton();     ///< fischer_newton.cpp [thesis A]
Study sweep_heuristics();   ///< sweep_heuristics.cpp [thesis B]
Study subspace();           ///< subspace.cpp [thesis C]
Study pain_and_agony();     ///< pain_and_agony.cpp [thesis §6.1]
Study mass_ratios();        ///< mass_ratios.cpp [course §3.2.7]
Study contact_models();     ///< contact_models.cpp [course §1.6–1.8]
Study stabilisation();      ///< stabilisation.cpp [course §1.9]
Study soft_operators();     ///< soft_operators.cpp [course §4.3]
Study integrators();        ///< integrators.cpp [course §5]
Study six_d();              ///< six_d.cpp [6d §6]
Study own_scene_study();    ///< own_scene.cpp
Study profiles();           ///< profiles.cpp [Dolan, Moré 2002]

}   // namespace stickslip::study
