// The elements of URDF: which are read, which are passed over and why.
#pragma once

#include "import/xml.h"

namespace stickslip::robot {

/// Marks what the importer reads, checks that numbers are numbers, and accounts for what has no place in a scene.
/// @throws Error with the line of a number that is none, or of an element that cannot be passed over
void walk_urdf(const XmlNode& root, Findings&);

/// Checks that links and joints are one tree. @throws Error with the line of the first that does not fit
void check_urdf_tree(const XmlNode& root);

}   // namespace stickslip::robot
