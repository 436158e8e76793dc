// Owns: what the inner loops of sums do over elements of each type: which are measurements, exact types, the loops' list.
// Must not know: frames, chunks, threads, instruction sets (sum_loops_body.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace framelab {

/** The two largest values of u16 and of u32 say "no measurement". */
template <class T>
constexpr bool kHasSentinels = std::is_same_v<T, std::uint16_t> || std::is_same_v<T, std::uint32_t>;

/** Holds the sum of 65,535 values. */
template <class T>
using Narrow = std::conditional_t<sizeof(T) == 4, std::int64_t,
                                  std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>;
constexpr std::size_t kMostNarrow = 65'535;

/** The loops over `count` values of one type. */
template <class T>
struct ElementLoops {
  bool (*all_measured)(const T* values, std::size_t count);
  /** Adds measurements to sums, one each, or takes them back. */
  void (*add_values)(Narrow<T>* sums, const T* values, std::size_t count);
  void (*take_values)(Narrow<T>* sums, const T* values, std::size_t count);
  /** Counts values that are no measurements, one counter each, or takes them back. */
  void (*count_flagged)(std::uint32_t* flagged, const T* values, std::size_t count);
  void (*uncount_flagged)(std::uint32_t* flagged, const T* values, std::size_t count);
  void (*take_largest)(T* largest, const T* values, std::size_t count);
  /** Sum of the measurements among at most kMostNarrow values; `flagged` counts the others. */
  Narrow<T> (*sum_values)(const T* values, std::size_t count, std::size_t& flagged);
  /** Sum of measurements times their places 0, 1, …: below 2^63 for up to kMostNarrow values of 32 bits. */
  std::int64_t (*sum_places)(const T* values, std::size_t count);
};

/** The loops for every type, compiled for one instruction set. */
struct SumLoops {
  ElementLoops<std::uint8_t> u8;
  ElementLoops<std::uint16_t> u16;
  ElementLoops<std::uint32_t> u32;
  ElementLoops<std::int8_t> i8;
  ElementLoops<std::int16_t> i16;
  ElementLoops<std::int32_t> i32;
};

template <class T>
const ElementLoops<T>& loops_of(const SumLoops& all) {
  if constexpr (std::is_same_v<T, std::uint8_t>) return all.u8;
  else if constexpr (std::is_same_v<T, std::uint16_t>) return all.u16;
  else if constexpr (std::is_same_v<T, std::uint32_t>) return all.u32;
  else if constexpr (std::is_same_v<T, std::int8_t>) return all.i8;
  else if constexpr (std::is_same_v<T, std::int16_t>) return all.i16;
  else return all.i32;
}

}  // namespace framelab
