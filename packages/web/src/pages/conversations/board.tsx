// The board: a column per turn, a card per conversation. A column requests as many as it shows and does not reorder
// while the pointer is inside. On a phone one turn is shown and requested at a time.

import { Button, Progress, SegmentedControl, Skeleton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { InstanceCounts, ListedInstance } from '@relay/contract/api/instances';
import { TURNS, type WhoseTurn } from '@relay/contract/conversation/states';
import { IconTargetArrow } from '@tabler/icons-react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import {
  type FocusEvent,
  type KeyboardEvent,
  memo,
  type PointerEvent,
  type RefObject,
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import { addressInCurrentAccount } from '../../data/account.ts';
import { useNow } from '../../data/use-now.ts';
import { formatLocale, t } from '../../i18n.ts';
import { useAfterFirstPaint, useStaggeredCount } from '../../parts/deferred.tsx';
import { formatFullTime, groupDigits } from '../../parts/format.ts';
import { Initials } from '../../parts/initials.tsx';
import { useFollowLinks } from '../../parts/links.tsx';
import { Chip } from '../../parts/marks.tsx';
import { Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { EmptyState, LoadFailure, QueryContent } from '../../parts/query-content.tsx';
import { ApprovalBadge, StateBadge } from '../../parts/state-badge.tsx';
import type { ConversationsSearch } from '../../search-params.ts';
import { useKeys } from '../../shell/keys.tsx';
import classes from './conversations.module.css';
import {
  changeTime,
  conversationContact,
  countAll,
  countSettledTodos,
  followUpLine,
  reasonLine,
  TURN_HUES,
} from './copy.ts';
import { holdOrder } from './held-order.ts';
import { COLUMN_MOST, COLUMN_PAGE, columnQuery, conversationCountsQuery } from './queries.ts';

interface ConversationBoardProps {
  readonly search: ConversationsSearch;
  onBegin(): void;
}

export function ConversationBoard({ search, onBegin }: ConversationBoardProps) {
  const counts = useQuery(conversationCountsQuery);
  const isPhone = useMediaQuery('(max-width: 860px)', undefined, {
    getInitialValueInEffect: false,
  });
  return (
    <QueryContent
      query={counts}
      subject={t('common.page.conversations')}
      loading={<LoadingBoard />}
    >
      {(known) => {
        if (countAll(known) === 0) return <NoConversations onBegin={onBegin} />;
        return isPhone ? <OneTurn counts={known} search={search} /> : <AllTurns counts={known} />;
      }}
    </QueryContent>
  );
}

function NoConversations({ onBegin }: Pick<ConversationBoardProps, 'onBegin'>) {
  return (
    <section className={parts.card}>
      <EmptyState
        icon={IconTargetArrow}
        hue="agent"
        title={t('conversations.empty.title')}
        action={<Button onClick={onBegin}>{t('conversations.new')}</Button>}
      >
        {t('conversations.empty.text')}
      </EmptyState>
    </section>
  );
}

const ARROW_STEPS: Readonly<Record<string, CardStep>> = {
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
};

function AllTurns({ counts }: { readonly counts: InstanceCounts }) {
  const board = useRef<HTMLDivElement>(null);
  const { step, ...handlers } = useCardSteps(board, ARROW_STEPS);
  // Rendering five columns at once would delay the response to a click or key.
  const drawn = useStaggeredCount(TURNS.length);
  useKeys(
    Object.fromEntries(Object.entries(ARROW_STEPS).map(([name, by]) => [name, () => step(by)])),
    t('conversations.keys.cards'),
  );
  return (
    <div className={classes.board} ref={board} {...handlers}>
      {TURNS.map((turn, place) => (
        <BoardColumn key={turn} turn={turn} count={counts.by_turn[turn]} isTime={place < drawn} />
      ))}
    </div>
  );
}

function OneTurn({
  counts,
  search,
}: { readonly counts: InstanceCounts } & Pick<ConversationBoardProps, 'search'>) {
  const navigate = useNavigate({ from: '/conversations' });
  // Chosen once: the page does not move to another turn by itself.
  const [firstInUse] = useState(() => TURNS.find((one) => counts.by_turn[one] > 0) ?? 'you');
  const turn = search.turn ?? firstInUse;
  const isTime = useAfterFirstPaint();
  return (
    <>
      <SegmentedControl
        fullWidth
        withItemsBorders={false}
        className={classes.turns ?? ''}
        aria-label={t('conversations.whoseTurn')}
        value={turn}
        onChange={(chosen) =>
          void navigate({ search: { ...search, turn: chosen as WhoseTurn }, replace: true })
        }
        data={TURNS.map((value) => ({
          value,
          label: (
            <>
              {t(`conversations.turn.${value}.short`)}{' '}
              <small className="num">{formatCompactCount(counts.by_turn[value])}</small>
            </>
          ),
        }))}
      />
      <BoardColumn turn={turn} count={counts.by_turn[turn]} key={turn} isTime={isTime} />
    </>
  );
}

const formatCompactCount = (n: number): string =>
  new Intl.NumberFormat(formatLocale(), { notation: 'compact', maximumFractionDigits: 1 }).format(
    n,
  );

const LoadingBoard = () => (
  <div className={classes.board}>
    {TURNS.map((turn) => (
      <div key={turn} className={classes.column} data-hue={TURN_HUES[turn]}>
        <header className={classes.columnHead}>
          <h2>{t(`conversations.turn.${turn}`)}</h2>
          <p>{t(`conversations.turn.${turn}.note`)}</p>
        </header>
        <LoadingConversationCards />
      </div>
    ))}
  </div>
);

// One column of the board, refetched as a whole with one request. While the pointer is inside, cards keep their places
// and new ones are counted above them.

interface BoardColumnProps {
  readonly turn: WhoseTurn;
  readonly count: number;
  /** True once its cards may be rendered. */
  readonly isTime: boolean;
}

/** Height of an off-screen card with the space below it; must match `.card`. */
const CARD_HEIGHT = 159;

function BoardColumn({ turn, count, isTime }: BoardColumnProps) {
  const [limit, setLimit] = useState(COLUMN_PAGE);
  const query = useQuery(columnQuery(turn, limit));
  const [held, setHeld] = useState<readonly string[] | null>(null);
  const now = useNow(20_000);
  const follow = useFollowLinks();
  // Rendered with low priority: scrolling and typing go first.
  const data = useDeferredValue(query.data);
  const known = useKnownInstances(turn, data ?? [], held ?? []);
  const fresh = (data ?? []).map(({ id }) => id);
  const { shown, arrived } = holdOrder(held, fresh);
  const title = t(`conversations.turn.${turn}`);
  const hold = ({ pointerType }: PointerEvent) => {
    const isHeld = held !== null && held.length > 0;
    if (pointerType === 'mouse' && !isHeld && fresh.length > 0) setHeld(fresh);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: what is clicked are links, and Enter on a link clicks it
    <section
      className={classes.column}
      data-hue={TURN_HUES[turn]}
      data-turn={turn}
      aria-label={t('conversations.column', { title, count })}
      onPointerEnter={hold}
      onPointerMove={hold}
      onPointerLeave={() => setHeld(null)}
      onClick={follow}
    >
      <header className={classes.columnHead}>
        <h2>
          {title} <span className="dim num">{groupDigits(count)}</span>
        </h2>
        <p>{t(`conversations.turn.${turn}.note`)}</p>
      </header>
      {arrived.length > 0 && (
        <Button
          variant="default"
          size="xs"
          fullWidth
          className={classes.arrived ?? ''}
          onClick={() => setHeld(fresh)}
        >
          {t('conversations.column.showNew', { count: arrived.length })}
        </Button>
      )}
      {query.isError && query.data === undefined && (
        <LoadFailure
          what={t('common.page.conversations')}
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {data === undefined && !query.isError && <LoadingConversationCards />}
      {data !== undefined && shown.length === 0 && (
        <p className={classes.nothing}>{t(`conversations.turn.${turn}.empty`)}</p>
      )}
      {/* Reserves the final height, so that going back restores the scroll position. */}
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
      <ShowMore
        count={count}
        limit={limit}
        turn={turn}
        onMore={() => setLimit(limit + COLUMN_PAGE)}
      />
    </section>
  );
}

interface ShowMoreProps extends Pick<BoardColumnProps, 'turn' | 'count'> {
  readonly limit: number;
  onMore(): void;
}

function ShowMore({ count, limit, turn, onMore }: ShowMoreProps) {
  if (count <= limit) return null;
  if (limit >= COLUMN_MOST) {
    return (
      <p className={classes.nothing}>
        <Link to="/conversations" search={{ view: 'list', turn }}>
          {t('conversations.column.showAll', { count })}
        </Link>
      </p>
    );
  }
  return (
    <Button variant="default" size="xs" fullWidth onClick={onMore}>
      {t('conversations.column.showMore', { count: Math.min(COLUMN_PAGE, count - limit) })}
    </Button>
  );
}

/** The current state, although the card may belong to another column while this one is held; else the last seen. */
function useKnownInstances(
  turn: WhoseTurn,
  here: readonly ListedInstance[],
  held: readonly string[],
) {
  const [seen] = useState(() => new Map<string, ListedInstance>());
  for (const instance of here) seen.set(instance.id, instance);
  const hasLeft = held.some((id) => here.every((instance) => instance.id !== id));
  const others = hasLeft ? TURNS.filter((other) => other !== turn) : [];
  const elsewhere = useQueries({ queries: others.map((other) => columnQuery(other, COLUMN_PAGE)) });
  const now = new Map(elsewhere.flatMap(({ data = [] }) => data.map((one) => [one.id, one])));
  return (id: string): ListedInstance | undefined =>
    here.find((instance) => instance.id === id) ?? now.get(id) ?? seen.get(id);
}

// A conversation as a card: objective, contact, state and reason, progress, next step.

interface ConversationCardProps {
  readonly instance: ListedInstance;
  readonly now: number;
}

const ConversationCard = memo(function ConversationCard({ instance, now }: ConversationCardProps) {
  const { id, objective, todos, unread, updated_at: changed } = instance;
  const reason = reasonLine(instance);
  const next = followUpLine(instance, now);
  const done = countSettledTodos(instance);
  return (
    <a
      href={addressInCurrentAccount(`/conversations/${id}`)}
      className={classes.card}
      data-card={id}
      data-mine={instance.turn === 'you' || undefined}
    >
      <b className={classes.objective} dir="auto">
        {objective}
      </b>
      <span className={classes.who}>
        <Initials name={instance.contact_name} />
        <span>
          <span className="unseen">{t('conversations.card.contact')} </span>
          <span dir="auto">{conversationContact(instance)}</span>
        </span>
        <time
          dateTime={changed}
          title={t('conversations.card.changed', { time: formatFullTime(changed) })}
        >
          {changeTime(changed, now)}
        </time>
      </span>
      <span className={classes.badges}>
        <StateBadge instance={instance} />
        {instance.approval_id !== null && <ApprovalBadge />}
        {unread > 0 && <Chip>{t('conversations.unread', { count: unread })}</Chip>}
      </span>
      {reason !== null && (
        <span className={classes.line} dir="auto">
          <Sentence text={reason} />
        </span>
      )}
      {next !== null && <span className={classes.line}>{next}</span>}
      {todos.length > 0 && (
        <span className={classes.done}>
          <Progress value={(done / todos.length) * 100} size={4} aria-hidden />
          <span className="num">
            <span aria-hidden>
              {done}/{todos.length}
            </span>
            <span className="unseen">
              {t('conversations.card.todos', { done, total: todos.length })}
            </span>
          </span>
        </span>
      )}
    </a>
  );
});

/** Two placeholder cards. */
const LoadingConversationCards = () => (
  <div className={parts.late} role="status" aria-busy="true" aria-label={t('common.loading')}>
    {[0, 1].map((card) => (
      <div className={classes.card} key={card}>
        <Skeleton width="88%" height={12} />
        <Skeleton width="62%" height={10} />
        <Skeleton width="54%" height={20} />
        <Skeleton width="100%" height={6} />
      </div>
    ))}
  </div>
);

// Arrow keys among the cards: Tab reaches one of them, arrow keys the rest. The focus belongs to a conversation, not to
// a position: a card that moves to another column keeps it.

/** Columns to the right on the screen, cards down. */
type CardStep = readonly [number, number];

const CARD_SELECTOR = '[data-card]';
/** Each column is fetched separately: a moving card may be in none for a moment. */
const PATIENCE_MS = 2_000;

function useCardSteps(
  board: RefObject<HTMLElement | null>,
  moves: Readonly<Record<string, CardStep>>,
) {
  const focused = useRef<string | null>(null);
  const isInside = useRef(false);
  const patience = useRef<ReturnType<typeof setTimeout>>(undefined);

  const columns = () =>
    [...(board.current?.children ?? [])].map((column) => [
      ...column.querySelectorAll<HTMLElement>(CARD_SELECTOR),
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
  // Cards appear, disappear and move; after each change exactly one is in the Tab order.
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

  const step = ([right, down]: CardStep) => {
    const from = columns();
    const here = document.activeElement as HTMLElement;
    const at = from.findIndex((cards) => cards.includes(here));
    const row = from[at]?.indexOf(here) ?? -1;
    if (at === -1) return (cardOf(focused.current) ?? from.flat()[0])?.focus();
    if (right === 0) return from[at]?.[row + down]?.focus();
    const onward = document.dir === 'rtl' ? -right : right;
    for (let next = at + onward; from[next] !== undefined; next += onward) {
      const card = from[next]?.[row] ?? from[next]?.at(-1);
      if (card) return card.focus();
    }
  };

  return {
    step,
    onKeyDown(event: KeyboardEvent) {
      const by = moves[event.key];
      if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!(event.target as Element).matches(CARD_SELECTOR)) return;
      event.preventDefault();
      step(by);
    },
    onFocus({ target }: FocusEvent<HTMLElement>) {
      const card = target.closest<HTMLElement>(CARD_SELECTOR);
      isInside.current = card !== null;
      if (card === null) return;
      for (const other of columns().flat()) other.tabIndex = other === card ? 0 : -1;
      focused.current = card.dataset.card ?? null;
    },
    onBlur({ target }: FocusEvent<HTMLElement>) {
      // A removed card did not move the focus to another element.
      isInside.current = !target.isConnected;
    },
  };
}
