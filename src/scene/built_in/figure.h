// A human figure of 16 rigid parts, as bodies and joints of a scene document.
//
// It is described as it stands upright with hanging arms: origin on the floor between its feet, x forward, y to its left, z up.
// Height 1.75 m, mass 70 kg, shared among the parts as in the tables of de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment
// inertia parameters" (1996), rounded. Knees, elbows and ankles are hinges with limits; waist, back, neck, shoulders, wrists
// and hips are balls with a cone of swing and limits of twist. All limits count from the upright figure, in whatever pose the
// scene begins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scene/json.h"
#include "stickslip/math/types.h"

namespace stickslip::document {

class Figure {
 public:
  static constexpr double kMass = 70;   ///< [kg]
  // Points of the upright figure; y is mirrored for the right side [m].
  static inline const Vec3 kFingertips = {0, 0.19, 0.70};   ///< of the left hand
  static inline const Vec3 kSole = {0, 0.09, 0};            ///< under the left ankle
  static inline const Vec3 kShoulder = {0, 0.19, 1.43}, kHip = {0, 0.09, 0.91};

  /// @param prefix of the names of bodies and joints @param damping of the joints, as of passive tissue; wrists and ankles have
  /// a fifth of it [N m s/rad], ≥ 0
  explicit Figure(std::string prefix = "", double damping = 1);

  /// Turns a part, and all parts that hang on it, about the joint that holds it. @param axis in the upright figure, unit @pre
  /// the part exists
  void turn(std::string_view part, const Vec3& axis, double degrees);
  /// The same for "left-…" and, mirrored, for "right-…". @param part without the side
  void turn_both(std::string_view part, const Vec3& axis, double degrees);
  /// Moves the figure as a whole: maps coordinates of the upright figure to the world, for the pelvis.
  void place(const Pose& pelvis);

  /// Where a point of a part is now. @param upright where it is in the upright figure [m]
  Vec3 point(std::string_view part, const Vec3& upright) const;
  std::string name(std::string_view part) const { return prefix_ + std::string(part); }

  Json bodies() const;
  Json joints() const;

  /// A point of the left side, or its mirror image for "right".
  static Vec3 on_side(std::string_view side, const Vec3& left) { return side == "left" ? left : mirrored(left); }

 private:
  static Vec3 mirrored(const Vec3& left) { return {left.x(), -left.y(), left.z()}; }
  struct Part {
    std::string name;
    std::size_t parent;   ///< the pelvis is its own
    double mass;          ///< [kg]
    Json shape;
    Vec3 center;                      ///< of the shape, upright [m]
    Vec3 joint;                       ///< where it hangs on its parent, upright [m]
    Json joint_settings;              ///< type and limits
    Quat frame = Quat::Identity();    ///< of the joint on this part: z is the axis of a hinge, the bone of a ball
    Quat cone = Quat::Identity();     ///< turns the part, upright, to where its joint has all angles 0
    Quat turned = Quat::Identity();   ///< pose: relative to the parent
  };

  std::size_t index(std::string_view part) const;
  Pose moved(std::size_t part) const;   ///< from upright coordinates to the world
  void add_trunk();
  void add_arm(double side);
  void add_leg(double side);
  Json hinge(double lower, double upper, double share = 1) const;   ///< @param share of the damping
  Json ball(double swing, double twist, double share = 1) const;    ///< @param twist 0: free

  std::string prefix_;
  double damping_;
  Pose pelvis_;
  std::vector<Part> parts_;   ///< parents first
};

}   // namespace stickslip::document
