// The boundary of a convex hull as Qhull finds it: facets by their directed edges.
#pragma once

#include <string>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

/// A side of a facet, from one point to the next; all facets are walked the same way round, seen from outside.
struct DirectedEdge {
  int from, to;   ///< indices of the points given
  int facet;      ///< 0, 1, …
};

struct QhullFacets {
  std::vector<DirectedEdge> edges;
  int facet_count = 0;
  std::string failure;   ///< Qhull's own words; empty if it succeeded
};

/// Facets of the hull of points that span a volume, with coordinates of size 1 so that Qhull's own tolerances fit.
QhullFacets qhull_facets(const std::vector<Vec3>& points);

}   // namespace stickslip
