// Owns: reading from JavaScript what the frames of a batch are added to.
// Must not know: how they are added.
#include "addon/sum_arguments.h"

#include "addon/arguments.h"

namespace framelab {

namespace {

constexpr std::uint64_t kMostPixels = UINT32_MAX;
constexpr std::uint64_t kMostWidth = 65'536;
constexpr std::uint64_t kMostChunkFrames = 65'535;

struct ElementType {
  Element element;
  std::size_t bytes;
};

ElementType element_argument(const Napi::Object& from) {
  const std::string name = text(from, "dtype");
  if (name == "u8") return {Element::u8, 1};
  if (name == "u16") return {Element::u16, 2};
  if (name == "u32") return {Element::u32, 4};
  if (name == "i8") return {Element::i8, 1};
  if (name == "i16") return {Element::i16, 2};
  if (name == "i32") return {Element::i32, 4};
  throw Napi::TypeError::New(from.Env(), "dtype is not added natively: " + name);
}

Napi::Object object(const Napi::Object& from, const char* name) {
  const Napi::Value value = from.Get(name);
  if (!value.IsObject()) throw Napi::TypeError::New(from.Env(), std::string(name) + " is not an object");
  return value.As<Napi::Object>();
}

/** Reads arrays and keeps them alive. */
class Arrays {
 public:
  explicit Arrays(std::vector<Napi::ObjectReference>& kept) : kept_(kept) {}

  template <class Array>
  Array get(const Napi::Object& from, const char* name, napi_typedarray_type type, std::size_t elements) {
    const auto array = typed_array<Array>(from, name, type, elements);
    kept_.push_back(Napi::Persistent(array.template As<Napi::Object>()));
    return array;
  }

  double* numbers(const Napi::Object& from, const char* name, std::size_t elements) {
    return get<Napi::Float64Array>(from, name, napi_float64_array, elements).Data();
  }

 private:
  std::vector<Napi::ObjectReference>& kept_;
};

std::vector<PixelRun> runs_argument(const Napi::Object& from, const SumPlan& plan) {
  const auto numbers = typed_array<Napi::Uint32Array>(from, "runs", napi_uint32_array, 0);
  std::vector<PixelRun> runs;
  runs.reserve(numbers.ElementLength() / 2);
  std::uint64_t end = 0;
  for (std::size_t i = 0; i + 1 < numbers.ElementLength(); i += 2) {
    const std::uint64_t first = numbers[i];
    const std::uint64_t count = numbers[i + 1];
    if (first < end || count == 0 || first + count > plan.frame_pixels ||
        first % plan.width + count > plan.width) {
      throw Napi::RangeError::New(from.Env(), "runs are not ascending pieces of rows");
    }
    end = first + count;
    runs.push_back({numbers[i], numbers[i + 1]});
  }
  return runs;
}

PatternTarget pattern_argument(const Napi::Object& from, Arrays& arrays, std::size_t pixels) {
  PatternTarget pattern{};
  if (!from.Get("sums").IsNull()) {
    pattern.sums = arrays.get<Napi::BigInt64Array>(from, "sums", napi_bigint64_array, pixels).Data();
  }
  if (!from.Get("largest").IsNull()) pattern.largest = arrays.numbers(from, "largest", pixels);
  pattern.flagged = arrays.get<Napi::Uint32Array>(from, "flagged", napi_uint32_array, pixels).Data();
  pattern.frames = arrays.numbers(from, "frames", 1);
  return pattern;
}

std::vector<std::int64_t> slots_argument(const Napi::Object& from, std::size_t count, double results) {
  const auto numbers = typed_array<Napi::Float64Array>(from, "slots", napi_float64_array, count);
  std::vector<std::int64_t> slots;
  slots.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double slot = numbers.Data()[i];
    if (!(slot >= -1 && slot < results) || slot != static_cast<double>(static_cast<std::int64_t>(slot))) {
      throw Napi::RangeError::New(from.Env(), "slot " + std::to_string(i) + " lies outside the results");
    }
    slots.push_back(static_cast<std::int64_t>(slot));
  }
  return slots;
}

}  // namespace

SumArgument sum_argument(const Napi::Object& from, std::size_t chunks, std::size_t chunk_bytes) {
  SumArgument argument;
  Arrays arrays(argument.arrays);
  SumPlan& plan = argument.plan;
  const ElementType type = element_argument(from);
  plan.element = type.element;
  plan.frame_pixels = whole_number(from, "framePixels", kMostPixels);
  plan.width = whole_number(from, "width", kMostWidth);
  plan.chunk_frames = whole_number(from, "chunkFrames", kMostChunkFrames);
  // At most 2^32 * 2^16 * 4: no product wraps.
  if (plan.width == 0 || plan.frame_pixels * plan.chunk_frames * type.bytes != chunk_bytes) {
    throw Napi::RangeError::New(from.Env(), "chunks are not whole frames");
  }
  const std::size_t results = whole_number(from, "results", UINT32_MAX);
  plan.slots = slots_argument(from, chunks * plan.chunk_frames, static_cast<double>(results));
  const Napi::Value list = from.Get("perFrame");
  if (!list.IsArray()) throw Napi::TypeError::New(from.Env(), "perFrame is not an array");
  const Napi::Array targets = list.As<Napi::Array>();
  for (std::uint32_t i = 0; i < targets.Length(); ++i) {
    const Napi::Value value = targets.Get(i);
    if (!value.IsObject()) throw Napi::TypeError::New(from.Env(), "perFrame holds no objects");
    const Napi::Object target = value.As<Napi::Object>();
    const bool center = target.Get("center").ToBoolean();
    double* const values = arrays.numbers(target, "values", results * (center ? 2 : 1));
    plan.per_frame.push_back(
        {center, runs_argument(target, plan), values, arrays.numbers(target, "flagged", 1)});
  }
  if (!from.Get("pattern").IsNull()) {
    plan.pattern = pattern_argument(object(from, "pattern"), arrays, plan.frame_pixels);
  }
  return argument;
}

}  // namespace framelab
