// Owns: the JavaScript calls for output memory.
// Must not know: frames.
#pragma once
#include <napi.h>

namespace framelab {

/** allocate(bytes) -> { buffer, zeroed }, page-aligned, or null when this host takes no outside memory. */
Napi::Value allocate_memory(const Napi::CallbackInfo& info);

/** adviseMemory(ArrayBuffer) -> offset of its first page boundary; asks for huge pages behind it. */
Napi::Value advise_memory(const Napi::CallbackInfo& info);

/** releaseMemory(ArrayBuffer): detaches it and gives its memory back. */
Napi::Value release_memory(const Napi::CallbackInfo& info);

/** keepMemory(bytes): most bytes of released outputs that are kept for reuse. */
Napi::Value keep_memory(const Napi::CallbackInfo& info);

/** mappedBytes() -> bytes of output memory mapped now. */
Napi::Value mapped_bytes(const Napi::CallbackInfo& info);

}  // namespace framelab
