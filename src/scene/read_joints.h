// "joints" and "ignore_contacts" of scene documents. docs/joints.md describes them for users.
#pragma once

#include "scene/reader.h"
#include "stickslip/world/world.h"

namespace stickslip::document {

/// Reads "joints" and "ignore_contacts" of the document. The bodies must be in the world already. Gears are added after all
/// other joints, so that they may stand before those they name. @param warnings gets a sentence for each field that has no
/// effect
void read_joints(Fields& document, World&, std::vector<std::string>& warnings);

/// "joint" and "coordinate" of an object; the latter may be left out where only one is free.
GearSide read_joint_coordinate(Fields&, const World&);

BodyId read_body_name(const Place&, const World&);

}   // namespace stickslip::document
