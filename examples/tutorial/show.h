// What the programs of the tutorial computed, as something to look at. The only part of it that uses Stickslip.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "step-1/body.h"

namespace tutorial {

/// A contact as the viewer draws it.
struct Arrow {
  int a = 0, b = 0;   // bodies
  Vec3 point, normal;
  double gap = 0;              // [m]
  Vec3 force = Vec3::Zero();   // on body b [N]
};

/// A film of the bodies: page.html plays in any browser, film.glb and film.h5 are for other programs.
class Film {
 public:
  /// Takes the file from the command line: `step-1 page.html`. Without one nothing is recorded.
  Film(int argc, char** argv, const std::string& title, const Bodies& bodies);
  ~Film();   // completes the file
  /// What is there at a time [s]; of all that is told, the film keeps 60 pictures a second.
  void frame(double time, const Bodies& bodies, const std::vector<Arrow>& arrows = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}   // namespace tutorial
