// The rows of the ledger as a list that is drawn only where it is looked at, and read on as it is scrolled.
import type { LedgerLine } from '@relay/core/api/ledger';
import { IconArrowDownLeft, IconArrowUpRight, IconPoint } from '@tabler/icons-react';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { useNow } from '../../data/use-now.ts';
import { Badge } from '../../parts/marks.tsx';
import { outcomeShown } from '../../parts/outcomes.ts';
import classes from './ledger.module.css';
import { filtersOf, type LedgerSearch } from './search.ts';
import { capital, rowTime, wayOf, whyOf } from './words.ts';

interface RowsProps {
  readonly entries: readonly LedgerLine[];
  readonly pages: Pick<
    UseInfiniteQueryResult,
    'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
  >;
  readonly chosen: number | undefined;
  readonly search: LedgerSearch;
}

/** So many rows before the end the next page is asked for. */
const AHEAD = 20;

export function Rows({ entries, pages, chosen, search }: RowsProps) {
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (list.current !== null) setTop(list.current.getBoundingClientRect().top + scrollY);
  }, []);
  const virtual = useWindowVirtualizer({
    count: entries.length,
    estimateSize: () => 60,
    overscan: 12,
    scrollMargin: top,
    getItemKey: (index) => entries[index]?.seq ?? index,
  });
  const drawn = virtual.getVirtualItems();
  const last = drawn.at(-1)?.index ?? 0;
  const readOn = useEffectEvent(() => {
    if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
  });
  useEffect(() => {
    if (last >= entries.length - AHEAD) readOn();
  }, [last, entries.length]);
  const at = entries.findIndex(({ seq }) => seq === chosen);
  const before = useRef(at);
  const follow = useEffectEvent((row: number) => virtual.scrollToIndex(row, { align: 'auto' }));
  useEffect(() => {
    // Whoever comes to a row begins at the top of the page; only a movement is followed.
    if (at >= 0 && before.current !== at) follow(at);
    before.current = at;
  }, [at]);

  return (
    <ul ref={list} className={classes.rows} style={{ height: virtual.getTotalSize() }}>
      {drawn.map(({ index, key, start }) => {
        const entry = entries[index];
        return (
          entry && (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <Row entry={entry} isChosen={entry.seq === chosen} search={search} />
            </li>
          )
        );
      })}
    </ul>
  );
}

interface RowProps {
  readonly entry: LedgerLine;
  readonly isChosen: boolean;
  readonly search: LedgerSearch;
}

const Row = memo(function Row({ entry, isChosen, search }: RowProps) {
  const { word, hue, icon } = outcomeShown(entry.outcome);
  return (
    <Link
      to="/ledger/$row"
      params={{ row: String(entry.seq) }}
      search={filtersOf(search)}
      resetScroll={false}
      className={classes.row}
      aria-current={isChosen || undefined}
    >
      <RowTime at={entry.at} />
      <span className={classes.what}>
        <Way entry={entry} />
        <b dir="auto">{capital(entry.about ?? entry.who)}</b>
        <small dir="auto">
          {entry.about === null ? entry.what : `${capital(entry.who)}: ${entry.what}`}
        </small>
      </span>
      <Badge hue={hue} icon={icon}>
        {word}
      </Badge>
      <span className={classes.why} dir="auto">
        {whyOf(entry)}
      </span>
    </Link>
  );
});

function Way({ entry }: { readonly entry: LedgerLine }) {
  const way = wayOf(entry);
  const Icon = way === 'in' ? IconArrowDownLeft : way === 'out' ? IconArrowUpRight : IconPoint;
  return <Icon size={15} stroke={2} aria-hidden />;
}

function RowTime({ at }: { readonly at: string }) {
  const { day, time } = rowTime(at, useNow(60_000));
  return (
    <time dateTime={at}>
      {time}
      {day !== null && <small className={classes.day}>{day}</small>}
    </time>
  );
}
