// Owns: opening several files of an acquisition at a time, with the results in order.
// Must not know: what is opened.

/**
 * Files that are being opened before the result of the first of them is taken: enough that the metadata worker always
 * has a request, while the facts of the files before are read here.
 */
const AHEAD = 6;

/**
 * The results of `open`, in the order of the items. The error of an item is thrown in its turn. `open` is given the
 * options with a signal of its own, which fires with theirs and when no more results are taken: nobody waits for what
 * was begun and is not wanted.
 */
export async function* openAhead<T, R, O extends { readonly signal?: AbortSignal | undefined }>(
  items: Iterable<T>,
  options: O,
  open: (item: T, options: O) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const control = new AbortController();
  const abort = (): void => control.abort();
  const { signal } = options;
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  const own = { ...options, signal: control.signal };
  const opening: Promise<R>[] = [];
  try {
    for (const item of items) {
      const begun = open(item, own);
      begun.catch(() => {});
      opening.push(begun);
      if (opening.length === AHEAD) yield opening.shift()!;
    }
    yield* opening;
  } finally {
    signal?.removeEventListener("abort", abort);
    abort();
  }
}
