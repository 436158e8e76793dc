// Owns: the known answers of probe_simd.
// Must not know: decoders.
#pragma once
#include <string>

#include "machine.h"

namespace cases {

// First wrong answer of the probe kernel, in words; empty when all are right.
std::string probe_difference(Machine &machine);

}  // namespace cases
