// The time, for what counts seconds. It stands still while nobody looks at the page.
import { useEffect, useState } from 'react';

export function useNow(everyMs = 1_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
