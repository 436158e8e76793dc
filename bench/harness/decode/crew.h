// Owns: threads that run one function at the same moment, again and again, and the time that each run takes.
// Must not know: what they run.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace bench {

/** `threads` threads, the caller's among them. */
class Crew {
 public:
  explicit Crew(unsigned threads) {
    for (unsigned i = 1; i < threads; ++i) helpers_.emplace_back([this] { help(); });
  }

  ~Crew() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& helper : helpers_) helper.join();
  }

  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /** One part of a pass. */
  using Part = std::function<void(std::size_t)>;

  /**
   * Calls `part(i)` on every thread at once for each i below `times.size()`, and adds the milliseconds until
   * all have returned to `times[i]`. Helpers are awake and spin before the first, so that no wake-up is
   * timed.
   */
  void run(const Part& part, std::vector<std::vector<double>>& times) {
    using Clock = std::chrono::steady_clock;
    const std::size_t count = helpers_.size();
    part_ = &part;
    parts_ = times.size();
    ready_ = 0;
    go_ = 0;
    done_ = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++pass_;
    }
    wake_.notify_all();
    spin_until(ready_, count);
    for (std::size_t i = 0; i < parts_; ++i) {
      const Clock::time_point start = Clock::now();
      go_.store(i + 1, std::memory_order_release);
      part(i);
      spin_until(done_, (i + 1) * count);
      times[i].push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
  }

 private:
  static void spin_until(const std::atomic<std::size_t>& value, std::size_t wanted) {
    // Yields now and then: on a busy machine the awaited thread may need this core.
    for (unsigned spins = 1; value.load(std::memory_order_acquire) < wanted; ++spins) {
      if (spins % 1024 == 0) std::this_thread::yield();
    }
  }

  void help() {
    for (unsigned seen = 0;; ++seen) {
      {
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait(lock, [&] { return ending_ || pass_ != seen; });
        if (ending_) return;
      }
      const Part& part = *part_;
      const std::size_t parts = parts_;
      ++ready_;
      for (std::size_t i = 0; i < parts; ++i) {
        spin_until(go_, i + 1);
        part(i);
        done_.fetch_add(1, std::memory_order_release);
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  unsigned pass_ = 0;
  bool ending_ = false;
  const Part* part_ = nullptr;
  std::size_t parts_ = 0;
  std::atomic<std::size_t> ready_{0};
  std::atomic<std::size_t> go_{0};
  std::atomic<std::size_t> done_{0};
  std::vector<std::thread> helpers_;
};

}  // namespace bench
