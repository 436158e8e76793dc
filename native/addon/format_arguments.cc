// Owns: reading a chunk format and an instruction set from JavaScript.
// Must not know: batches, files.
#include "addon/format_arguments.h"

#include "addon/arguments.h"

namespace framelab {

namespace {

constexpr std::uint64_t kMostFilters = 32;

Layout layout_argument(const Napi::Object& from) {
  const std::string name = text(from, "layout");
  if (name == "raw") return Layout::raw;
  if (name == "bitshuffle-lz4") return Layout::bitshuffle_lz4;
  if (name == "bitshuffle") return Layout::bitshuffle;
  if (name == "lz4") return Layout::lz4;
  throw Napi::TypeError::New(from.Env(), "layout is not known: " + name);
}

void require(const Napi::Object& from, bool right, const char* what) {
  if (!right) throw Napi::RangeError::New(from.Env(), what);
}

}  // namespace

ChunkFormat format_argument(const Napi::Object& from) {
  ChunkFormat format{};
  format.layout = layout_argument(from);
  format.chunk_bytes = whole_number(from, "chunkBytes", SIZE_MAX);
  format.filter_element_bytes = static_cast<unsigned>(whole_number(from, "filterElementBytes", 8));
  format.block_elements = whole_number(from, "blockElements", UINT32_MAX);
  format.swap_bytes = static_cast<unsigned>(whole_number(from, "swapBytes", 8));
  // A filter number that no mask has: no chunk skips it.
  const std::uint64_t filter = whole_number(from, "filter", kMostFilters);
  format.skip_mask = filter < kMostFilters ? std::uint32_t{1} << filter : 0;

  const auto power = [](unsigned v) { return v == 1 || v == 2 || v == 4 || v == 8; };
  require(from, format.chunk_bytes > 0, "chunkBytes is 0");
  require(from, power(format.filter_element_bytes), "filterElementBytes is not 1, 2, 4 or 8");
  require(from, format.block_elements % 8 == 0, "blockElements is not a multiple of 8");
  require(from,
          format.swap_bytes == 0 || (power(format.swap_bytes) && format.chunk_bytes % format.swap_bytes == 0),
          "swapBytes does not divide the chunk");
  return format;
}

const Kernels& kernels_argument(const Napi::Object& from) {
  const std::string name = text(from, "isa");
  const Kernels* const kernels = find_kernels(name.c_str());
  if (kernels == nullptr) throw Napi::RangeError::New(from.Env(), "isa is not available here: " + name);
  return *kernels;
}

}  // namespace framelab
