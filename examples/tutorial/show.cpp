#include "show.h"

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "stickslip/record/recorder.h"

namespace tutorial {

struct Film::Impl {
  stickslip::Scene scene;
  std::unique_ptr<stickslip::Recorder> recorder;
  std::vector<stickslip::BodyId> ids;
  double last = 0;

  void place(const Bodies& bodies) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      scene.world.set_frame(ids[i], {bodies[i].x, bodies[i].q});
      if (!bodies[i].fixed) scene.world.set_velocity(ids[i], bodies[i].v, bodies[i].omega);
    }
  }
};

Film::Film(int argc, char** argv, const std::string& title, const Bodies& bodies) try {
  if (argc < 2) return;
  impl_ = std::make_unique<Impl>();
  stickslip::Scene& scene = impl_->scene;
  scene.name = title;
  for (const Body& body : bodies) {
    stickslip::BodyDescription d;
    d.motion = body.fixed ? stickslip::MotionType::fixed : stickslip::MotionType::dynamic;
    d.mass = body.mass;
    if (const auto* sphere = std::get_if<Sphere>(&body.shape)) d.parts = {{stickslip::Sphere{sphere->radius}, {}, {}}};
    if (const auto* box = std::get_if<Box>(&body.shape)) d.parts = {{stickslip::Box{box->half}, {}, {}}};
    d.pose = {body.x, body.q};
    impl_->ids.push_back(scene.world.add(d));
  }
  impl_->place(bodies);
  impl_->recorder = stickslip::make_recorder(argv[1], {.frames_per_second = 60});
  impl_->recorder->begin(scene);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  std::exit(2);
}

Film::~Film() try {
  if (impl_) impl_->recorder->finish();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
}

void Film::frame(double time, const Bodies& bodies, const std::vector<Arrow>& arrows) {
  if (!impl_) return;
  impl_->place(bodies);
  stickslip::StepReport report;
  report.h = report.force_time = time - impl_->last;
  impl_->last = impl_->scene.world.time = time;
  ++impl_->scene.world.step_count;
  for (const Arrow& arrow : arrows) {
    stickslip::ContactRecord c{};
    c.body_a = impl_->ids[static_cast<std::size_t>(arrow.a)];
    c.body_b = impl_->ids[static_cast<std::size_t>(arrow.b)];
    c.position = arrow.point;
    c.normal = arrow.normal;
    c.gap = arrow.gap;
    c.impulse = arrow.force * report.h;
    c.normal_impulse = c.impulse.dot(c.normal);
    c.slip_velocity = c.angular_impulse = Vec3::Zero();
    report.contacts.push_back(c);
  }
  report.tell_of(impl_->scene.world, report.h);
  impl_->recorder->record(impl_->scene.world, report);
}

}   // namespace tutorial
