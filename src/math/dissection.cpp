#include "math/dissection.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace stickslip {

namespace {

constexpr std::size_t kUndivided = 60;          ///< nodes of a part that other orders serve as well
constexpr double kCuts[] = {0.5, 0.44, 0.56};   ///< part of the nodes in front of a plane
constexpr double kUneven = 2;                   ///< price of halves that are not equal: of their excess over a half
constexpr double kSamePlane = 1e-9;             ///< over the extent of a part: nodes in one plane stay together
enum : int { kOutside, kFront, kBehind, kSeparator };

/// Axes, and diagonals of faces and of the whole.
const Vec3 kNormals[] = {{1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 0},  {1, -1, 0}, {1, 0, 1}, {1, 0, -1},
                         {0, 1, 1}, {0, 1, -1}, {1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};

class Dissection {
 public:
  Dissection(const NodeGraph& graph, std::span<const Vec3> places)
      : graph_(graph),
        places_(places),
        part_(graph.size(), 0),
        side_(graph.size(), kOutside),
        mate_(graph.size(), -1),
        seen_(graph.size(), 0) {}

  std::vector<int> run() {
    std::vector<int> all(graph_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    divide(all);
    return std::move(part_);
  }

 private:
  std::span<const int> neighbours(int node) const {
    return {graph_.neighbour.data() + graph_.first[node], graph_.neighbour.data() + graph_.first[node + 1]};
  }

  void divide(const std::vector<int>& nodes) {
    std::vector<int> halves[2], separator;
    if (nodes.size() > kUndivided && find_separator(nodes)) {
      for (std::size_t i = 0; i < nodes.size(); ++i)
        (best_[i] == kSeparator ? separator : halves[best_[i] == kFront ? 0 : 1]).push_back(nodes[i]);
      for (const std::vector<int>& half : halves) divide(half);
    } else {
      separator = nodes;
    }
    for (const int node : separator) part_[node] = count_;
    ++count_;
  }

  /// Writes the cheapest separator to best_, per node of the part. False if there is none.
  bool find_separator(const std::vector<int>& nodes) {
    double cheapest = std::numeric_limits<double>::infinity();
    const std::size_t n = nodes.size();
    along_.resize(n);
    for (const Vec3& normal : kNormals) {
      for (std::size_t i = 0; i < n; ++i) along_[i] = {normal.dot(places_[nodes[i]]), nodes[i]};
      std::sort(along_.begin(), along_.end());
      const double together = kSamePlane * (along_.back().first - along_.front().first);
      std::size_t last = 0;
      for (const double share : kCuts) {
        auto cut = static_cast<std::size_t>(share * static_cast<double>(n));
        const double level = along_[cut].first - together;
        while (cut > 0 && along_[cut - 1].first > level) --cut;
        if (cut == 0 || cut == last) continue;
        last = cut;
        for (std::size_t i = 0; i < n; ++i) side_[along_[i].second] = i < cut ? kFront : kBehind;
        const double cost = separate(nodes, cheapest);
        if (!(cost < cheapest)) continue;
        cheapest = cost;
        best_.resize(n);
        for (std::size_t i = 0; i < n; ++i) best_[i] = side_[nodes[i]];
      }
    }
    for (const int node : nodes) side_[node] = kOutside;
    return cheapest < std::numeric_limits<double>::infinity();
  }

  /// Moves the fewest nodes to the separator that leave no edge from front to back. @returns what it costs, or infinity if
  /// that is more than `most` or nothing is left of a half
  double separate(const std::vector<int>& nodes, double most) {
    if (!match(nodes, most)) return std::numeric_limits<double>::infinity();
    // Reachable from free nodes in front by alternating paths: of those in front the others, of those behind these [König].
    ++stamp_;
    stack_.clear();
    for (const int node : border_)
      if (mate_[node] < 0) seen_[node] = stamp_, stack_.push_back(node);
    while (!stack_.empty()) {
      const int node = stack_.back();
      stack_.pop_back();
      for (const int other : neighbours(node)) {
        if (side_[other] != kBehind || seen_[other] == stamp_) continue;
        seen_[other] = stamp_;
        const int back = mate_[other];   // there is one, or the matching would not be the largest
        if (seen_[back] != stamp_) seen_[back] = stamp_, stack_.push_back(back);
      }
    }
    for (const int node : border_) {
      if (mate_[node] < 0) continue;
      side_[seen_[node] == stamp_ ? mate_[node] : node] = kSeparator;
    }
    std::size_t halves[2] = {0, 0}, separator = 0;
    for (const int node : nodes) side_[node] == kSeparator ? ++separator : ++halves[side_[node] == kFront ? 0 : 1];
    if (halves[0] == 0 || halves[1] == 0) return std::numeric_limits<double>::infinity();
    const double larger = static_cast<double>(std::max(halves[0], halves[1])) / static_cast<double>(nodes.size());
    return static_cast<double>(separator) * (1 + kUneven * std::max(0.0, larger - 0.5));
  }

  /// The largest matching of nodes in front with nodes behind. False if it has `most` pairs or more.
  bool match(const std::vector<int>& nodes, double most) {
    border_.clear();
    std::size_t pairs = 0;
    for (const int node : nodes) mate_[node] = -1;
    for (const int node : nodes) {
      if (side_[node] != kFront) continue;
      bool at_border = false;
      for (const int other : neighbours(node)) {
        if (side_[other] != kBehind) continue;
        at_border = true;
        if (mate_[other] >= 0) continue;
        mate_[other] = node;
        mate_[node] = other;
        ++pairs;
        break;
      }
      if (at_border) border_.push_back(node);
    }
    for (bool grows = true; grows && static_cast<double>(pairs) < most;) {
      grows = false;
      ++stamp_;
      for (const int node : border_)
        if (mate_[node] < 0 && augment(node)) grows = true, ++pairs;
    }
    return static_cast<double>(pairs) < most;
  }

  /// Looks for a path from a free node in front to a free node behind that is matched in every second edge, and swaps it.
  bool augment(int start) {
    path_.assign(1, {start, graph_.first[start]});
    while (!path_.empty()) {
      auto& [node, next] = path_.back();
      if (next == graph_.first[node + 1]) {
        path_.pop_back();
        continue;
      }
      const int other = graph_.neighbour[next++];
      if (side_[other] != kBehind || seen_[other] == stamp_) continue;
      seen_[other] = stamp_;
      if (mate_[other] >= 0) {
        path_.emplace_back(mate_[other], graph_.first[mate_[other]]);
        continue;
      }
      for (const auto& [from, after] : path_) {
        const int to = graph_.neighbour[after - 1];
        mate_[to] = from;
        mate_[from] = to;
      }
      return true;
    }
    return false;
  }

  const NodeGraph& graph_;
  const std::span<const Vec3> places_;
  std::vector<int> part_, side_, mate_, seen_;   ///< per node
  std::vector<int> best_, border_, stack_;
  std::vector<std::pair<double, int>> along_;   ///< distance along a normal, node
  std::vector<std::pair<int, int>> path_;       ///< node in front, its next neighbour
  int stamp_ = 0, count_ = 0;
};

}   // namespace

std::vector<int> dissect(const NodeGraph& graph, std::span<const Vec3> places) { return Dissection(graph, places).run(); }

}   // namespace stickslip
