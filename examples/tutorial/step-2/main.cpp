// Step 2: when and where a ball meets a box.
#include "check.h"
#include "show.h"
#include "step-2/collide.h"

using namespace tutorial;

/// The distance of a place from a box by brute force: the least over a fine grid on its surface.
double distance_by_grid(const Vec3& place, const Body& box, int grid) {
  const Vec3 half = std::get<Box>(box.shape).half;
  double least = 1e9;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0})
      for (int i = 0; i <= grid; ++i)
        for (int j = 0; j <= grid; ++j) {
          Vec3 s;
          s[axis] = side, s[(axis + 1) % 3] = 2.0 * i / grid - 1, s[(axis + 2) % 3] = 2.0 * j / grid - 1;
          least = std::min(least, (place - box.x - box.q * half.cwiseProduct(s)).norm());
        }
  return least;
}

int main(int argc, char** argv) {
  Body box{Box{{0.5, 0.3, 0.2}}};
  box.x = {0.1, -0.2, 0.3};
  box.q = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized());
  // Over a face, beside an edge, off a corner, and inside: against the grid.
  double worst = 0;
  for (const Vec3& p : {Vec3(0.1, 0.2, 0.6), Vec3(0.7, 0.5, 0.1), Vec3(-0.6, -0.5, -0.4), Vec3(0.1, 0.1, 0.15)}) {
    const Contact c = ball_box(box.x + box.q * p, 0.1, box);
    worst = std::max(worst, std::abs(std::abs(c.gap + 0.1) - distance_by_grid(box.x + box.q * p, box, 200)));
    worst = std::max(worst, (c.point + (c.gap + 0.1) * c.normal - box.x - box.q * p).norm());
  }
  check("gaps agree with a search over the whole surface", worst, 0, 1e-4);

  // Dropped from rest at the height 1 (of its lowest point), the ball arrives at t = √(2/g), at the speed √(2 g).
  Bodies bodies = {Body{Box{{1, 1, 0.1}}, 1, true}, Body{Sphere{0.2}}};
  bodies[0].x.z() = -0.1;
  bodies[1].x = {0.3, 0.2, 1.2};
  Film film(argc, argv, "step 2: a ball meets a box", bodies);
  const double h = 1e-4;
  double arrival = 0, speed = 0;
  for (int i = 1; i * h < 0.6; ++i) {
    accelerate(bodies[1], h);
    move(bodies[1], h);
    std::vector<Arrow> arrows;
    for (const Contact& c : collide(bodies, 0)) arrows.push_back({c.a, c.b, c.point, c.normal, c.gap});
    if (!arrows.empty() && arrival == 0) {
      arrival = i * h, speed = -bodies[1].v.z();
      check("it touches below its centre", (arrows[0].point - Vec3(0.3, 0.2, 0)).norm(), 0, 1e-12);
    }
    film.frame(i * h, bodies, arrows);
  }
  check("time of arrival √(2/g) [s]", arrival, std::sqrt(2 / kGravity), h);
  check("speed of arrival √(2g) [m/s]", speed, std::sqrt(2 * kGravity), kGravity * h);
  return checks_failed();
}
