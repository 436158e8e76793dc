// Owns: the process's decoder threads and the order in which they take work.
// Must not know: what a step of work does, Node-API.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "core/aligned_buffer.h"

namespace framelab {

/** Memory of one thread, kept from step to step. */
struct ThreadScratch {
  AlignedBuffer block;
  AlignedBuffer elements;
  AlignedBuffer stored;
};

/** Work in steps, taken by several threads at once. No exception leaves its functions. */
class Job {
 public:
  virtual ~Job() = default;
  /** Takes and runs one step; false when none is left to take. Called by many threads at once. */
  virtual bool step(ThreadScratch& scratch) noexcept = 0;
  /** Called once, by the thread that ran the last step to end. */
  virtual void finished() noexcept = 0;
  /** Whether its steps wait for another processor: such a job may not keep its thread from the others. */
  virtual bool waits() const noexcept { return false; }
};

/**
 * One pool for the whole process: loads that run at once, in any JavaScript environment, take turns on its
 * threads. Those that jobs which wait were given end when they are too many. It is never destroyed, so that a thread that
 * is still asleep at exit finds it.
 */
class Pool {
 public:
  static Pool& shared();
  /** Runs `job` on at most `parallel` threads. Throws std::system_error when not even one thread can be
   * started. */
  void submit(std::shared_ptr<Job> job, unsigned parallel);
  /** Threads that there are now, at work or asleep. */
  unsigned threads();

 private:
  struct Entry {
    std::shared_ptr<Job> job;
    unsigned parallel;
    unsigned active = 0;
    bool exhausted = false;
  };

  Pool() = default;
  void start_threads(unsigned wanted);
  unsigned wanted_threads() const;
  bool has_too_many() const;
  void run();
  std::list<Entry>::iterator next_entry();

  std::mutex mutex_;
  std::condition_variable work_;
  std::list<Entry> entries_;
  /** Most threads that a job which never waits was to have. */
  unsigned widest_ = 0;
  unsigned threads_ = 0;
};

}  // namespace framelab
