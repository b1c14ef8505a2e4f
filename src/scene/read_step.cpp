#include "scene/read_parts.h"

namespace stickslip::document {

namespace {

void read(const Place& place, Scheme& scheme) {
  std::string name;
  document::read(place, name);
  place.within([&] { scheme = scheme_from_name(name); });
}

void read(const Place& place, Gyroscopic& gyroscopic) {
  std::string name;
  document::read(place, name);
  place.within([&] { gyroscopic = gyroscopic_from_name(name); });
}

void read(const Place& place, Stabilisation& stabilisation) {
  Fields fields(place, "a stabilisation");
  std::size_t method = 1;
  if (const auto field = fields.find("method")) method = read_choice(*field, {"none", "baumgarte", "spring"});
  if (method == 0) {
    stabilisation = NoStabilisation{};
  } else if (method == 1) {
    Baumgarte b;
    fields.optional("error_reduction", b.error_reduction);
    fields.optional("compliance", b.compliance);
    stabilisation = b;
  } else {
    SpringDamper s;
    s.stiffness = fields.required<double>("stiffness");
    fields.optional("damping", s.damping);
    stabilisation = s;
  }
  fields.finish();
}

/// An object switches the thing on, unless it says otherwise; true and false are short for it.
template <class Options, class F>
void read_switch(const Place& place, std::string what, Options& options, F&& fields_of) {
  if (place.value().is_boolean()) {
    options.enabled = place.value().get<bool>();
    return;
  }
  options.enabled = true;
  read_object(place, std::move(what), [&](Fields& fields) {
    fields.optional("enabled", options.enabled);
    fields_of(fields);
  });
}

void read(const Place& place, PenaltyOptions& penalty) {
  read_object(place, "the options of the penalty integrator", [&](Fields& f) {
    if (const auto field = f.find("law")) penalty.law = static_cast<PenaltyLaw>(read_choice(*field, penalty_law_names()));
    if (const auto field = f.find("friction"))
      penalty.friction = static_cast<PenaltyFriction>(read_choice(*field, penalty_friction_names()));
    if (const auto field = f.find("stepping"))
      penalty.stepping = static_cast<PenaltyStepping>(read_choice(*field, penalty_stepping_names()));
    f.optional("depth", penalty.depth);
    f.optional("stiffness", penalty.stiffness);
    f.optional("damping", penalty.damping);
    f.optional("friction_damping", penalty.friction_damping);
    f.optional("exponent", penalty.exponent);
    f.optional("substeps", penalty.substeps);
  });
}

void read(const Place& place, MeritRule& merit) {
  read_object(place, "the merit function", [&](Fields& f) {
    merit.function = static_cast<Merit>(read_choice(f.get("function"), merit_names()));
    f.optional("absolute", merit.absolute);
    f.optional("relative", merit.relative);
    f.optional("divergence", merit.divergence);
  });
}

/// A name, or an object with the name and the options of that solver.
void read_solver(const Place& place, StepOptions& step) {
  if (place.value().is_string()) {
    step.solver = place.value().get<std::string>();
  } else if (place.value().is_object()) {
    for (const auto& [key, value] : place.value().items()) {
      const Place field(value, place, key);
      if (key == "name") document::read(field, step.solver);
      else if (value.is_number()) step.solver_options.emplace_back(key, value.get<double>());
      else if (value.is_boolean()) step.solver_options.emplace_back(key, value.get<bool>());
      else if (value.is_string()) step.solver_options.emplace_back(key, value.get<std::string>());
      else field.wrong_type("Give a number, a string, true or false.");
    }
  } else {
    place.wrong_type("Give the name of a solver, or an object with its name and options.");
  }
  try {
    make_solver(step.solver, step.solver_options);
  } catch (Error& e) {
    // An error without a place is about the name itself.
    if (e.pointer().empty() && place.value().contains("name")) e.at("name");
    place.within([&] { throw e; });
  }
}

void read(const Place& place, SoftOptions& soft) {
  read_object(place, "the options of soft bodies", [&](Fields& f) {
    if (const auto how = f.find("operator"))
      soft.operator_ = static_cast<SoftOperator>(read_choice(*how, soft_operator_names()));
    if (const auto how = f.find("solution"))
      soft.solution = static_cast<SoftSolution>(read_choice(*how, soft_solution_names()));
    f.optional("max_linearisations", soft.max_linearisations);
    f.optional("max_pieces", soft.max_pieces);
  });
}

}   // namespace

void read(const Place& place, StepOptions& step) {
  read_object(place, "the step options", [&](Fields& fields) {
    fields.optional("h", step.h);
    if (const auto field = fields.find("scheme")) read(*field, step.scheme);
    if (const auto field = fields.find("gyroscopic")) read(*field, step.gyroscopic);
    if (const auto field = fields.find("stabilisation")) read(*field, step.stabilisation);
    if (const auto field = fields.find("projection")) {
      read_switch(*field, "the projection", step.projection, [&](Fields& f) {
        f.optional("max_rounds", step.projection.max_rounds);
        f.optional("iterations", step.projection.iterations);
        f.optional("fraction", step.projection.fraction);
      });
    }
    if (const auto field = fields.find("sleep")) {
      read_switch(*field, "the sleep options", step.sleep, [&](Fields& f) {
        f.optional("time", step.sleep.time);
        f.optional("speed", step.sleep.speed);
      });
    }
    fields.optional("warm_start", step.warm_start);
    fields.optional("geometric_stiffness", step.geometric_stiffness);
    fields.optional("restitution_threshold", step.restitution_threshold);
    fields.optional("margin", step.margin);
    fields.optional("contact_band", step.contact_band);
    fields.optional("contact_elasticity", step.contact_elasticity);
    fields.optional("turning_contacts", step.turning_contacts);
    if (const auto field = fields.find("contact")) step.contact = static_cast<ContactForm>(read_choice(*field, kContactForms));
    if (const auto field = fields.find("soft")) read(*field, step.soft);
    if (const auto field = fields.find("barrier"))
      read_object(*field, "the options of barriers", [&](Fields& f) {
        f.optional("range", step.barrier.range);
        f.optional("stiffness", step.barrier.stiffness);
        f.optional("slip", step.barrier.slip);
        f.optional("anchored", step.barrier.anchored);
        f.optional("max_lags", step.barrier.max_lags);
        if (const auto form = f.find("form"))
          step.barrier.form = static_cast<BarrierForm>(read_choice(*form, barrier_form_names()));
        if (const auto method = f.find("method"))
          step.barrier.method = static_cast<MinimiseMethod>(read_choice(*method, minimise_method_names()));
      });
    if (const auto field = fields.find("penalty")) read(*field, step.penalty);
    fields.optional("overlap", step.overlap);
    fields.optional("tolerance", step.tolerance);
    fields.optional("max_iterations", step.max_iterations);
    if (const auto field = fields.find("merit")) read(*field, step.merit);
    fields.optional("last_iterate", step.last_iterate);
    fields.optional("keep_history", step.keep_history);
    fields.optional("threads", step.threads);
    fields.optional("integrator", step.integrator);
    if (const auto field = fields.find("solver")) read_solver(*field, step);
  });
  place.within([&] { validate(step); });
}

}   // namespace stickslip::document
