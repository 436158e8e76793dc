// Owns: the process's decoder threads and the order in which they take work.
// Must not know: what a step of work does, Node-API.
#include "core/pool.h"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

namespace framelab {

namespace {

/** Threads for jobs that wait which stay without one: a load has two such jobs, one after the other. */
constexpr unsigned kSpareThreads = 2;
/** One very large chunk must not hold memory afterwards. */
constexpr std::size_t kKeepBytes = std::size_t{4} << 20;

/** Node unloads an addon with the worker that loaded it, but our threads outlive workers: stay loaded. */
void stay_loaded() {
  Dl_info self;
  if (dladdr(reinterpret_cast<void*>(&stay_loaded), &self) != 0 && self.dli_fname != nullptr) {
    dlopen(self.dli_fname, RTLD_LAZY | RTLD_NODELETE);
  }
}

/** Signals belong to the threads of the host: an interrupt must wake its event loop. */
class BlockSignals {
 public:
  BlockSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

Pool& Pool::shared() {
  static Pool* const pool = [] {
    stay_loaded();
    return new Pool();
  }();
  return *pool;
}

void Pool::submit(std::shared_ptr<Job> job, unsigned parallel) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!job->waits()) widest_ = std::max(widest_, parallel);
    entries_.push_back({std::move(job), parallel});
    try {
      start_threads(wanted_threads());
    } catch (...) {
      entries_.pop_back();
      throw;
    }
  }
  work_.notify_all();
}

/** As many as the widest job computes with, and one for each job that waits: none stands behind another's wait. */
unsigned Pool::wanted_threads() const {
  unsigned wanted = widest_;
  for (const Entry& entry : entries_) wanted += entry.job->waits() ? 1 : 0;
  return wanted;
}

/** Whether a thread that finds nothing to do may end. Jobs that wait and end leave one a job, which looks for work next. */
bool Pool::has_too_many() const { return threads_ > std::max(wanted_threads(), widest_ + kSpareThreads); }

unsigned Pool::threads() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return threads_;
}

void Pool::start_threads(unsigned wanted) {
  const BlockSignals inherited_by_new_threads;
  while (threads_ < wanted) {
    try {
      std::thread([this] { run(); }).detach();
    } catch (const std::system_error&) {
      // Fewer threads decode as well, only slower.
      if (threads_ == 0) throw;
      return;
    }
    ++threads_;
  }
}

/** The first job that another thread may join, moved to the end: jobs take turns. */
std::list<Pool::Entry>::iterator Pool::next_entry() {
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->exhausted || entry->active >= entry->parallel) continue;
    entries_.splice(entries_.end(), entries_, entry);
    return entry;
  }
  return entries_.end();
}

void Pool::run() {
  ThreadScratch scratch;
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    const auto entry = next_entry();
    if (entry == entries_.end()) {
      if (has_too_many()) {
        --threads_;
        return;
      }
      work_.wait(lock);
      continue;
    }
    ++entry->active;
    lock.unlock();
    const bool ran = entry->job->step(scratch);
    scratch.block.trim(kKeepBytes);
    scratch.elements.trim(kKeepBytes);
    scratch.stored.trim(kKeepBytes);
    lock.lock();
    --entry->active;
    entry->exhausted = entry->exhausted || !ran;
    if (entry->exhausted && entry->active == 0) {
      const std::shared_ptr<Job> job = std::move(entry->job);
      entries_.erase(entry);
      lock.unlock();
      job->finished();
      lock.lock();
    }
  }
}

}  // namespace framelab
