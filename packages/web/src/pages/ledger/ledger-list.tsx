// The rows of the ledger as a virtual list that loads more while it is scrolled.

import { Button, CloseButton, Select, TextInput } from '@mantine/core';
import type { LedgerLine } from '@relay/contract/api/ledger';
import { IconArrowDownLeft, IconArrowUpRight, IconPoint, IconSearch } from '@tabler/icons-react';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type FormEvent,
  memo,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useNow } from '../../data/use-now.ts';
import { type TextId, t } from '../../i18n.ts';
import { capitalize } from '../../parts/format.ts';
import { Badge } from '../../parts/marks.tsx';
import { decisionDisplay } from '../../parts/outcomes.ts';
import {
  LEDGER_SINCE,
  type LedgerSearch,
  OUTCOME_GROUPS,
  pickLedgerFilters,
} from '../../search-params.ts';
import {
  ACTORS,
  actionLabel,
  actorKindLabel,
  actorLabel,
  decisionDirection,
  decisionReason,
  FILTER_ACTIONS,
  rowTime,
  shortenId,
} from './copy.ts';
import classes from './ledger.module.css';

interface LedgerRowsProps {
  readonly entries: readonly LedgerLine[];
  readonly pages: Pick<
    UseInfiniteQueryResult,
    'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
  >;
  readonly chosen: number | undefined;
  readonly search: LedgerSearch;
}

/** The next page is requested this many rows before the end. */
const AHEAD = 20;

export function LedgerRows({ entries, pages, chosen, search }: LedgerRowsProps) {
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
    // A row opened by its address stays at the top of the page; only a later move scrolls.
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
              <LedgerRow entry={entry} isChosen={entry.seq === chosen} search={search} />
            </li>
          )
        );
      })}
    </ul>
  );
}

interface LedgerRowProps {
  readonly entry: LedgerLine;
  readonly isChosen: boolean;
  readonly search: LedgerSearch;
}

const LedgerRow = memo(function Row({ entry, isChosen, search }: LedgerRowProps) {
  const { word, hue, icon } = decisionDisplay(entry);
  const actor = actorLabel(entry);
  const action = actionLabel(entry);
  return (
    <Link
      to="/ledger/$row"
      params={{ row: String(entry.seq) }}
      search={pickLedgerFilters(search)}
      resetScroll={false}
      className={classes.row}
      aria-current={isChosen || undefined}
    >
      <RowTime at={entry.at} />
      <span className={classes.what}>
        <DirectionIcon entry={entry} />
        <b dir="auto">{entry.about === null ? actor : capitalize(entry.about)}</b>
        <small dir="auto">
          {entry.about === null ? action : t('ledger.row.actorAction', { actor, action })}
        </small>
      </span>
      <Badge hue={hue} icon={icon}>
        {word}
      </Badge>
      <span className={`${classes.why} page-side`} dir="auto">
        {decisionReason(entry)}
      </span>
    </Link>
  );
});

function DirectionIcon({ entry }: { readonly entry: LedgerLine }) {
  const way = decisionDirection(entry);
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

// Filters of the ledger: outcome, actor, action, age and contact. All are in the address. A message is found by its id.

const choices = (named: Readonly<Record<string, { readonly label: TextId }>>) =>
  Object.entries(named).map(([value, { label }]) => ({ value, label: t(label) }));

const FILTERS = {
  outcome: () => choices(OUTCOME_GROUPS),
  actor: () => ACTORS.map((value) => ({ value, label: actorKindLabel(value) })),
  action: () => FILTER_ACTIONS.map((value) => ({ value, label: t(`ledger.action.${value}`) })),
  since: () => choices(LEDGER_SINCE),
} as const satisfies Record<string, () => readonly FilterChoice[]>;

type FilterName = keyof typeof FILTERS;

export function LedgerFilters({ search }: { readonly search: LedgerSearch }) {
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const set = (changed: { readonly [name: string]: string | null }) => {
    const all = Object.entries({ ...search, ...changed });
    const kept = all.filter(
      ([name, value]) => value !== null && name !== 'message' && name !== 'chat',
    );
    void navigate({ to: '/ledger', search: Object.fromEntries(kept), replace: true });
  };
  const select = (name: FilterName) => (
    <Select
      className={classes.choice ?? ''}
      aria-label={t(`ledger.filter.${name}`)}
      placeholder={t(`ledger.filter.${name}.any`)}
      data={withOwn(FILTERS[name](), search[name])}
      value={search[name] ?? null}
      onChange={(value) => set({ [name]: value })}
      clearable
      checkIconPosition="right"
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
  const chosen = [search.outcome, search.actor, search.action, search.since].filter(
    (value) => value !== undefined,
  ).length;
  return (
    <div className={classes.filters} data-open={isOpen || undefined}>
      <Button
        variant="default"
        className={classes.more ?? ''}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {t('ledger.filter.toggle', { count: chosen })}
      </Button>
      {select('outcome')}
      {select('actor')}
      {select('action')}
      {select('since')}
      <FindMessage />
      {search.subject !== undefined && (
        <span className={classes.about}>
          {t('ledger.filter.about', { id: shortenId(search.subject) })}
          <CloseButton
            size="sm"
            aria-label={t('ledger.filter.about.remove')}
            onClick={() => set({ subject: null })}
          />
        </span>
      )}
    </div>
  );
}

interface FilterChoice {
  readonly value: string;
  readonly label: string;
}

/** A link may name one conversation, or a value that only a newer daemon knows. */
const withOwn = (data: readonly FilterChoice[], value: string | undefined): FilterChoice[] =>
  value === undefined || data.some((choice) => choice.value === value)
    ? [...data]
    : [...data, { value, label: value.replaceAll('_', ' ') }];

function FindMessage() {
  const navigate = useNavigate();
  const [id, setId] = useState('');
  const find = (event: FormEvent) => {
    event.preventDefault();
    if (id.trim() !== '') void navigate({ to: '/ledger', search: { message: id.trim() } });
  };
  return (
    <form onSubmit={find} className={classes.find}>
      <TextInput
        aria-label={t('ledger.filter.message')}
        placeholder={t('ledger.filter.message.placeholder')}
        leftSection={<IconSearch size={16} />}
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
        maxLength={128}
      />
    </form>
  );
}
