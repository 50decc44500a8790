// Joins calls that come while others run, so that they share statements and one commit.

interface BatchOptions<Item, Result> {
  /** Gets what came since it last began, and answers in the same order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** How long to wait for more calls. */
  readonly gatherMs: () => number;
}

/** If several together fail, each is run alone: one that cannot succeed must not fail the others. */
export function joinCalls<Item, Result>({
  run,
  gatherMs,
}: BatchOptions<Item, Result>): (item: Item) => Promise<Result> {
  let calls: Call<Item, Result>[] = [];
  let running = false;
  const runAlone = async ({ item, resolve, reject }: Call<Item, Result>): Promise<void> => {
    await run([item]).then(([result]) => resolve(result as Result), reject);
  };
  const runAll = async (): Promise<void> => {
    while (calls.length > 0) {
      await new Promise((next) => setTimeout(next, gatherMs()));
      const taken = calls;
      calls = [];
      try {
        const results = await run(taken.map(({ item }) => item));
        for (const [at, { resolve }] of taken.entries()) resolve(results[at] as Result);
      } catch (error) {
        const [only] = taken;
        if (taken.length === 1) only?.reject(error);
        else for (const call of taken) await runAlone(call);
      }
    }
    running = false;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      calls.push({ item, resolve, reject });
      if (running) return;
      running = true;
      void runAll();
    });
}

interface Call<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}
