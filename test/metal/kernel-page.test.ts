// Owns: the page of the kernels' figures: that it is what the recorded runs say, with a Mac's run and without.
// Must not know: how anything is measured. The Mac's run here is made up: no such GPU exists.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const ROOT = join(__dirname, "..", "..", "..");

interface Page {
  kernelPage(nvidia: readonly unknown[], macs: readonly unknown[]): string;
  recordedRuns(): { nvidia: readonly unknown[]; macs: readonly unknown[] };
}

const page: Promise<Page> = import(pathToFileURL(join(ROOT, "bench", "kernels", "table.mjs")).href);

const facts = { sequencesPerBlock: 113, streamBytesPerBlock: 688, withoutLiterals: 0.48, offset2: 0.27 };
const row = (form: string, medianMs: number, vsBasePct: number) => ({
  ...{ case: "counts", kernel: "uniform-u16", form, minMs: medianMs - 1, medianMs, gbPerS: 123.4, vsBasePct },
});
const MADE_UP = {
  ...{ simulated: false, date: "2099-01-02T03:04:05Z", device: "Apple Test GPU", launches: 7 },
  ...{ commit: "0123456789abcdef", machine: { cpu: "a processor", memoryGb: 1, system: "darwin arm64 99" } },
  cases: [{ case: "counts", frames: 10, ...facts }],
  rows: [row("base", 2, 0), row("shipped", 3, 50)],
};

test("the page is what the recorded runs say", async () => {
  const { kernelPage, recordedRuns } = await page;
  const { nvidia, macs } = recordedRuns();
  assert.ok(nvidia.length > 0);
  assert.equal(readFileSync(join(ROOT, "docs", "metal-kernels.md"), "utf8"), kernelPage(nvidia, macs));
});

test("without a Mac's run it says that nothing ran on an Apple GPU", async () => {
  const { kernelPage } = await page;
  assert.match(kernelPage([], []), /\*\*Nothing of it has run on an Apple GPU/);
});

test("a Mac's run has a section with its device, commit and rows", async () => {
  const { kernelPage } = await page;
  const text = kernelPage([], [MADE_UP]);
  assert.doesNotMatch(text, /Nothing of it has run/);
  assert.match(text, /^## 2099-01-02: Apple Test GPU$/m);
  assert.match(text, /^a processor, 1 GB, darwin arm64 99; commit 0123456789ab, /m);
  assert.match(text, /^\| uniform-u16 \| shipped \| 2\.000 \| 3\.000 \| 123 \| \+50\.0 % \|$/m);
});

test("a simulated run is refused", async () => {
  const { kernelPage } = await page;
  assert.throws(() => kernelPage([], [{ ...MADE_UP, simulated: true }]), /not one of a Mac's own GPU/);
});
