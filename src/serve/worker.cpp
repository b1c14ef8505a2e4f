#include "serve/worker.h"

namespace stickslip::serve {

Worker::Worker(std::function<void()> done) : done_(std::move(done)), thread_([this] { run(); }) {}
Worker::~Worker() { stop(); }

bool Worker::submit(Job job, std::size_t most) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || jobs_.size() + (working_ ? 1 : 0) > most) return false;
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
  return true;
}

bool Worker::idle() {
  const std::lock_guard lock(mutex_);
  return jobs_.empty() && !working_;
}

void Worker::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    jobs_.clear();
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Worker::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    working_ = true;
    lock.unlock();
    job(stopping_);
    lock.lock();
    working_ = false;
    lock.unlock();
    done_();
    lock.lock();
  }
}

}   // namespace stickslip::serve
