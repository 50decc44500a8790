// One turn of the board. What it shows is asked for again as a whole, one request; while a pointer is inside, cards
// keep their places and what arrived is counted above them.
import { Button } from '@mantine/core';
import type { ListedInstance } from '@relay/core/api/instances';
import { TURNS, type Turn } from '@relay/core/conversation/turns';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type PointerEvent, useDeferredValue, useState } from 'react';
import { useNow } from '../../data/use-now.ts';
import { useFollow } from '../../parts/follow.ts';
import { grouped } from '../../parts/numbers.ts';
import { Failed } from '../../parts/places.tsx';
import { ConversationCard, LoadingCards } from './card.tsx';
import classes from './conversations.module.css';
import { COLUMN_MOST, COLUMN_PAGE, columnQuery } from './queries.ts';
import { still } from './still.ts';
import { TURNS_SHOWN } from './words.ts';

interface ColumnProps {
  readonly turn: Turn;
  readonly count: number;
  /** Its cards may be drawn. */
  readonly isTime: boolean;
}

/** What one takes that is out of view, with the space below it; `.card` has the same. */
const CARD_HEIGHT = 159;

export function Column({ turn, count, isTime }: ColumnProps) {
  const [limit, setLimit] = useState(COLUMN_PAGE);
  const query = useQuery(columnQuery(turn, limit));
  const [held, setHeld] = useState<readonly string[] | null>(null);
  const now = useNow(20_000);
  const follow = useFollow();
  // Drawn when there is time: whoever scrolls or types goes first.
  const data = useDeferredValue(query.data);
  const known = useKnown(turn, data ?? [], held ?? []);
  const fresh = (data ?? []).map(({ id }) => id);
  const { shown, arrived } = still(held, fresh);
  const { title, note, hue, empty } = TURNS_SHOWN[turn];
  const hold = ({ pointerType }: PointerEvent) => {
    const isHeld = held !== null && held.length > 0;
    if (pointerType === 'mouse' && !isHeld && fresh.length > 0) setHeld(fresh);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: what is clicked are links, and Enter on a link clicks it
    <section
      className={classes.column}
      data-hue={hue}
      data-turn={turn}
      aria-label={`${title}, ${count}`}
      onPointerEnter={hold}
      onPointerMove={hold}
      onPointerLeave={() => setHeld(null)}
      onClick={follow}
    >
      <header className={classes.columnHead}>
        <h2>
          {title} <span className="dim num">{grouped(count)}</span>
        </h2>
        <p>{note}</p>
      </header>
      {arrived.length > 0 && (
        <Button
          variant="default"
          size="xs"
          fullWidth
          className={classes.arrived ?? ''}
          onClick={() => setHeld(fresh)}
        >
          {arrived.length} new
        </Button>
      )}
      {query.isError && query.data === undefined && (
        <Failed what={title} error={query.error} onRetry={() => void query.refetch()} />
      )}
      {data === undefined && !query.isError && <LoadingCards />}
      {data !== undefined && shown.length === 0 && <p className={classes.nothing}>{empty}</p>}
      {/* As high as it will be, so that who comes back stands where they stood. */}
      <ul style={isTime ? undefined : { minHeight: shown.length * CARD_HEIGHT }}>
        {(isTime ? shown : []).map((id) => {
          const instance = known(id);
          return (
            instance && (
              <li key={id}>
                <ConversationCard instance={instance} now={now} />
              </li>
            )
          );
        })}
      </ul>
      <More count={count} limit={limit} turn={turn} onMore={() => setLimit(limit + COLUMN_PAGE)} />
    </section>
  );
}

interface MoreProps extends Pick<ColumnProps, 'turn' | 'count'> {
  readonly limit: number;
  onMore(): void;
}

function More({ count, limit, turn, onMore }: MoreProps) {
  if (count <= limit) return null;
  if (limit >= COLUMN_MOST) {
    return (
      <p className={classes.nothing}>
        <Link to="/conversations" search={{ view: 'list', turn }}>
          All {grouped(count)} in the list
        </Link>
      </p>
    );
  }
  return (
    <Button variant="default" size="xs" fullWidth onClick={onMore}>
      Show {Math.min(COLUMN_PAGE, count - limit)} more
    </Button>
  );
}

/** As it is now, though it may have left for another column while this one is held; else as it was last seen here. */
function useKnown(turn: Turn, here: readonly ListedInstance[], held: readonly string[]) {
  const [seen] = useState(() => new Map<string, ListedInstance>());
  for (const instance of here) seen.set(instance.id, instance);
  const hasLeft = held.some((id) => here.every((instance) => instance.id !== id));
  const others = hasLeft ? TURNS.filter((other) => other !== turn) : [];
  const elsewhere = useQueries({ queries: others.map((other) => columnQuery(other, COLUMN_PAGE)) });
  const now = new Map(elsewhere.flatMap(({ data = [] }) => data.map((one) => [one.id, one])));
  return (id: string): ListedInstance | undefined =>
    here.find((instance) => instance.id === id) ?? now.get(id) ?? seen.get(id);
}
