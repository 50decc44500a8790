// What was said, live: anchored at its end, older pages come as somebody scrolls up, and what arrives while they read
// further up waits behind a button. It serves a conversation and a chat alike.
import { Button } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useNow } from '../../data/use-now.ts';
import { useFollow } from '../follow.ts';
import { useSoon } from '../later.tsx';
import { Asked, LoadingLines } from '../places.tsx';
import { dayOf } from '../times.ts';
import { Bubble } from './bubble.tsx';
import type { Page, Place } from './line.ts';
import { rowsOf } from './rows.ts';
import classes from './transcript.module.css';
import { useAnchored } from './use-anchored.ts';
import { type Source, useWindow } from './use-window.ts';
import { countAfter } from './window.ts';

interface TranscriptProps {
  readonly source: Source;
  /** For whoever hears it: `Messages with Dana`. */
  readonly label: string;
  /** At the very beginning. */
  readonly begins: string;
  readonly empty: ReactNode;
  /** Relay's id of the chat, where messages are told apart by it. */
  readonly chat?: string;
  /** The message to begin at, by the id that `why` is asked with. */
  readonly meant?: string | undefined;
}

export function Transcript(props: TranscriptProps) {
  const held = useWindow(props.source);
  const isTime = useSoon();
  return (
    <Asked
      query={held.query}
      what="The messages"
      loading={
        <div className={classes.loading}>
          <LoadingLines lines={6} />
        </div>
      }
    >
      {() =>
        held.window === null || held.window.lines.length > 0 ? (
          <Log {...props} held={held} window={(isTime && held.window) || NOTHING} />
        ) : (
          props.empty
        )
      }
    </Asked>
  );
}

const NOTHING: Page = { lines: [], older: false, newer: false };
/** Older ones are asked for before somebody sees the end of what is there. */
const AHEAD = 900;

interface LogProps extends TranscriptProps {
  readonly held: ReturnType<typeof useWindow>;
  readonly window: Page;
}

function Log({ label, begins, chat, meant, held, window }: LogProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const now = useNow(60_000);
  const rows = useMemo(() => rowsOf(window.lines), [window.lines]);
  const { note, toEnd, toLine } = useAnchored({
    scroller,
    list,
    of: rows,
    isCut: window.newer,
  });
  const follow = useFollow();
  const [seen, setSeen] = useState<Place | null>(null);
  const lastLine = window.lines.at(-1);

  const look = () => {
    const box = scroller.current;
    if (box === null || window === NOTHING) return;
    const isAtEnd = note();
    held.isReadingEnd.current = isAtEnd;
    if (isAtEnd && lastLine !== undefined) setSeen(lastLine.place);
    if (box.scrollTop < AHEAD) void held.load('older');
    else if (box.scrollHeight - box.scrollTop - box.clientHeight < AHEAD) void held.load('newer');
  };
  useEffect(look);
  const meantKey =
    meant === undefined ? undefined : window.lines.find(({ why }) => why === meant)?.key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as soon as it is there to be shown
  useLayoutEffect(() => {
    if (meantKey !== undefined) toLine(meantKey);
  }, [meantKey]);

  const news = countAfter(held.newest?.lines ?? [], seen);
  const backToEnd = () => {
    if (window.newer) held.toEnd();
    toEnd();
  };
  return (
    <div className={classes.frame}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: what is clicked are links, and Enter on a link clicks it */}
      <div
        ref={scroller}
        className={classes.log}
        role="log"
        aria-live="off"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a log that scrolls is reached by the keyboard
        tabIndex={0}
        onScroll={look}
        onClick={follow}
      >
        <p className={classes.edge}>{edgeWords(window, held.failed, begins)}</p>
        <ol ref={list} className={classes.lines}>
          {rows.map((row) =>
            row.kind === 'day' ? (
              <li key={row.key} className={classes.day}>
                {dayOf(row.at, now)}
              </li>
            ) : (
              <Bubble key={row.key} line={row.line} chat={chat} isMeant={row.key === meantKey} />
            ),
          )}
        </ol>
      </div>
      {(window.newer || news > 0) && (
        <Button
          className={classes.news}
          size="xs"
          onClick={backToEnd}
          leftSection={<IconArrowDown size={15} />}
        >
          {news > 0 ? `${news > 99 ? '99+' : news} new` : 'To the newest'}
        </Button>
      )}
    </div>
  );
}

function edgeWords(window: Page, failed: 'older' | 'newer' | null, begins: string): string {
  if (!window.older) return window.lines.length === 0 ? '' : begins;
  return failed === 'older'
    ? 'Older messages could not be loaded. Scroll to try again.'
    : 'Older messages …';
}
