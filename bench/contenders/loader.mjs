// Owns: the other end of a load contender in Node: answers each request line with one line of JSON.
// Must not know: which library loads.
import { createInterface } from "node:readline";

/** `load(request)` gives `{ ms, pixels: typed arrays, done(), facts }`; summing and giving back are not timed. */
export async function serve(load) {
  console.log(JSON.stringify({ ready: true }));
  for await (const line of createInterface({ input: process.stdin })) {
    try {
      const { ms, pixels, done, facts } = await load(JSON.parse(line));
      let sum = 0;
      for (const array of pixels) for (let i = 0; i < array.length; i++) sum += array[i];
      done?.();
      console.log(JSON.stringify({ ms, sum, facts }));
    } catch (error) {
      console.log(JSON.stringify({ failed: String(error?.message ?? error).split("\n")[0] }));
    }
    // Memory of the last load must not be collected while the next is timed.
    globalThis.gc?.();
  }
}
