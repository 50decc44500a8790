// The live transcript of a conversation or a chat: anchored at its end, older pages load on scrolling up, and new lines
// wait behind a button while the reader is further up.
import { Button } from '@mantine/core';
import { revealHidden } from '@relay/core/messages/text';
import { IconArrowDown, IconCornerUpLeft, IconInfoCircle } from '@tabler/icons-react';
import {
  memo,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { useAfterFirstPaint } from '../deferred.tsx';
import { formatDay, formatTimeOfDay } from '../format.ts';
import { useFollowLinks, whyHref } from '../links.tsx';
import { LazyMessageMedia } from '../media/lazy-media.tsx';
import { LoadingLines, QueryContent } from '../query-content.tsx';
import { DELIVERY_DISPLAY } from './delivery.tsx';
import classes from './transcript.module.css';
import { type TranscriptSource, useTranscriptWindow } from './use-transcript-window.ts';
import {
  countAfter,
  type EntryPlace,
  type TranscriptEntry,
  type TranscriptPage,
  withDayRows,
} from './window.ts';

interface TranscriptProps {
  readonly source: TranscriptSource;
  /** For screen readers: `Messages with Dana`. */
  readonly label: string;
  /** The person or group. */
  readonly name: string;
  /** Shown at the very beginning. */
  readonly startText: string;
  readonly empty: ReactNode;
  /** Relay's id of the chat, where messages are identified with it. */
  readonly chat?: string;
  /** Offers to reply to each message. */
  readonly onReply?: ((line: TranscriptEntry) => void) | undefined;
  /** Called with the loaded lines whenever they change. */
  readonly onLines?: ((lines: readonly TranscriptEntry[]) => void) | undefined;
  /** The message to start at, by the id that `why` accepts. */
  readonly targetMessageId?: string | undefined;
}

export function Transcript(props: TranscriptProps) {
  const held = useTranscriptWindow(props.source);
  const isTime = useAfterFirstPaint();
  return (
    <QueryContent
      query={held.query}
      subject={t('common.transcript.subject')}
      loading={
        <div className={classes.loading}>
          <LoadingLines lines={6} />
        </div>
      }
    >
      {() =>
        held.window === null || held.window.entries.length > 0 ? (
          <Log {...props} held={held} window={(isTime && held.window) || EMPTY_PAGE} />
        ) : (
          props.empty
        )
      }
    </QueryContent>
  );
}

const EMPTY_PAGE: TranscriptPage = { entries: [], hasOlder: false, hasNewer: false };
/** Older lines are requested this far before the top is reached. */
const LOAD_AHEAD_PX = 900;

interface LogProps extends TranscriptProps {
  readonly held: ReturnType<typeof useTranscriptWindow>;
  readonly window: TranscriptPage;
}

function Log(props: LogProps) {
  const { label, name, startText, chat, targetMessageId, held, window, onReply, onLines } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const now = useNow(60_000);
  const rows = useMemo(() => withDayRows(window.entries), [window.entries]);
  const { note, toEnd, toLine } = useScrollAnchor({
    scroller,
    list,
    of: rows,
    isCut: window.hasNewer,
  });
  const follow = useFollowLinks();
  const [seen, setSeen] = useState<EntryPlace | null>(null);
  const lastLine = window.entries.at(-1);
  useEffect(() => onLines?.(window.entries), [window.entries, onLines]);

  const look = () => {
    const box = scroller.current;
    if (box === null || window === EMPTY_PAGE) return;
    const isAtEnd = note();
    held.isReadingEnd.current = isAtEnd;
    if (isAtEnd && lastLine !== undefined) setSeen(lastLine.place);
    if (box.scrollTop < LOAD_AHEAD_PX) void held.load('older');
    else if (box.scrollHeight - box.scrollTop - box.clientHeight < LOAD_AHEAD_PX)
      void held.load('newer');
  };
  useEffect(look);
  const meantKey =
    targetMessageId === undefined
      ? undefined
      : window.entries.find(({ whyMessageId }) => whyMessageId === targetMessageId)?.key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as soon as it is there to be shown
  useLayoutEffect(() => {
    if (meantKey !== undefined) toLine(meantKey);
  }, [meantKey]);

  const news = countAfter(held.newest?.entries ?? [], seen);
  const backToEnd = () => {
    if (window.hasNewer) held.toEnd();
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
        <p className={classes.edge}>{edgeText(window, held.failed, startText)}</p>
        <ol ref={list} className={classes.lines}>
          {rows.map((row) =>
            row.kind === 'day' ? (
              <li key={row.key} className={classes.day}>
                {formatDay(row.at, now)}
              </li>
            ) : (
              <Bubble
                key={row.key}
                line={row.line}
                chat={chat}
                isMeant={row.key === meantKey}
                name={name}
                onReply={onReply}
              />
            ),
          )}
        </ol>
      </div>
      {(window.hasNewer || news > 0) && (
        <Button
          className={classes.news}
          size="xs"
          onClick={backToEnd}
          leftSection={<IconArrowDown size={15} />}
        >
          {newestLabel(news)}
        </Button>
      )}
    </div>
  );
}

function edgeText(
  window: TranscriptPage,
  failed: 'older' | 'newer' | null,
  startText: string,
): string {
  if (!window.hasOlder) return window.entries.length === 0 ? '' : startText;
  return t(failed === 'older' ? 'common.transcript.olderFailed' : 'common.transcript.loadingOlder');
}

const MOST_NEW_COUNTED = 99;

function newestLabel(news: number): string {
  if (news === 0) return t('common.transcript.showNewest');
  return news > MOST_NEW_COUNTED
    ? t('common.transcript.showManyNew', { count: MOST_NEW_COUNTED })
    : t('common.transcript.showNew', { count: news });
}

// One line of a transcript. Text of others is a plain text node, whatever it contains.

interface BubbleProps {
  readonly line: TranscriptEntry;
  readonly chat: string | undefined;
  readonly isMeant: boolean;
  /** The other person, where messages do not name their author. */
  readonly name: string;
  readonly onReply: TranscriptProps['onReply'];
}

/** WhatsApp knows the message, so that it can be quoted. */
const isQuotable = ({ whyMessageId, delivery }: TranscriptEntry): boolean =>
  whyMessageId !== null && (delivery === null || ['sent', 'delivered', 'read'].includes(delivery));

const Bubble = memo(function Bubble({ line, chat, isMeant, name, onReply }: BubbleProps) {
  if (line.side === 'system') {
    return (
      <li className={classes.system} data-key={line.key}>
        <IconInfoCircle size={14} aria-hidden />
        <span dir="auto">{revealHidden(line.text)}</span>
        <time dateTime={line.at}>{formatTimeOfDay(line.at)}</time>
      </li>
    );
  }
  const { authorName, label, text, quoted, whyMessageId, media, content, isDeleted } = line;
  const chip = label !== null && <span className={classes.label}>{label}</span>;
  const isCard = content !== null && CARDS.has(content.kind);
  return (
    <li className={classes.message} data-from={line.side} data-key={line.key}>
      <div className={classes.bubble} data-meant={isMeant || undefined}>
        {authorName !== null && (
          <span className={classes.by} dir="auto">
            {authorName}
          </span>
        )}
        {quoted !== null && (
          <blockquote>
            <b dir="auto">{quoted.by}</b>{' '}
            <span dir="auto">{revealHidden(quoted.text) || quoted.label}</span>
          </blockquote>
        )}
        {isDeleted ? (
          <p className={classes.deleted}>{t('common.transcript.deleted')}</p>
        ) : media !== null || isCard ? (
          <LazyMessageMedia
            media={media}
            content={content}
            by={authorName ?? name}
            caption={text}
            fallback={chip}
          />
        ) : (
          chip
        )}
        {text !== '' && !isCard && <p dir="auto">{revealHidden(text)}</p>}
        <span className={classes.meta}>
          {onReply !== undefined && isQuotable(line) && (
            <button
              type="button"
              className={classes.reply}
              aria-label={t('common.transcript.replyTo', { text: line.text || (label ?? '') })}
              onClick={() => onReply(line)}
            >
              <IconCornerUpLeft className="mirrored" size={14} aria-hidden />
              {t('common.transcript.reply')}
            </button>
          )}
          {whyMessageId !== null && (
            <a className={classes.why} href={whyHref(whyMessageId, chat)}>
              {t('common.why')}
            </a>
          )}
          {line.marks.map((mark) => (
            <span key={mark}>{mark}</span>
          ))}
          <time dateTime={line.at}>{formatTimeOfDay(line.at)}</time>
          <Delivery line={line} />
        </span>
        {line.reactions.length > 0 && <Reactions reactions={line.reactions} />}
      </div>
    </li>
  );
});

/** What is shown as a card in place of its label and text. */
const CARDS: ReadonlySet<string> = new Set(['location', 'poll', 'contacts', 'view_once']);

function Reactions({ reactions }: Pick<TranscriptEntry, 'reactions'>) {
  const byEmoji = Map.groupBy(reactions, ({ emoji }) => emoji);
  return (
    <ul className={classes.reactions} aria-label={t('common.transcript.reactions')}>
      {[...byEmoji].map(([emoji, people]) => {
        const names = people.map(({ by }) => by).join(', ');
        return (
          <li key={emoji} title={names}>
            <span className="unseen" dir="auto">
              {t('common.transcript.reaction', { emoji: revealHidden(emoji), names })}
            </span>
            <span aria-hidden>
              {revealHidden(emoji)} {people.length > 1 && people.length}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function Delivery({ line: { delivery } }: { readonly line: TranscriptEntry }) {
  if (delivery === null) return null;
  const { label, icon: Icon, hue } = DELIVERY_DISPLAY[delivery];
  return (
    <span className={classes.delivery} data-hue={hue}>
      <Icon size={15} stroke={2} aria-hidden />
      {t(label)}
    </span>
  );
}

// Keeps the reading position when lines are added above or below: the first visible line stays in place, and a view at
// the end stays at the end. Measured on real elements, so nothing is estimated and nothing jumps.

/** A view this close to the end counts as being at the end. */
const NEAR_END = 48;

type Anchor = 'end' | { readonly key: string; readonly offset: number };

interface ScrollAnchorOptions {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly list: RefObject<HTMLOListElement | null>;
  /** Changes whenever the lines do. */
  readonly of: unknown;
  /** Whether the list continues below the loaded lines. */
  readonly isCut: boolean;
}

function useScrollAnchor({ scroller, list, of, isCut }: ScrollAnchorOptions) {
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
    // Files in it get their size later.
    if (list.current !== null) watching.observe(list.current);
    return () => watching.disconnect();
  }, [scroller, list, hold]);

  return {
    note,
    toEnd: () => {
      anchor.current = 'end';
      hold();
    },
    /** Starts at this line instead of at the end. */
    toLine: (key: string) => {
      const box = scroller.current;
      anchor.current = { key, offset: (box?.clientHeight ?? 0) / 3 };
      hold();
    },
  };
}

/** Binary search, because rows are in order. A day heading is not an anchor: it moves up with older lines of that day. */
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
