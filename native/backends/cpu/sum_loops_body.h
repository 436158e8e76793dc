// Owns: the inner loops of sums, as the compiler vectorises them for the instruction set of the unit that includes this.
// Must not know: frames, chunks, threads. Everything here is the unit's own: nothing that a linker could take for another's.
#pragma once
#include "backends/cpu/sum_loops.h"

namespace framelab {
namespace {

template <class T>
constexpr bool measured(T value) {
  return !kHasSentinels<T> || value < std::numeric_limits<T>::max() - 1;
}

template <class T>
constexpr Narrow<T> counted(T value) {
  return measured(value) ? static_cast<Narrow<T>>(value) : Narrow<T>{0};
}

template <class T>
bool all_measured(const T* values, std::size_t count) {
  if constexpr (!kHasSentinels<T>) return true;
  T largest = 0;
  for (std::size_t i = 0; i < count; ++i) largest = values[i] > largest ? values[i] : largest;
  return measured(largest);
}

template <int kSign, class T>
void add_signed(Narrow<T>* sums, const T* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (kSign > 0) {
      sums[i] += counted(values[i]);
    } else {
      sums[i] -= counted(values[i]);
    }
  }
}

template <int kSign, class T>
void count_signed(std::uint32_t* flagged, const T* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t none = measured(values[i]) ? 0 : 1;
    flagged[i] = kSign > 0 ? flagged[i] + none : flagged[i] - none;
  }
}

template <class T>
void take_largest(T* largest, const T* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    largest[i] = measured(values[i]) && values[i] > largest[i] ? values[i] : largest[i];
  }
}

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

template <class T>
std::int64_t sum_places(const T* values, std::size_t count) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += static_cast<std::int64_t>(counted(values[i])) * static_cast<std::int64_t>(i);
  }
  return sum;
}

template <class T>
constexpr ElementLoops<T> kLoopsOf = {all_measured<T>,    add_signed<1, T>, add_signed<-1, T>, count_signed<1, T>,
                                      count_signed<-1, T>, take_largest<T>,  sum_values<T>,     sum_places<T>};

constexpr SumLoops kSumLoops = {kLoopsOf<std::uint8_t>, kLoopsOf<std::uint16_t>, kLoopsOf<std::uint32_t>,
                                kLoopsOf<std::int8_t>,  kLoopsOf<std::int16_t>,  kLoopsOf<std::int32_t>};

}  // namespace
}  // namespace framelab
