// Measures a page while it is used: long tasks, frames and key responses as timed by the browser, and the heap after a
// garbage collection. Invariant: measured from the first script on, over navigations within the page.
import { evaluate } from '@relay/testing/e2e/console/evaluate';
import type { CDPSession, Page } from 'playwright-core';

const SCRIPT = `(() => {
  const measured = (window.__measured = { tasks: [], frames: [], keys: [] });
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      measured.tasks.push({ at: Math.round(performance.timeOrigin + startTime), ms: duration, where: location.pathname + location.search });
  }).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries())
      if (name.startsWith('key')) measured.keys.push(duration);
  }).observe({ type: 'event', durationThreshold: 16 });
  let last = performance.now();
  const frame = (now) => {
    measured.frames.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})()`;

export interface PageMeasurement {
  readonly tasks: readonly { readonly at: number; readonly ms: number; readonly where: string }[];
  /** Time between frames. */
  readonly frames: readonly number[];
  /** From a key to the next paint; values below 16 ms are not reported. */
  readonly keys: readonly number[];
}

/** The page's own main-thread time, task by task: on a busy machine a task also waits for a processor. */
export interface TaskTimer {
  /** CPU time in milliseconds of each task that took some. */
  end(): Promise<readonly number[]>;
}

export interface PageMeter {
  /** Discards earlier measurements. */
  begin(): Promise<void>;
  read(): Promise<PageMeasurement>;
  working(): Promise<TaskTimer>;
  heapMb(): Promise<number>;
}

export async function createPageMeter(page: Page): Promise<PageMeter> {
  const debug: CDPSession = await page.context().newCDPSession(page);
  await debug.send('HeapProfiler.enable');
  await page.addInitScript(SCRIPT);
  return {
    begin: () =>
      evaluate(page, 'void Object.assign(__measured, { tasks: [], frames: [], keys: [] })'),
    read: () => evaluate<PageMeasurement>(page, '__measured'),
    working: () => working(page),
    async heapMb() {
      await debug.send('HeapProfiler.collectGarbage');
      const { usedSize } = await debug.send('Runtime.getHeapUsage');
      return usedSize / 1_000_000;
    },
  };
}

const CATEGORIES = ['__metadata', 'disabled-by-default-devtools.timeline'];
/** Shorter ones do not matter, and there are many. */
const SOME_US = 5_000;

interface Traced {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of thread time. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

async function working(page: Page): Promise<TaskTimer> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('The page has no browser.');
  const tracing = await browser.newBrowserCDPSession();
  const threads = new Set<string>();
  const tasks: Traced[] = [];
  const threadOf = ({ pid, tid }: Traced) => `${pid} ${tid}`;
  tracing.on('Tracing.dataCollected', ({ value }) => {
    for (const one of value as unknown as Traced[]) {
      if (one.name === 'RunTask' && (one.tdur ?? 0) > SOME_US) tasks.push(one);
      if (one.name === 'thread_name' && one.args?.name === 'CrRendererMain')
        threads.add(threadOf(one));
    }
  });
  await tracing.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: CATEGORIES },
  });
  return {
    async end() {
      const complete = new Promise((resolve) => tracing.once('Tracing.tracingComplete', resolve));
      await tracing.send('Tracing.end');
      await complete;
      await tracing.detach();
      return tasks
        .filter((task) => threads.has(threadOf(task)))
        .map(({ tdur = 0 }) => tdur / 1_000);
    },
  };
}
