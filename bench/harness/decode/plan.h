// Owns: what one run of the decode bench does, as a file of tab-separated lines says.
// Must not know: how it is done.
#pragma once
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

struct SetSpec {
  std::string name;
  unsigned element_bytes;
  std::size_t frame_bytes;
  std::string raw_path;
  std::string chunk_path;
};

struct ContenderSpec {
  std::string name;
  std::string library;
  std::string variant;
  /** Whether it gives the frames themselves, which are then compared; else it is a limit. */
  bool decodes;
};

struct Plan {
  unsigned rounds = 0;
  /** Decoded bytes of one pass; frames repeat until they fill them. */
  std::size_t pass_bytes = 0;
  std::vector<unsigned> threads;
  std::vector<SetSpec> sets;
  std::vector<ContenderSpec> contenders;
};

/** Lines: `rounds N`, `bytes N`, `threads N`, `set name element_bytes frame_bytes raw chunks`, `contender …`.
 */
inline Plan read_plan(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  Plan plan;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    std::vector<std::string> cell;
    for (std::string text; std::getline(cells, text, '\t');) cell.push_back(text);
    const std::string kind = cell.empty() ? "" : cell[0];
    if (kind == "rounds" && cell.size() == 2) {
      plan.rounds = static_cast<unsigned>(std::stoul(cell[1]));
    } else if (kind == "bytes" && cell.size() == 2) {
      plan.pass_bytes = std::stoull(cell[1]);
    } else if (kind == "threads" && cell.size() == 2) {
      plan.threads.push_back(static_cast<unsigned>(std::stoul(cell[1])));
    } else if (kind == "set" && cell.size() == 6) {
      plan.sets.push_back(
          {cell[1], static_cast<unsigned>(std::stoul(cell[2])), std::stoull(cell[3]), cell[4], cell[5]});
    } else if (kind == "contender" && cell.size() == 5) {
      plan.contenders.push_back({cell[1], cell[2], cell[4], cell[3] == "frames"});
    } else {
      throw std::runtime_error("no such line in a plan: " + line);
    }
  }
  return plan;
}

}  // namespace bench
