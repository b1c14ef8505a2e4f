// Pieces of the scene document that an imported tree becomes.
#pragma once

#include <set>

#include "import/joint_groups.h"
#include "scene/json.h"

namespace stickslip::robot {

using document::Json;

Json json_of(const Vec3&);
Json json_of(const Shape&);
/// Adds "position" and "orientation_wxyz" where they are not those of the identity.
void put_pose(Json&, const Pose&);
/// {"position": …, "orientation_wxyz": …}
Json json_of(const Pose&);

/// Where a joint of the tree is found in the scene.
struct SceneCoordinate {
  std::string joint;
  int coordinate;
  double sign;
};

/// One joint of the scene: type, bodies, frames, and the settings of its coordinates.
Json json_of(const JointGroup&, const std::string& name, const std::string& a, const Pose& frame_a, const std::string& b,
             const Pose& frame_b);

using Pairs = std::set<std::pair<int, int>>;

/// Pairs of bodies of one tree whose shapes overlap at the start although nothing keeps them apart yet.
/// @param bodies "bodies" of the document @param meshes "meshes" of it @param folder that their files are relative to
/// @param index_of body of
/// each name
struct StartOverlap {
  int a, b;
  double depth;   ///< [m]
};
std::vector<StartOverlap> overlaps_at_start(const Json& bodies, const Json& meshes, const std::filesystem::path& folder,
                                            const std::map<std::string, int>& index_of);

/// Pairs that MJCF keeps from touching: by rigid connection, by parent, and by contype and conaffinity.
void keep_apart_as_mujoco(const Tree&, Pairs&, Findings&);

}   // namespace stickslip::robot
