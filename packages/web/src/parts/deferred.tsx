// Renders less urgent parts of a page when the browser is idle.
import { type ReactNode, Suspense, startTransition, useEffect, useState } from 'react';

const AT_LATEST_MS = 2_000;
const A_FRAME_MS = 16;

interface RenderWhenIdleProps {
  /** Milliseconds before it may render: one part at a time, so that parts never delay a click together. */
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
 * False on the first render, true right after it, with low priority so that input goes first. A navigation renders in
 * one go, so long parts wait for this.
 */
export const useAfterFirstPaint = (): boolean => useStaggeredCount(1) === 1;

/** How many of several long parts may be rendered: the next one after the previous is painted. */
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
