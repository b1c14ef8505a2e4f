#include "collide/pairs.h"

namespace stickslip::narrow {
void collide(const Sphere&, const Pose&, const Mesh&, const Pose&, double, ContactSink&) {}
void collide(const Box&, const Pose&, const Mesh&, const Pose&, double, ContactSink&) {}
void collide(const Capsule&, const Pose&, const Mesh&, const Pose&, double, ContactSink&) {}
void collide(const Cylinder&, const Pose&, const Mesh&, const Pose&, double, ContactSink&) {}
void collide(const Mesh&, const Pose&, const HalfSpace&, const Pose&, double, ContactSink&) {}
void collide(const ConvexHull&, const Pose&, const Mesh&, const Pose&, double, ContactSink&) {}
void collide(const Mesh&, const Pose&, const Mesh&, const Pose&, double, ContactSink&) {}
}   // namespace stickslip::narrow
