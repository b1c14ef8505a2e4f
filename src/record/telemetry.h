// The per-step numbers that every record keeps: one table, read by the CSV and by the trajectory writer.
#pragma once

#include <span>
#include <string_view>

#include "stickslip/step/report.h"

namespace stickslip {

struct TelemetryColumn {
  std::string_view name;
  std::string_view unit;          ///< "" if dimensionless; "m/s", "J", …
  std::string_view unit_suffix;   ///< the unit as it stands in a CSV column name: "m_per_s"
  std::string_view meaning;
  double (*value)(const StepReport&);
};

std::span<const TelemetryColumn> telemetry_columns();

}   // namespace stickslip
