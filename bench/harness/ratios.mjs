// Owns: figures derived from the rows of one run: how many times faster than the fastest contender, and scaling.
// Must not know: how rows were measured, which floors hold.

/** Contenders that decode chunks, as others do; the rest are limits. */
export const LIBRARIES = ["kiyo-bitshuffle", "dectris-compression"];

/** FrameLab's sets against what libraries may use: a set's peers are compiled for it or for less. */
const PEER_ISAS = {
  avx512: ["avx512", "avx512bw", "avx2", "sse2"],
  "avx2-gfni": ["avx2", "sse2"],
  avx2: ["avx2", "sse2"],
  sse2: ["sse2"],
  neon: ["neon"],
};

export function geometricMean(numbers) {
  return Math.exp(numbers.reduce((sum, x) => sum + Math.log(x), 0) / numbers.length);
}

/** Rows of one case, or of all (null), at one thread count. */
function decodeRows(rows, name, threads) {
  return rows.filter(({ case: one, threads: count }) => (name === null || one === name) && count === threads);
}

/**
 * FrameLab's speed with one set over the fastest of `libraries` in each case of a group at one thread count:
 * `[{ case, ratio, against }]`. By minimum times. Cases without both are left out.
 */
export function decodeRatios(rows, isa, { threads = 1, libraries = LIBRARIES, group = "decode" } = {}) {
  const cases = [...new Set(rows.map((row) => row.case).filter((name) => name.startsWith(`${group}/`)))];
  const ratios = [];
  for (const name of cases) {
    const here = decodeRows(rows, name, threads);
    const ours = here.find((row) => row.contender === "framelab" && row.isa === isa);
    const peers = here.filter(
      ({ contender, isa: set }) => libraries.includes(contender) && PEER_ISAS[isa]?.includes(set),
    );
    const fastest = peers.sort((a, b) => b.gbPerS - a.gbPerS)[0];
    if (!ours || !fastest) continue;
    ratios.push({
      case: name,
      ratio: ours.gbPerS / fastest.gbPerS,
      against: `${fastest.contender}/${fastest.isa}`,
    });
  }
  return ratios;
}

/** Geometric mean over the cases whose name starts so, or null without any. */
export function meanRatio(ratios, start = "decode/") {
  const numbers = ratios.filter((entry) => entry.case.startsWith(start)).map(({ ratio }) => ratio);
  return numbers.length === 0 ? null : geometricMean(numbers);
}

/** Speed of `threads` threads over one, as a mean over the counts, or null; of FrameLab or another contender. */
export function scaling(rows, isa, threads, contender = "framelab") {
  const own = rows.filter((row) => row.contender === contender && row.isa === isa);
  const ratios = own
    .filter((row) => row.case.startsWith("decode/counts") && row.threads === threads)
    .flatMap((row) => {
      const one = decodeRows(own, row.case, 1)[0];
      return one ? [row.gbPerS / one.gbPerS] : [];
    });
  return ratios.length === 0 ? null : geometricMean(ratios);
}

/** FrameLab's sets in these rows, as it lists them: fastest first. */
export function framelabIsas(rows) {
  const isas = rows.filter((row) => row.contender === "framelab" && row.isa).map((row) => row.isa);
  return [...new Set(isas)];
}

/** Speed of FrameLab's load with one kind of output over another loader's row, by minimum times; null without both. */
export function loadRatio(rows, name, output, peer) {
  const here = rows.filter((row) => row.case === name);
  const ours = here.find((row) => row.contender === "framelab" && row.output === output);
  const theirs = here.find((row) => Object.entries(peer).every(([key, value]) => row[key] === value));
  return ours && theirs ? ours.gbPerS / theirs.gbPerS : null;
}

/** What FrameLab's checks cost with one set, on one core: part of the time without them, a data set; -0.01 = 1 % faster. */
export function checkCosts(rows, isa) {
  return decodeRows(rows, null, 1).flatMap((row) => {
    if (row.contender !== "framelab" || row.isa !== isa) return [];
    const bare = decodeRows(rows, row.case, 1).find(
      (one) => one.contender === "framelab-unchecked" && one.isa === isa,
    );
    return bare ? [{ case: row.case, cost: bare.gbPerS / row.gbPerS - 1 }] : [];
  });
}
