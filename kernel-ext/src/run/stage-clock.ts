// Owns: how long each stage of a piece of work took, for its report.
// Must not know: what the stages do.

/** Measures stages one after the other; times are wall clock in milliseconds. */
export class StageClock {
  private readonly started = performance.now();
  private readonly times: { name: string; ms: number }[] = [];

  /** Runs a stage; its time counts even when it fails. */
  async time<T>(name: string, stage: () => T | Promise<T>): Promise<T> {
    const from = performance.now();
    try {
      return await stage();
    } finally {
      this.times.push({ name, ms: rounded(performance.now() - from) });
    }
  }

  get stages(): readonly { readonly name: string; readonly ms: number }[] {
    return this.times;
  }

  get seconds(): number {
    return rounded(performance.now() - this.started) / 1000;
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
