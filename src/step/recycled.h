// Values that are handed out shared, made anew in the memory of those that nobody holds any more.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

namespace stickslip {

/// What is taken in one round may still be held in the next, and is there again in the one after, or whenever nobody holds it
/// any more. Of what is held for long (a user keeps reports) only so much is waited for.
template <class T>
class Recycled {
 public:
  void begin_round() {
    free_.insert(free_.end(), std::make_move_iterator(before_.begin()), std::make_move_iterator(before_.end()));
    before_.swap(given_);
    given_.clear();
    if (const std::size_t most = kMostWaiting * before_.size() + kFewWaiting; free_.size() > most) free_.resize(most);
  }

  /// One that nobody else holds, as it was left. @param make of the first ones
  template <class Make>
  std::shared_ptr<T> take(Make&& make) {
    std::shared_ptr<T> one;
    while (!free_.empty() && !one) {
      one = std::move(free_.back());
      free_.pop_back();
      if (one.use_count() > 1) given_.push_back(std::move(one));
    }
    if (one) std::atomic_thread_fence(std::memory_order_acquire);   // whoever let go of it last has read it
    else one = make();
    given_.push_back(one);
    return one;
  }

 private:
  static constexpr std::size_t kMostWaiting = 4, kFewWaiting = 64;   ///< for each that a round takes, and beside them
  std::vector<std::shared_ptr<T>> given_, before_, free_;
};

}   // namespace stickslip
