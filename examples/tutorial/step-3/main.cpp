// Step 3: one contact, solved by hand.
#include "check.h"
#include "show.h"
#include "step-3/jacobian.h"

using namespace tutorial;

/// Stops what approaches at a contact, or throws it back: the normal velocity becomes −e times what it was.
void bounce(const Rows& rows, Body& a, Body& b, double e) {
  Vec6 ua = velocity(a), ub = velocity(b);
  const double approach = rows.relative(ua, ub)[0];
  if (approach >= 0) return;
  apply(rows, {-(1 + e) * approach / rows.W(0, 0), 0, 0}, ua, ub);
  set_velocity(a, ua), set_velocity(b, ub);
}

/// J says how fast the gap changes. So do two looks at the gap, a moment apart.
void compare_with_differences() {
  Bodies bodies = {Body{Box{{0.5, 0.4, 0.3}}}, Body{Sphere{0.2}}};
  bodies[0].q = Eigen::AngleAxisd(0.3, Vec3::UnitY());
  bodies[0].v = {0.1, 0.2, 0.3}, bodies[0].omega = {1, -2, 0.5};
  bodies[1].x = {0.2, 0.1, 0.6}, bodies[1].v = {-1, 0.5, -2}, bodies[1].omega = {3, 1, 2};
  const Contact now = collide(bodies, 1)[0];
  const double rate = make_rows(now, bodies, 0).relative(velocity(bodies[0]), velocity(bodies[1]))[0];
  const double h = 1e-6;
  for (Body& body : bodies) move(body, h);
  check("the gap changes at the rate J u", rate, (collide(bodies, 1)[0].gap - now.gap) / h, 1e-4);
}

int main(int argc, char** argv) {
  compare_with_differences();

  // A ball on the floor. Of its W the normal is 1/m; a tangential push also turns it: 1/m + r²/I = 7/(2m).
  Bodies bodies = {Body{Box{{2, 1, 0.1}}, 1, true}, Body{Sphere{0.2}, 3}};
  bodies[0].x.z() = -0.1, bodies[1].x.z() = 0.2;
  bodies[1].v = {1, 0, 0};
  const Rows rows = make_rows(collide(bodies, 1e-3).at(0), bodies, 0);
  check("W of a ball is diag(1, 7/2, 7/2) / m", (rows.W - Vec3(1, 3.5, 3.5).asDiagonal().toDenseMatrix() / 3).norm(), 0, 1e-12);

  // The impulse that stops all motion at the contact, λ = −W⁻¹ v, makes a sliding ball roll: 5/7 of its speed is left.
  Vec6 ua = velocity(bodies[0]), ub = velocity(bodies[1]);
  const Vec3 stopping = -rows.relative(ua, ub).cwiseQuotient(rows.W.diagonal());   // W is diagonal here
  apply(rows, stopping, ua, ub);
  check("a ball that is held at its contact rolls at 5/7 of its speed", ub[0], 5.0 / 7, 1e-12);
  check("and turns as it rolls: v = ω r", ub[4] * 0.2, ub[0], 1e-12);

  // Equal balls that meet without loss exchange their velocities.
  Bodies pair = {Body{Sphere{0.2}, 2}, Body{Sphere{0.2}, 2}};
  pair[0].v.x() = 1, pair[1].x.x() = 0.4;
  bounce(make_rows(collide(pair, 1e-3).at(0), pair, 0), pair[0], pair[1], 1);
  check("equal balls exchange their velocities", pair[1].v.x() - pair[0].v.x(), 1, 1e-12);

  // Dropped from a height H, a ball that keeps e of its speed comes back to e² H.
  bodies[1].v.setZero(), bodies[1].x = {-1, 0, 1.2};
  Film film(argc, argv, "step 3: a ball bounces", bodies);
  const double h = 1e-4, e = 0.8;
  double apex = 0;
  bool bounced = false;
  for (int i = 1; i * h < 3; ++i) {
    accelerate(bodies[1], h);
    std::vector<Arrow> arrows;
    for (const Contact& c : collide(bodies, 0)) {
      const double before = bodies[1].v.z();
      bounce(make_rows(c, bodies, 0), bodies[0], bodies[1], e);
      bounced = true;
      arrows.push_back({c.a, c.b, c.point, c.normal, c.gap, c.normal * 3 * (bodies[1].v.z() - before) / h});
    }
    move(bodies[1], h);
    if (bounced && apex == 0 && bodies[1].v.z() < 0) apex = bodies[1].x.z() - 0.2;
    film.frame(i * h, bodies, arrows);
  }
  check("it comes back to e² of its height", apex, e * e, 1e-3);
  return checks_failed();
}
