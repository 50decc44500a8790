// How much longer something takes when its input grows: a ratio of one run, so that a slow machine is slow
// in both. What grows with the square of its input is told from what grows with it.

/** The best of three each, with a floor below which a clock says nothing. */
export function growth(run: (size: number) => unknown, size: number, times: number): number {
  const took = (of: number): number => {
    const tries = Array.from({ length: 3 }, () => {
      const began = performance.now();
      run(of);
      return performance.now() - began;
    });
    return Math.max(FLOOR_MS, Math.min(...tries));
  };
  return took(size * times) / took(size);
}

const FLOOR_MS = 2;
