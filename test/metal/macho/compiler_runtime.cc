// Owns: names that Apple's compiler links from its own runtime library, which is not to be had here.
// Must not know: what they would hold: this is linked to be looked at, and never run.
#include <cstdint>

extern "C" {
struct {
  unsigned vendor, type, subtype, features[1];
} __cpu_model;
std::uint32_t __cpu_features2[3];
std::int32_t __cpu_indicator_init(void);
std::int32_t __cpu_indicator_init(void) { return 0; }
std::int32_t __isPlatformVersionAtLeast(std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t);
std::int32_t __isPlatformVersionAtLeast(std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t) { return 0; }
}
