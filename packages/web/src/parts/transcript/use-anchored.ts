// Keeps what somebody reads where it is, whatever comes above or below it: the first line in view stays at its place,
// and who stands at the end stays at the end. Measured on real elements, so nothing is guessed and nothing jumps.
import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react';

/** Who is nearer to the end than this reads the end. */
const NEAR_END = 48;

type Anchor = 'end' | { readonly key: string; readonly offset: number };

interface Anchored {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly list: RefObject<HTMLOListElement | null>;
  /** Changes whenever the lines do. */
  readonly of: unknown;
  /** Whether the list goes on below what is held. */
  readonly isCut: boolean;
}

export function useAnchored({ scroller, list, of, isCut }: Anchored) {
  const anchor = useRef<Anchor>('end');

  const note = useCallback((): boolean => {
    const box = scroller.current;
    if (box === null || list.current === null) return false;
    const below = box.scrollHeight - box.scrollTop - box.clientHeight;
    if (!isCut && below < NEAR_END) anchor.current = 'end';
    else {
      const row = firstInView(list.current, box.scrollTop);
      if (row !== null) {
        anchor.current = { key: row.dataset.key ?? '', offset: row.offsetTop - box.scrollTop };
      }
    }
    return anchor.current === 'end';
  }, [scroller, list, isCut]);

  const hold = useCallback(() => {
    const box = scroller.current;
    if (box === null || list.current === null) return;
    const at = anchor.current;
    if (at === 'end') {
      box.scrollTop = box.scrollHeight;
      return;
    }
    const row = list.current.querySelector<HTMLElement>(`[data-key="${CSS.escape(at.key)}"]`);
    if (row !== null) box.scrollTop = row.offsetTop - at.offset;
  }, [scroller, list]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the lines change, and only then
  useLayoutEffect(hold, [of]);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    const watching = new ResizeObserver(hold);
    watching.observe(box);
    return () => watching.disconnect();
  }, [scroller, hold]);

  return {
    note,
    toEnd: () => {
      anchor.current = 'end';
      hold();
    },
    /** Begins at this line instead of at the end. */
    toLine: (key: string) => {
      const box = scroller.current;
      anchor.current = { key, offset: (box?.clientHeight ?? 0) / 3 };
      hold();
    },
  };
}

/**
 * Rows stand in order, so half of them is left out at each look. A day is no line to hold on to: it goes up with the
 * first line of it that comes.
 */
function firstInView(list: HTMLOListElement, top: number): HTMLElement | null {
  const rows = list.children;
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle] as HTMLElement;
    if (row.offsetTop + row.offsetHeight > top) high = middle;
    else low = middle + 1;
  }
  const row = rows[low] as HTMLElement | undefined;
  const line = row?.dataset.key === undefined ? row?.nextElementSibling : row;
  return (line as HTMLElement | null | undefined) ?? null;
}
