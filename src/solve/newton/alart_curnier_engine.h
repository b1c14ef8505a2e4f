// What other solvers need to finish with Newton: `ProximalNewton`, started without naming a system, works on the
// Alart–Curnier function of the exact law.
#pragma once

#include "solve/newton/newton_engine.h"
