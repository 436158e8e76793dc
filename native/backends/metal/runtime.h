// Owns: the one Metal device of the process: opened and tested at first use, and how much work a command buffer takes.
// Must not know: chunks, files, Node-API.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "backends/metal/device.h"
#include "backends/metal/self_test.h"
#include "backends/metal/shelf.h"

namespace framelab::metal {

/** Blocks of a command buffer, so that it runs about 100 ms: measured from those before. Safe on any thread. */
class Pace {
 public:
  std::uint32_t blocks() const { return blocks_.load(std::memory_order_relaxed); }
  /** A command buffer with so many blocks ran so long. */
  void measured(std::uint32_t blocks, double gpu_seconds);

 private:
  static constexpr std::uint32_t kFirst = 512;
  std::atomic<std::uint32_t> blocks_{kFirst};
};

/** A device that passed its self-test, or why there is none. */
struct Opened {
  std::shared_ptr<Device> device;
  /** Of this device. */
  std::shared_ptr<Shelf> shelf;
  /** Null device: the reason (no full stop). Else which design of the fused kernels runs, and why. */
  std::string why;
  Design design = Design::uniform;
};

class Runtime {
 public:
  static Runtime& shared();
  /** Opens and tests the device, once a process: about a second. Afterwards the same answer, until it is lost. */
  Opened open();
  Pace& pace() { return pace_; }

  /** Longest wait for a command buffer, far above what its work takes: the system ends those that hang after seconds. */
  double wait_seconds() const { return wait_seconds_; }
  /** For tests: opens anew next time, and waits so long. */
  void forget(double wait_seconds);

 private:
  std::mutex mutex_;
  bool tried_ = false;
  Opened opened_;
  Pace pace_;
  std::atomic<double> wait_seconds_{20};
};

/** The text of metal/, made at build time. */
extern const char* const kKernelText;

}  // namespace framelab::metal
