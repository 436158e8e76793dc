// Owns: running probe_simd on a test machine; the answers are the host's own.
// Must not know: decoders.
#include "probe.h"

#include "backends/metal/probe_answers.h"

namespace cases {

std::string probe_difference(Machine &machine) {
    uint32_t got[framelab::metal::kProbeWords];
    uint32_t counters[3] = {UINT32_MAX, 0, 0};
    void *results = machine.allocate(sizeof got);
    void *shared = machine.allocate(sizeof counters);
    machine.fill(results, 0xA5, sizeof got);
    machine.upload(shared, counters, sizeof counters);
    machine.run("probe_simd", {results, shared}, nullptr, 1);
    machine.download(got, results, sizeof got);
    machine.download(counters, shared, sizeof counters);
    machine.release(results);
    machine.release(shared);
    return framelab::metal::probe_difference(got, counters);
}

}  // namespace cases
