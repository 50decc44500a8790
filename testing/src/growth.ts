// Measures how the work of a function grows with its input. It compares two sizes in one run, so that a slow machine is
// slow in both, and uses processor time, so that other processes do not matter. It distinguishes quadratic from linear
// growth.

/** How many times longer the function takes when its input is `times` as large. */
export function growth(run: (size: number) => unknown, size: number, times: number): number {
  // As much work as the large input if the growth is linear: the clock of processor time is coarse.
  const small = bestOfThree(() => {
    for (let round = 0; round < times; round += 1) run(size);
  });
  const large = bestOfThree(() => run(size * times));
  return (times * large) / small;
}

/** Milliseconds, with a floor below which the clock is too coarse. */
function bestOfThree(run: () => unknown): number {
  const tries = Array.from({ length: 3 }, () => {
    const began = process.threadCpuUsage();
    run();
    const { user, system } = process.threadCpuUsage(began);
    return (user + system) / 1_000;
  });
  return Math.max(FLOOR_MS, Math.min(...tries));
}

const FLOOR_MS = 2;
