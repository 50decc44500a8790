// Arrow keys among the cards: one of them can be reached by Tab, the rest by stepping from it. The focus belongs to a
// conversation, not to a place: a card that moves to another column takes it along.
import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
} from 'react';

/** Columns to the right, cards down. */
export type Step = readonly [number, number];

const CARD = '[data-card]';
/** Each column asks on its own: a card that moves may be in none for a moment. */
const PATIENCE_MS = 2_000;

export function useSteps(
  board: RefObject<HTMLElement | null>,
  moves: Readonly<Record<string, Step>>,
) {
  const focused = useRef<string | null>(null);
  const isInside = useRef(false);
  const patience = useRef<ReturnType<typeof setTimeout>>(undefined);

  const columns = () =>
    [...(board.current?.children ?? [])].map((column) => [
      ...column.querySelectorAll<HTMLElement>(CARD),
    ]);
  const cardOf = (id: string | null) =>
    id === null ? null : board.current?.querySelector<HTMLElement>(`[data-card="${id}"]`);

  const settle = useEffectEvent(() => {
    const all = columns().flat();
    const own = cardOf(focused.current);
    const one = own ?? all[0];
    for (const card of all) card.tabIndex = card === one ? 0 : -1;
    clearTimeout(patience.current);
    if (!isInside.current || document.activeElement !== document.body) return;
    if (own) own.focus();
    else patience.current = setTimeout(giveUp, PATIENCE_MS);
  });
  const giveUp = () => {
    if (isInside.current && document.activeElement === document.body) columns().flat()[0]?.focus();
  };
  // Cards come, go and move by themselves; after each of it exactly one has a place in the order of Tab.
  useEffect(() => {
    if (board.current === null) return;
    settle();
    const observer = new MutationObserver(settle);
    observer.observe(board.current, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      clearTimeout(patience.current);
    };
  }, [board]);

  const step = ([right, down]: Step) => {
    const from = columns();
    const here = document.activeElement as HTMLElement;
    const at = from.findIndex((cards) => cards.includes(here));
    const row = from[at]?.indexOf(here) ?? -1;
    if (at === -1) return (cardOf(focused.current) ?? from.flat()[0])?.focus();
    if (right === 0) return from[at]?.[row + down]?.focus();
    for (let next = at + right; from[next] !== undefined; next += right) {
      const card = from[next]?.[row] ?? from[next]?.at(-1);
      if (card) return card.focus();
    }
  };

  return {
    step,
    onKeyDown(event: KeyboardEvent) {
      const by = moves[event.key];
      if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!(event.target as Element).matches(CARD)) return;
      event.preventDefault();
      step(by);
    },
    onFocus({ target }: FocusEvent<HTMLElement>) {
      const card = target.closest<HTMLElement>(CARD);
      isInside.current = card !== null;
      if (card === null) return;
      for (const other of columns().flat()) other.tabIndex = other === card ? 0 : -1;
      focused.current = card.dataset.card ?? null;
    },
    onBlur({ target }: FocusEvent<HTMLElement>) {
      // A card that was taken away did not give the focus to anybody.
      isInside.current = !target.isConnected;
    },
  };
}
