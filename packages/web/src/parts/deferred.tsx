// What the page can do without for a moment: it comes when nobody waits for anything else.
import { type ReactNode, Suspense, startTransition, useEffect, useState } from 'react';

const AT_LATEST_MS = 2_000;
const A_FRAME_MS = 16;

interface RenderWhenIdleProps {
  /** Milliseconds before it may come at all: one at a time, so that none keeps a press waiting for the others. */
  readonly after?: number;
  readonly children: ReactNode;
}

export function RenderWhenIdle({ after = 100, children }: RenderWhenIdleProps) {
  const [isTime, setIsTime] = useState(false);
  useEffect(() => {
    let idle: number | undefined;
    const come = () => startTransition(() => setIsTime(true));
    const timer = setTimeout(() => {
      if (typeof requestIdleCallback === 'function')
        idle = requestIdleCallback(come, { timeout: AT_LATEST_MS });
      else come();
    }, after);
    return () => {
      clearTimeout(timer);
      if (idle !== undefined) cancelIdleCallback(idle);
    };
  }, [after]);
  return isTime && <Suspense>{children}</Suspense>;
}

/**
 * False for the first drawing, true right after it, in small turns: whoever presses something meanwhile is answered
 * first. A step from page to page is drawn at one go, so what is long waits for that.
 */
export const useAfterFirstPaint = (): boolean => useStaggeredCount(1) === 1;

/** Of so many that are long, how many may be drawn: the next once the one before is seen. */
export function useStaggeredCount(parts: number): number {
  const [drawn, setDrawn] = useState(0);
  useEffect(() => {
    if (drawn >= parts) return;
    const wait = drawn === 0 ? 0 : A_FRAME_MS;
    const timer = setTimeout(() => startTransition(() => setDrawn(drawn + 1)), wait);
    return () => clearTimeout(timer);
  }, [drawn, parts]);
  return drawn;
}

export function RenderAfterFirstPaint({ children }: { readonly children: ReactNode }) {
  return useAfterFirstPaint() && children;
}
