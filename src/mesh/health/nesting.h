// Which pieces of a closed surface lie inside others, and which way they should face.
#pragma once

#include "mesh/edges.h"

namespace stickslip {

/// First triangles of the pieces that face the wrong way: a piece in how many others? Even: its volume is positive; odd: it
/// bounds a cavity and
/// its volume is negative. A piece inside another that itself faces wrong is judged by the places, not by the signs of the
/// others.
/// @pre every piece is closed and consistent
std::vector<std::uint32_t> pieces_facing_wrong(const TriangleMesh&, const Pieces&);

}   // namespace stickslip
