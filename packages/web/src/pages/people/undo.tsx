// What was closed a moment ago can be undone for ten seconds: by the button of the toast, or by Ctrl Z from wherever the
// focus is. The time stands still while somebody points at the toast or has the focus in it.
import { notifications } from '@mantine/notifications';
import { useEffect, useEffectEvent, useState } from 'react';
import classes from './undo.module.css';

const LASTS_MS = 10_000;
const TICK_MS = 200;

let shown: string | undefined;

/** One at a time: the newest. */
export function offerUndo(says: string, undo: () => void): void {
  if (shown !== undefined) notifications.hide(shown);
  const hide = () => notifications.hide(id);
  const id = notifications.show({
    autoClose: false,
    closeButtonProps: { 'aria-label': 'Dismiss' },
    message: <Undo says={says} onUndo={undo} onOver={() => hide()} />,
  });
  shown = id;
}

interface UndoProps {
  readonly says: string;
  onUndo(): void;
  onOver(): void;
}

const UNDO_KEY = navigator.userAgent.includes('Mac') ? '⌘ Z' : 'Ctrl Z';

function Undo({ says, onUndo, onOver }: UndoProps) {
  const [isHeld, setHeld] = useState(false);
  const [left, setLeft] = useState(LASTS_MS);
  const undo = useEffectEvent(() => {
    onOver();
    onUndo();
  });
  const isOver = left <= 0;
  useEffect(() => {
    if (isHeld) return;
    const timer = setInterval(() => setLeft((ms) => ms - TICK_MS), TICK_MS);
    return () => clearInterval(timer);
  }, [isHeld]);
  const over = useEffectEvent(onOver);
  useEffect(() => {
    if (isOver) over();
  }, [isOver]);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey)) return;
      if (event.shiftKey || event.defaultPrevented || isTyping(event.target)) return;
      event.preventDefault();
      undo();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  return (
    <div
      className={classes.undo}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
    >
      <span dir="auto">{says}</span>
      <button
        type="button"
        aria-keyshortcuts="Control+Z"
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
        onClick={() => {
          onOver();
          onUndo();
        }}
      >
        Undo <kbd aria-hidden>{UNDO_KEY}</kbd>
      </button>
    </div>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('textarea, input:not([type=checkbox], [type=radio])') !== null;
