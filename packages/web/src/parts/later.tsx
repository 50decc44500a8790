// What the page can do without for a moment: it comes when nobody waits for anything else.
import { type ReactNode, Suspense, startTransition, useEffect, useState } from 'react';

const AT_LATEST_MS = 2_000;

interface LaterProps {
  /** Milliseconds before it may come at all: one at a time, so that none keeps a press waiting for the others. */
  readonly after?: number;
  readonly children: ReactNode;
}

export function Later({ after = 100, children }: LaterProps) {
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

/** Right after the page's sentence is drawn, in small turns: whoever presses something meanwhile is answered first. */
export function Soon({ children }: { readonly children: ReactNode }) {
  const [isTime, setIsTime] = useState(false);
  useEffect(() => startTransition(() => setIsTime(true)), []);
  return isTime && children;
}
