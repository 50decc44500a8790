// All conversations, whatever changed last at the top. Only the rows in view are drawn, and only the beginning is asked
// for again: whatever changes is there, and a row further down is made true from it without moving.
import { Button } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useDeferredValue, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useNow } from '../../data/use-now.ts';
import { useFollow } from '../../parts/follow.ts';
import { Soon, useSoon } from '../../parts/later.tsx';
import parts from '../../parts/parts.module.css';
import { Asked, Empty } from '../../parts/places.tsx';
import classes from './conversations.module.css';
import { Filters } from './filters.tsx';
import { Row } from './row.tsx';
import { type ConversationsSearch, filtersOf } from './search.ts';
import { type Rows, useRows } from './use-rows.ts';

export function List({ search }: { readonly search: ConversationsSearch }) {
  const { query, ...rows } = useRows(filtersOf(search));
  // Drawn when there is time: whoever scrolls or types goes first.
  const all = useDeferredValue(rows.all);
  return (
    <>
      <div className={classes.filters}>
        <Soon>
          <Filters search={search} />
        </Soon>
      </div>
      <section className={parts.card} aria-label="Conversations">
        <Asked query={query} what="The conversations">
          {() => (rows.all.length === 0 ? <Nothing /> : <Table {...rows} all={all} />)}
        </Asked>
      </section>
    </>
  );
}

const Nothing = () => (
  <Empty icon={IconSearch} title="No conversation fits.">
    Take a filter away, or look for fewer words.
  </Empty>
);

const HEADS = ['Objective', 'With', 'State', 'To-dos', 'Why, and what is next', 'Changed'];

function Table({ all, arrived, isMore, isLoading, hold, take, more }: Rows) {
  const now = useNow(20_000);
  const follow = useFollow();
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(topOf(body.current)), []);
  const virtual = useWindowVirtualizer({
    count: all.length,
    estimateSize: () => 64,
    getItemKey: (index) => all[index]?.id ?? index,
    overscan: 8,
    scrollMargin: top,
    // A row more or less in view may wait for a frame.
    useFlushSync: false,
  });
  const isTime = useSoon();
  const shown = isTime ? virtual.getVirtualItems() : [];
  const before = (shown[0]?.start ?? top) - top;
  const after = virtual.getTotalSize() - ((shown.at(-1)?.end ?? top) - top);
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (isMore && !isLoading && last > all.length - 10) more();
  }, [isMore, isLoading, last, all.length, more]);
  return (
    <>
      {arrived > 0 && (
        <div className={classes.arrivedRow}>
          <Button variant="default" size="xs" onClick={take}>
            {arrived} changed
          </Button>
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: what is clicked are links, and Enter on a link clicks it */}
      <table
        className={classes.table}
        aria-label="Conversations, the last changed first"
        aria-rowcount={isMore ? -1 : all.length + 1}
        aria-busy={!isTime || isLoading}
        onPointerEnter={({ pointerType }) => hold(pointerType === 'mouse')}
        onPointerLeave={() => hold(false)}
        onClick={follow}
      >
        <thead>
          <tr>
            {HEADS.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <Gap height={before} />
          {shown.map(({ index, key }) => {
            const instance = all[index];
            return (
              instance && (
                <Row
                  key={key}
                  instance={instance}
                  now={now}
                  index={index}
                  measure={virtual.measureElement}
                />
              )
            );
          })}
          <Gap height={after} />
        </tbody>
      </table>
      {isLoading && <p className={classes.loadingMore}>Loading more …</p>}
    </>
  );
}

const topOf = (element: HTMLElement | null): number =>
  element === null ? 0 : element.getBoundingClientRect().top + window.scrollY;

/** Where the rows would stand that are not in view. */
const Gap = ({ height }: { readonly height: number }) =>
  height > 0 && <tr aria-hidden className={classes.gap} style={{ height }} />;
