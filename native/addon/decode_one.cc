// Owns: the JavaScript calls that decode one chunk or one block at once, for tests of every instruction set.
// Must not know: how a chunk is decoded.
#include "addon/decode_one.h"

#include <cstring>

#include "addon/arguments.h"
#include "addon/format_arguments.h"

namespace framelab {

namespace {

Napi::Object one_object(const Napi::CallbackInfo& info) {
  if (info.Length() != 1 || !info[0].IsObject())
    throw Napi::TypeError::New(info.Env(), "one object is expected");
  return info[0].As<Napi::Object>();
}

Napi::Value number(Napi::Env env, Reason reason) {
  return Napi::Number::New(env, static_cast<double>(reason));
}

}  // namespace

Napi::Value decode_one_chunk(const Napi::CallbackInfo& info) {
  const Napi::Object from = one_object(info);
  const ChunkFormat format = format_argument(from);
  const Kernels& kernels = kernels_argument(from);
  const auto mask = static_cast<std::uint32_t>(whole_number(from, "filterMask", UINT32_MAX));
  const Bytes stored = byte_array(from, "stored");
  const Bytes out = byte_array(from, "out");
  if (out.size != format.chunk_bytes) throw Napi::RangeError::New(info.Env(), "out is not one chunk long");
  AlignedBuffer scratch;
  const StoredChunk chunk = {stored.data, stored.size, stored.data + stored.size};
  return number(info.Env(), decode_chunk(kernels, format, mask, chunk, out.data, scratch).reason);
}

Napi::Value decode_one_block(const Napi::CallbackInfo& info) {
  const Napi::Object from = one_object(info);
  const Kernels& kernels = kernels_argument(from);
  const Bytes stream = byte_array(from, "stream");
  const Bytes out = byte_array(from, "out");
  AlignedBuffer scratch;
  std::uint8_t* const block = scratch.reserve(out.size + kBlockSlack);
  const std::uint8_t* const end = stream.data + stream.size;
  const Reason reason = kernels.decode_block({stream.data, end, end}, block, out.size, nullptr);
  if (reason == Reason::ok) std::memcpy(out.data, block, out.size);
  return number(info.Env(), reason);
}

Napi::Value list_isas(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Napi::Array list = Napi::Array::New(env);
  for (const Kernels* const* k = kAllKernels; *k != nullptr; ++k) {
    Napi::Object entry = Napi::Object::New(env);
    entry.Set("name", (*k)->name);
    entry.Set("text", (*k)->text);
    entry.Set("supported", (*k)->supported());
    list.Set(list.Length(), entry);
  }
  return list;
}

}  // namespace framelab
