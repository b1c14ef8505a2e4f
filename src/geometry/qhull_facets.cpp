#include "geometry/qhull_facets.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include <libqhull_r/qhull_ra.h>

namespace stickslip {

namespace {

/// A text stream in memory: Qhull writes its complaints into a FILE, and the library never prints.
class Messages {
 public:
  Messages() : file_(open_memstream(&text_, &size_)) {}
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  ~Messages() {
    if (file_) std::fclose(file_);
    std::free(text_);
  }
  FILE* file() { return file_; }
  std::string first_line() {
    std::fflush(file_);
    const std::string all(text_, size_);
    return all.substr(0, all.find('\n'));
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  FILE* file_ = nullptr;
};

/// The re-entrant state of one Qhull run.
class QhullRun {
 public:
  QhullRun() { qh_zero(&state_, messages_.file()); }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;
  ~QhullRun() {
    qh_freeqhull(&state_, !qh_ALL);
    int current_long = 0, total_long = 0;
    qh_memfreeshort(&state_, &current_long, &total_long);
  }

  bool compute(std::vector<double>& coordinates) {
    char command[] = "qhull";
    return qh_new_qhull(&state_, 3, static_cast<int>(coordinates.size() / 3), coordinates.data(), False, command, nullptr,
                        messages_.file()) == 0;
  }
  qhT* state() { return &state_; }
  std::string complaint() { return messages_.first_line(); }

 private:
  Messages messages_;
  qhT state_{};
};

int point_index(qhT* qh, const void* vertex) { return qh_pointid(qh, static_cast<const vertexT*>(vertex)->point); }

void append_simplicial(qhT* qh, const facetT* facet, int index, std::vector<DirectedEdge>& edges) {
  int corner[3];
  for (int i = 0; i < 3; ++i) corner[i] = point_index(qh, SETelem_(facet->vertices, i));
  if (!facet->toporient) std::swap(corner[0], corner[1]);
  for (int i = 0; i < 3; ++i) edges.push_back({corner[i], corner[(i + 1) % 3], index});
}

/// A ridge is stored once for its two facets; it runs from its first to its second vertex as seen by its top facet.
void append_merged(qhT* qh, const facetT* facet, int index, std::vector<DirectedEdge>& edges) {
  for (int i = 0; i < qh_setsize(qh, facet->ridges); ++i) {
    const auto* ridge = static_cast<const ridgeT*>(SETelem_(facet->ridges, i));
    int from = point_index(qh, SETelem_(ridge->vertices, 0)), to = point_index(qh, SETelem_(ridge->vertices, 1));
    if (ridge->top != facet) std::swap(from, to);
    edges.push_back({from, to, index});
  }
}

}   // namespace

QhullFacets qhull_facets(const std::vector<Vec3>& points) {
  std::vector<double> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vec3& p : points) coordinates.insert(coordinates.end(), {p.x(), p.y(), p.z()});

  QhullFacets result;
  const auto run = std::make_unique<QhullRun>();
  if (!run->compute(coordinates)) {
    result.failure = run->complaint();
    return result;
  }
  qhT* qh = run->state();
  for (const facetT* facet = qh->facet_list; facet && facet->next; facet = facet->next) {
    const int index = result.facet_count++;
    if (facet->simplicial) append_simplicial(qh, facet, index, result.edges);
    else append_merged(qh, facet, index, result.edges);
  }
  return result;
}

}   // namespace stickslip
