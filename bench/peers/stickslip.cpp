#include <fmt/format.h>

#include "bench/peers/peer.h"
#include "stickslip/step/stepper.h"

namespace stickslip::bench {

namespace {

class StickslipPeer final : public Peer {
 public:
  StickslipPeer(const World& world, const StepOptions& options) : world_(world), stepper_(options) {
    name = "Stickslip " + options.solver;
    if (options.max_iterations != StepOptions{}.max_iterations) name += fmt::format(", {} sweeps", options.max_iterations);
    if (!options.turning_contacts) name += ", rows that do not turn";
    settings =
        fmt::format("solver {}, at most {} iterations, tolerance {:g} |g| h, warm start{}", options.solver,
                    options.max_iterations, options.tolerance,
                    options.turning_contacts ? "" : ", turning_contacts off: rows of first order, as the others have them");
  }
  void step() override { report_ = &stepper_.step(world_); }
  void remember() override {
    before_.clear();
    for (const Body& body : world_.bodies()) before_.push_back(body.velocity);
  }
  Answer answer() override {
    Answer a;
    a.problem = stepper_.problem();
    a.impulses.assign(stepper_.impulses().begin(), stepper_.impulses().end());
    std::vector<Vec3> sum(world_.bodies().size(), Vec3::Zero());
    for (const ContactRecord& c : report_->contacts) {
      for (const auto& [id, sign] : {std::pair(c.body_a, -1.0), std::pair(c.body_b, 1.0)}) {
        sum[id.index] += sign * c.impulse;
        if (!world_.body(id).moves_by_forces()) a.force_on_fixed += sign * c.impulse / report_->h;
      }
    }
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const Body& body = world_.bodies()[i];
      if (!body.moves_by_forces()) continue;
      const Vec3 expected = before_[i] + report_->h * world_.gravity + body.inverse_mass * sum[i];
      a.velocity_mismatch = std::max(a.velocity_mismatch, (expected - body.velocity).norm());
    }
    return a;
  }
  PeerState state(std::size_t slot) const override {
    const Body& body = world_.bodies()[slot];
    return {body.position, body.velocity, body.angular_velocity, body.orientation};
  }
  std::size_t contact_count() const override { return report_->contacts.size(); }

 private:
  World world_;
  Stepper stepper_;
  const StepReport* report_ = nullptr;
  std::vector<Vec3> before_;
};

}   // namespace

std::unique_ptr<Peer> make_stickslip(const World& world, const PeerSettings& s, const StepOptions& options) {
  StepOptions own = options;
  own.h = s.h;
  own.threads = 1;
  own.sleep.enabled = false;
  return std::make_unique<StickslipPeer>(world, own);
}

}   // namespace stickslip::bench
