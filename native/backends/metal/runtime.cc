// Owns: opening the device of runtime.h once, and the pace of its command buffers.
// Must not know: chunks, files, Node-API, Objective-C.
#include "backends/metal/runtime.h"

#include <algorithm>

namespace framelab::metal {

namespace {

constexpr double kCommandSeconds = 0.1;
constexpr std::uint32_t kFewest = 256;
/** A table of 2 MiB, 512 MiB decoded. */
constexpr std::uint32_t kMost = 65536;
constexpr std::uint32_t kGrowth = 4;

}  // namespace

void Pace::measured(std::uint32_t blocks, double gpu_seconds) {
  // Short command buffers are mostly their own start: they say nothing of a long one.
  if (gpu_seconds <= 0 || blocks < kFewest) return;
  const double fitting = blocks / gpu_seconds * kCommandSeconds;
  const std::uint32_t most = std::min(kMost, blocks * kGrowth);
  blocks_ = fitting >= most ? std::max(most, blocks_.load())
                            : std::max(kFewest, static_cast<std::uint32_t>(fitting));
}

Runtime& Runtime::shared() {
  // Never destroyed: Metal's threads may outlive static objects.
  static Runtime* const runtime = new Runtime();
  return *runtime;
}

Opened Runtime::open() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!tried_) {
    tried_ = true;
    std::string why;
    std::shared_ptr<Device> device = Device::open(kKernelText, why);
    if (device != nullptr) {
      const SelfTest test = run_self_test(*device);
      if (test.passed) {
        opened_ = {device, std::make_shared<Shelf>(), test.choice, test.design};
        return opened_;
      }
      why = device->facts().name + " fails its self-test: " + test.why;
    }
    opened_ = {nullptr, nullptr, why, Design::uniform};
  }
  if (opened_.device != nullptr && !opened_.device->lost().empty())
    opened_ = {nullptr, nullptr, opened_.device->lost(), Design::uniform};
  return opened_;
}

void Runtime::forget(double wait_seconds) {
  const std::lock_guard<std::mutex> lock(mutex_);
  tried_ = false;
  opened_ = {};
  wait_seconds_ = wait_seconds;
}

}  // namespace framelab::metal
