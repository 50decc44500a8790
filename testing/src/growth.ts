// Measures how the work of a function grows with its input. It compares two sizes in one run, so that a slow machine is
// slow in both, and uses processor time, so that other processes do not matter. It distinguishes quadratic from linear
// growth.

/** The best of three for each size, with a floor below which the clock is too coarse. */
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
