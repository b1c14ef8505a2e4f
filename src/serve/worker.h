// A thread for what takes long and must not hold up the simulation.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace stickslip::serve {

/// Does jobs one after the other. A job looks at the flag it is given and ends soon after it becomes true; it must not throw.
class Worker {
 public:
  using Job = std::function<void(const std::atomic<bool>& cancel)>;

  /// @param done called after every job, on the thread of the worker
  explicit Worker(std::function<void()> done);
  ~Worker();   ///< stops

  /// @param most jobs that may be waiting or under way, this one not counted @returns whether there was room for it
  bool submit(Job, std::size_t most);
  bool idle();
  /// Cancels the job under way, drops the others and ends the thread.
  void stop();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  bool working_ = false;
  std::atomic<bool> stopping_ = false;
  std::function<void()> done_;
  std::thread thread_;
};

}   // namespace stickslip::serve
