// Owns: what a rotation of the kernels' forms times: cases, the forms of each, their order, and the text of the results.
// Must not know: GPUs, clocks, what the forms differ in.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "workload.h"

namespace bench {

struct Plan {
    Case spec;
    bool attribution;  // every form of the bounds, not base and shipped alone
    bool scratch;      // the scratch kernel too, alone and as the whole command
};
extern const std::vector<Plan> kPlans;

// One thing that is timed: `form` names the text, `row` what the table calls it.
struct Runner {
    std::string kernel;  // row's first name: uniform-u16, scratch-u32-lz4, …
    std::string row;     // base, base2, shipped, …
    std::string form;
    std::vector<std::string> dispatches;
    std::vector<double> ms;
    bool exact = false;
};
std::vector<Runner> runners_of(const Plan &plan);

// A workload's block table and parameters for all of its frames: the distinct ones, repeated in memory of their own.
struct Table {
    std::vector<cases::Block> blocks;
    cases::BatchParams params;
    uint32_t repeats;
};
Table table_of(const Workload &work);

// Launches every runner in turn, another one first in each round; `time` runs one and gives milliseconds.
void rotate(std::vector<Runner> &runners, int warm_up, int launches, const std::function<double(const Runner &)> &time);

class Results {
public:
    // Takes a case's times, and prints them.
    void add(const Workload &work, const Table &table, std::vector<Runner> &runners);
    // Writes all as JSON. False when the file cannot be written.
    bool write(const char *path, const std::string &device, int launches) const;
    bool all_exact() const { return all_exact_; }

private:
    std::string cases_, rows_;
    bool all_exact_ = true;
};

}  // namespace bench
