// Owns: `check`: a value of a notebook gets a name, under which `framelab check` compares it.
// Must not know: what it is compared with.
import { elementId } from "./display/show/bundle";
import { kernelWriter } from "./display/sinks/kernel";
import { OptionError } from "./errors";
import { asRecord, badOption } from "./option-values";
import { CHECK_MIME, type CheckedValue, recordedText, recordValue } from "./recorded-value";

export interface CheckOptions {
  /**
   * Numbers count as equal up to this absolute difference, also the elements of arrays (100,000 at most).
   * Default: 0, exact; arrays are then compared by a digest and may have any size.
   */
  readonly tolerance?: number;
}

/**
 * Names a value, so that `npx framelab check notebook.ipynb` compares it with what it was. In a notebook it shows one
 * line, elsewhere it prints it; it never throws because a value differs.
 *
 * Takes numbers, strings, booleans, null, bigints, ndarrays and typed arrays (by shape, element type and values), lists
 * and plain objects of these. NaN equals NaN. A name stands for one value of a notebook.
 *
 * @throws OptionError for a value that it does not take, an empty name, or a bad option.
 * @example
 * check("frames", frames.shape);
 * check("virtual image", image);
 * check("centre", { row: 95.98, col: 96.02 }, { tolerance: 0.01 });
 */
export function check(name: string, value: unknown, options: CheckOptions = {}): void {
  if (typeof name !== "string" || name.trim() === "" || name.length > 200) {
    throw new OptionError("check needs a name of 1 to 200 characters: check(name, value).", {
      place: "name",
      expected: "1 to 200 characters",
    });
  }
  const { tolerance } = asRecord("options", options, ["tolerance"]) as CheckOptions;
  if (tolerance !== undefined && !(typeof tolerance === "number" && tolerance >= 0 && tolerance < Infinity)) {
    throw badOption("tolerance", tolerance, "a finite number, 0 or more");
  }
  const recorded = recordValue(value, tolerance !== undefined);
  const trace: CheckedValue = { name, value: recorded, ...(tolerance === undefined ? {} : { tolerance }) };
  const text = `${name}: ${recordedText(recorded)}`;
  const write = kernelWriter();
  if (write === null) process.stdout.write(`${text}\n`);
  else write({ data: { "text/plain": text, [CHECK_MIME]: trace }, id: elementId(), update: false });
}
