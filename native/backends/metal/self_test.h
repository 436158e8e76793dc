// Owns: the known-answer test that every kernel must pass on the user's GPU before it is used, and the choice
// of design. Must not know: files, chunks, Node-API.
#pragma once
#include <string>

#include "backends/metal/device.h"

namespace framelab::metal {

enum class Design { uniform, windowed };
const char* design_name(Design design);

struct SelfTest {
  /** False: the device must not be used; `why` says what was wrong. */
  bool passed = false;
  std::string why;
  /** The design of the fused kernels that is used, and a sentence for the report: what ran, what was dropped.
   */
  Design design = Design::uniform;
  std::string choice;
};

/**
 * Runs the probe of the SIMD operations, then every decode kernel on good and damaged blocks, then both fused
 * designs against the clock. A fused design that answers wrongly is dropped; any other wrong answer fails the
 * device.
 */
SelfTest run_self_test(Device& device);

}  // namespace framelab::metal
