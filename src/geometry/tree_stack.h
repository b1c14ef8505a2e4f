// Children of a tree that a query has still to look at.
#pragma once

#include <array>
#include <cassert>

#include "stickslip/geometry/triangle_tree.h"

namespace stickslip {

/// Room for the deepest tree there can be: 24 levels of any split and 32 of halving, each leaving at most all other children.
template <class Entry>
class TreeStack {
 public:
  bool empty() const { return size_ == 0; }
  void push(const Entry& entry) {
    assert(size_ < kRoom);
    entries_[size_++] = entry;
  }
  Entry pop() { return entries_[--size_]; }

 private:
  static constexpr int kRoom = 56 * TriangleTree::kWidth;
  Entry entries_[kRoom];
  int size_ = 0;
};

/// The lanes of a mask that are set, lowest first.
template <class Mask>
unsigned lanes_of(const Mask& mask) {
  unsigned bits = 0;
  for (int k = 0; k < TriangleTree::kWidth; ++k) bits |= static_cast<unsigned>(mask[k]) << k;
  return bits;
}

}   // namespace stickslip
