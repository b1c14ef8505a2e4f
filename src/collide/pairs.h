// The pair colliders: one free function per unordered pair of shape kinds. collide.cpp makes its table of them, and does not
// compile if a pair is missing.
//
// Each adds points with gap ≤ margin to `sink`, normals from the first shape to the second, one normal for all but the ends
// of crossing rollers. It may add
// more than `kMaxManifoldPoints`; the caller reduces and sorts.
#pragma once

#include "stickslip/collide/contact.h"
#include "stickslip/geometry/shape.h"

namespace stickslip::narrow {

void collide(const Sphere&, const Pose&, const Sphere&, const Pose&, double margin, ContactSink&);
void collide(const Sphere&, const Pose&, const Box&, const Pose&, double margin, ContactSink&);
void collide(const Sphere&, const Pose&, const Capsule&, const Pose&, double margin, ContactSink&);
void collide(const Sphere&, const Pose&, const Cylinder&, const Pose&, double margin, ContactSink&);
void collide(const Sphere&, const Pose&, const HalfSpace&, const Pose&, double margin, ContactSink&);
void collide(const Sphere&, const Pose&, const ConvexHull&, const Pose&, double margin, ContactSink&);

void collide(const Box&, const Pose&, const Box&, const Pose&, double margin, ContactSink&);
void collide(const Box&, const Pose&, const Capsule&, const Pose&, double margin, ContactSink&);
void collide(const Box&, const Pose&, const Cylinder&, const Pose&, double margin, ContactSink&);
void collide(const Box&, const Pose&, const HalfSpace&, const Pose&, double margin, ContactSink&);
void collide(const Box&, const Pose&, const ConvexHull&, const Pose&, double margin, ContactSink&);

void collide(const Capsule&, const Pose&, const Capsule&, const Pose&, double margin, ContactSink&);
void collide(const Capsule&, const Pose&, const Cylinder&, const Pose&, double margin, ContactSink&);
void collide(const Capsule&, const Pose&, const HalfSpace&, const Pose&, double margin, ContactSink&);
void collide(const Capsule&, const Pose&, const ConvexHull&, const Pose&, double margin, ContactSink&);

void collide(const Cylinder&, const Pose&, const Cylinder&, const Pose&, double margin, ContactSink&);
void collide(const Cylinder&, const Pose&, const HalfSpace&, const Pose&, double margin, ContactSink&);
void collide(const Cylinder&, const Pose&, const ConvexHull&, const Pose&, double margin, ContactSink&);

void collide(const ConvexHull&, const Pose&, const HalfSpace&, const Pose&, double margin, ContactSink&);
void collide(const ConvexHull&, const Pose&, const ConvexHull&, const Pose&, double margin, ContactSink&);

void collide(const Sphere&, const Pose&, const Mesh&, const Pose&, double margin, ContactSink&);
void collide(const Box&, const Pose&, const Mesh&, const Pose&, double margin, ContactSink&);
void collide(const Capsule&, const Pose&, const Mesh&, const Pose&, double margin, ContactSink&);
void collide(const Cylinder&, const Pose&, const Mesh&, const Pose&, double margin, ContactSink&);
void collide(const Mesh&, const Pose&, const HalfSpace&, const Pose&, double margin, ContactSink&);
void collide(const ConvexHull&, const Pose&, const Mesh&, const Pose&, double margin, ContactSink&);
void collide(const Mesh&, const Pose&, const Mesh&, const Pose&, double margin, ContactSink&);

/// Points where a shape meets an edge of a mesh: a capsule of radius 0.
void collide_edge(const Cylinder&, const Pose&, const Capsule& edge, const Pose&, double margin, ContactSink&);

/// The point where two polytopes that are apart will meet, if they come within the margin though none of their facing faces
/// does: a corner flying past an edge. For the pairs above that look at faces and edges only.
void collide_apart(const Box&, const Pose&, const Box&, const Pose&, double margin, ContactSink&);
void collide_apart(const Box&, const Pose&, const ConvexHull&, const Pose&, double margin, ContactSink&);
void collide_apart(const ConvexHull&, const Pose&, const ConvexHull&, const Pose&, double margin, ContactSink&);

}   // namespace stickslip::narrow
