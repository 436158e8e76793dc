// Owns: opening several files of an acquisition at a time, with the results in order.
// Must not know: what is opened.

/**
 * Files that are being opened before the result of the first of them is taken: enough that the metadata worker always
 * has a request, while the facts of the files before are read here.
 */
const AHEAD = 6;

/** The results of `open`, in the order of the items. The error of an item is thrown in its turn. */
export async function* openAhead<T, R>(
  items: Iterable<T>,
  open: (item: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const opening: Promise<R>[] = [];
  for (const item of items) {
    const begun = open(item);
    begun.catch(() => {});
    opening.push(begun);
    if (opening.length === AHEAD) yield opening.shift()!;
  }
  yield* opening;
}
