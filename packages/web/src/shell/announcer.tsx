// One polite voice for the whole page: what newly waits for the owner, at most one sentence in five seconds.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { statusQuery } from '../data/queries.ts';
import { plural } from '../parts/numbers.ts';

const EVERY_MS = 5_000;

export function Announcer() {
  const { data: status } = useQuery(statusQuery);
  const waiting = status?.waiting_count;
  const before = useRef(waiting);
  const [said, setSaid] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => {
      const more = (waiting ?? 0) - (before.current ?? waiting ?? 0);
      if (more > 0) setSaid(`${plural(more, 'more thing waits', 'more things wait')} for you.`);
      before.current = waiting;
    }, EVERY_MS);
    return () => clearTimeout(timer);
  }, [waiting]);
  return (
    <div className="unseen" aria-live="polite">
      {said}
    </div>
  );
}
