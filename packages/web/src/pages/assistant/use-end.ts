// Stays at the end of the conversation while somebody looks there, and where they are while they read further up.
import { type RefObject, useCallback, useEffect, useRef } from 'react';

const NEAR = 140;

interface End {
  /** Stands where the conversation ends. */
  readonly end: RefObject<HTMLDivElement | null>;
  /** What is added at the beginning makes no jump. */
  keepPlace(adding: Promise<unknown>): void;
}

/** `what` changes with whatever is added at the end, `asked` with each question: who asks wants to see the answer. */
export function useEnd(what: string, asked: number | null): End {
  const end = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const isPlaced = useRef(false);
  useEffect(() => {
    // Until it was placed once, only the router has scrolled.
    const look = () => {
      const top = end.current?.getBoundingClientRect().top;
      if (isPlaced.current && top !== undefined) follows.current = top < window.innerHeight + NEAR;
    };
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  useEffect(() => {
    if (asked !== null) follows.current = true;
  }, [asked]);
  useEffect(() => {
    if (what === '' || !follows.current) return;
    const frame = requestAnimationFrame(() => {
      end.current?.scrollIntoView({ block: 'end' });
      isPlaced.current = true;
    });
    return () => cancelAnimationFrame(frame);
  }, [what]);
  const keepPlace = useCallback((adding: Promise<unknown>) => {
    const page = document.scrollingElement ?? document.documentElement;
    const below = page.scrollHeight - page.scrollTop;
    follows.current = false;
    void adding.then(() =>
      requestAnimationFrame(() => page.scrollTo({ top: page.scrollHeight - below })),
    );
  }, []);
  return { end, keepPlace };
}
