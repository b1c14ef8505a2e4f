// "sensors" of scene documents. docs/driving.md describes them for users.
#pragma once

#include "scene/reader.h"
#include "stickslip/step/sensors.h"

namespace stickslip::document {

/// [{"name": "tip", "type": "contact", "body": "finger"}, …]. Bodies and joints must be in the world already.
std::vector<Sensor> read_sensors(const Place&, const World&);

}   // namespace stickslip::document
