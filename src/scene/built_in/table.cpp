#include <cmath>

#include "scene/built_in/families.h"
#include "stickslip/math/error.h"

namespace stickslip::document {

namespace {

std::vector<BuiltIn> convex_scenes() {
  return {
      wall(),
      tower(),
      stack(),
      pyramid(),
      card_house(),
      mass_ratio(),
      incline(),
      sliding_capsule(),
      sliding_three_spheres(),
      spheres(),
      boxes(),
      beads(),
      dominoes(),
      newtons_cradle(),
      spinning_top(),
      anisotropic_slope(),
      log_slide(),
      hopper(),
      polisher(),
      rolling_stones(),
      sawtooth(),
      agony(),
      pain(),
      arched_snake(),
      heavy_on_snake(),
      ragdolls(),
      heavy_chain(),
      rope_bridge(),
      four_bar(),
      slider_crank(),
      car(),
      pinch_grasp(),
      robot_hand(),
      cubes_on_edge(),
      nested_stack(),
      octagon_slide(),
      spinning_discs(),
      deflated_balls(),
      spinning_balls(),
      tumbling_cylinders(),
      spinning_coin(),
      sloppy_stack(),
      soft_grasp(),
      bumpy_cube(),
      salad(),
  };
}

std::vector<BuiltIn> mesh_scenes() {
  return {
      jacks(),      glasses(),       chalices(),     funnel(), bowl(), temple(), colosseum(), gears(), bullet_through_paper(),
      marble_run(), hook_and_ring(), nut_and_bolt(),
  };
}

std::vector<BuiltIn> soft_scenes() {
  return {
      soft_stack(), soft_on_rigid(), rigid_on_soft(), cantilever(), squeezed_ball(), twisted_bar(),
      jelly_hand(), gripper(),       tyre(),          soft_jacks(), fish_in_net(),   strap_over_log(),
  };
}

std::vector<BuiltIn> barrier_scenes() {
  return {mat_twist(), chain_mail(), ball_through_rollers(), soft_cards(), card_shuffle(), arch()};
}

}   // namespace

const std::vector<BuiltIn>& built_ins() {
  static const std::vector<BuiltIn> table = [] {
    std::vector<BuiltIn> all = convex_scenes();
    for (const auto& family : {mesh_scenes(), soft_scenes(), barrier_scenes()})
      all.insert(all.end(), family.begin(), family.end());
    return all;
  }();
  return table;
}

Parameters::Parameters(const BuiltIn& built_in) : built_in_(built_in) {
  for (const BuiltIn::Parameter& p : built_in.parameters) values_.push_back(p.default_value);
}

void Parameters::set(const std::string& name, const Json& value) {
  try {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const BuiltIn::Parameter& p = built_in_.parameters[i];
      names.push_back(p.name);
      if (p.name != name) continue;
      if (!value.is_number()) throw Error(fmt::format("{} is {}. Give a number: {}.", shown(value), kind_of(value), p.help));
      const double number = value.get<double>();
      if (!(number >= p.least && number <= p.most)) {
        throw Error(fmt::format("{} is out of range. Give {} to {}: {}.", shown(value), p.least, p.most, p.help));
      }
      if (p.whole && number != std::floor(number)) {
        throw Error(fmt::format("{} is not a whole number. Give {} to {}: {}.", shown(value), p.least, p.most, p.help));
      }
      values_[i] = number;
      return;
    }
    throw Error(fmt::format("'{}' is not a parameter of {}. {}", name, built_in_.name, suggest(name, names)));
  } catch (Error& e) {
    throw e.at(name).at("parameters");
  }
}

double Parameters::operator[](std::string_view name) const {
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (built_in_.parameters[i].name == name) return values_[i];
  throw std::logic_error(fmt::format("the scene {} has no parameter {}", built_in_.name, name));
}

Json Parameters::as_json() const {
  Json all = Json::object();
  for (std::size_t i = 0; i < values_.size(); ++i) all[built_in_.parameters[i].name] = values_[i];
  return all;
}

Json generate(const BuiltIn& built_in, const Parameters& parameters) {
  Json document = {{"schema", 1},
                   {"name", built_in.name},
                   {"description", built_in.look_for},
                   {"generated_from", {{"built_in", built_in.name}, {"parameters", parameters.as_json()}}}};
  document.update(built_in.document(parameters));
  return document;
}

}   // namespace stickslip::document
