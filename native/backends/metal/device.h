// Owns: a Metal device with its compiled kernels, its buffers, and running dispatches to a checked end.
// Must not know: chunks, files, Node-API; what a kernel decodes. Plain C++: Objective-C stays in device.mm.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace framelab::metal {

/** The kernels of metal/, in the order of `kKernels`. */
struct KernelFacts {
  const char* name;
  unsigned threads;
};
extern const std::vector<KernelFacts> kKernels;

struct DeviceFacts {
  std::string name;
  /** Longest buffer, and how much memory the device recommends to use at once, in bytes. */
  std::uint64_t max_buffer_bytes = 0;
  std::uint64_t working_set_bytes = 0;
};

/** Memory that the GPU and the CPU share. Freed, or given back, when nothing on the GPU uses it any more. */
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual void* contents() const = 0;
  virtual std::size_t bytes() const = 0;
};

struct Binding {
  const Buffer* buffer;
  /** A multiple of 256 below the buffer's length. */
  std::size_t offset;
};

/** One dispatch: buffers by index; `params` (at most 4,095 bytes) goes to index 4 when there are any. */
struct Dispatch {
  std::string kernel;
  std::vector<Binding> buffers;
  std::vector<std::uint8_t> params;
  std::uint32_t groups = 0;
};

struct RunOutcome {
  bool ok = false;
  /** Why not, in the driver's whole words. */
  std::string message;
  double gpu_seconds = 0;
};

/** A committed command buffer. Dropped unwaited, it still runs to its end. */
class Commands {
 public:
  virtual ~Commands() = default;
  /**
   * Waits for its end, at most `seconds`. A command buffer that fails for another's fault is run once more. After a
   * wait that ran out the device answers nothing but that.
   */
  virtual RunOutcome wait(double seconds) = 0;
};

/** Safe on any thread. */
class Device {
 public:
  /** Opens the default device and compiles `source`. Null, and why, when anything is not as the kernels need
   * it. */
  static std::unique_ptr<Device> open(const char* source, std::string& why);
  virtual ~Device() = default;
  /** The same GPU with the kernels of another text: buffers of one are good for the other. For the bench. */
  virtual std::unique_ptr<Device> open_beside(const char* source, std::string& why) = 0;

  virtual const DeviceFacts& facts() const = 0;
  /** Zeroed memory. Null when the device refuses. */
  virtual std::unique_ptr<Buffer> allocate(std::size_t bytes) = 0;
  /**
   * A buffer over memory of the caller's, which must stay mapped until the buffer is gone. Null when pointer
   * or length is not on a page, or when the device refuses: copy then.
   */
  virtual std::unique_ptr<Buffer> wrap(void* memory, std::size_t bytes) = 0;
  /** Commits the dispatches, in order, as one command buffer. It runs behind all that were committed before. */
  virtual std::unique_ptr<Commands> commit(std::vector<Dispatch> dispatches) = 0;
  /** Commits and waits. */
  RunOutcome run(std::vector<Dispatch> dispatches, double seconds) {
    return commit(std::move(dispatches))->wait(seconds);
  }
  /** Why the device is not used any more; empty while it is. */
  virtual std::string lost() const = 0;
};

/** Bytes of a page of this process: what `wrap` asks for. */
std::size_t page_bytes();

}  // namespace framelab::metal
