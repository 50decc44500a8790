// How much more work something is when its input grows: a ratio of one run, so that a slow machine is slow
// in both, and of processor time, so that one that gives its cores to others meanwhile is not taken for growth.
// What grows with the square of its input is told from what grows with it.

/** The best of three each, with a floor below which a clock says nothing. */
export function growth(run: (size: number) => unknown, size: number, times: number): number {
  const took = (of: number): number => {
    const tries = Array.from({ length: 3 }, () => {
      const began = process.threadCpuUsage();
      run(of);
      const { user, system } = process.threadCpuUsage(began);
      return (user + system) / 1_000;
    });
    return Math.max(FLOOR_MS, Math.min(...tries));
  };
  return took(size * times) / took(size);
}

const FLOOR_MS = 2;
