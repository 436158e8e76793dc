// Owns: the inner loops of sums over elements: which are measurements, exact types, adding, maxima, counts.
// Must not know: frames, chunks, threads.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace framelab {
namespace {

/** The two largest values of u16 and of u32 say "no measurement". */
template <class T>
constexpr bool kHasSentinels = std::is_same_v<T, std::uint16_t> || std::is_same_v<T, std::uint32_t>;

template <class T>
constexpr bool measured(T value) {
  return !kHasSentinels<T> || value < std::numeric_limits<T>::max() - 1;
}

/** Holds the sum of 65,535 values. */
template <class T>
using Narrow = std::conditional_t<sizeof(T) == 4, std::int64_t,
                                  std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>;
constexpr std::size_t kMostNarrow = 65'535;

template <class T>
constexpr Narrow<T> counted(T value) {
  return measured(value) ? static_cast<Narrow<T>>(value) : Narrow<T>{0};
}

template <class T>
bool all_measured(const T* values, std::size_t count) {
  if constexpr (!kHasSentinels<T>) return true;
  T largest = 0;
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, values[i]);
  return measured(largest);
}

/** Adds (1) values to sums, or takes them back (-1). */
template <int kSign, class T>
void add_values(Narrow<T>* sums, const T* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (kSign > 0) {
      sums[i] += counted(values[i]);
    } else {
      sums[i] -= counted(values[i]);
    }
  }
}

template <int kSign, class T>
void count_flagged(std::uint32_t* flagged, const T* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t none = measured(values[i]) ? 0 : 1;
    flagged[i] = kSign > 0 ? flagged[i] + none : flagged[i] - none;
  }
}

template <class T>
void take_largest(T* largest, const T* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    largest[i] = measured(values[i]) ? std::max(largest[i], values[i]) : largest[i];
  }
}

/** Sum of the measurements among at most kMostNarrow values; `flagged` counts the others. */
template <class T>
Narrow<T> sum_values(const T* values, std::size_t count, std::size_t& flagged) {
  Narrow<T> sum = 0;
  std::uint32_t none = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += counted(values[i]);
    none += measured(values[i]) ? 0 : 1;
  }
  flagged += none;
  return sum;
}

/** Sum of measurements times their places 0, 1, …: below 2^63 for up to kMostNarrow values of 32 bits. */
template <class T>
std::int64_t sum_places(const T* values, std::size_t count) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += static_cast<std::int64_t>(counted(values[i])) * static_cast<std::int64_t>(i);
  }
  return sum;
}

}  // namespace
}  // namespace framelab
