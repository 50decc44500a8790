// The list of all conversations, most recently changed first. Only rows in view are rendered and only the first page is
// refetched; it also updates rows further down in place.

import { Button, CloseButton, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback, useDebouncedValue } from '@mantine/hooks';
import type { ListedInstance } from '@relay/contract/api/instances';
import {
  INSTANCE_STATES,
  type InstanceState,
  TURNS,
  type WhoseTurn,
} from '@relay/contract/conversation/states';
import { IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  memo,
  useCallback,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { addressInCurrentAccount } from '../../data/account.ts';
import { useNow } from '../../data/use-now.ts';
import { type TextId, t } from '../../i18n.ts';
import { RenderAfterFirstPaint, useAfterFirstPaint } from '../../parts/deferred.tsx';
import { formatFullTime, formatPhoneNumber } from '../../parts/format.ts';
import { Initials } from '../../parts/initials.tsx';
import { useFollowLinks } from '../../parts/links.tsx';
import { Chip } from '../../parts/marks.tsx';
import { Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { EmptyState, QueryContent } from '../../parts/query-content.tsx';
import { ApprovalBadge, StateBadge, stateWord } from '../../parts/state-badge.tsx';
import {
  type ConversationFilters,
  type ConversationsSearch,
  toConversationFilters,
} from '../../search-params.ts';
import classes from './conversations.module.css';
import {
  changeTime,
  conversationContact,
  countSettledTodos,
  followUpLine,
  reasonLine,
} from './copy.ts';
import {
  findPeopleQuery,
  LIST_PAGE,
  latestConversationsQuery,
  olderConversationsQuery,
} from './queries.ts';

export function ConversationList({ search }: { readonly search: ConversationsSearch }) {
  const { query, ...rows } = useListRows(toConversationFilters(search));
  // Rendered with low priority: scrolling and typing go first.
  const all = useDeferredValue(rows.all);
  return (
    <>
      <div className={classes.filters}>
        <RenderAfterFirstPaint>
          <ConversationListFilters search={search} />
        </RenderAfterFirstPaint>
      </div>
      <section className={parts.card} aria-label={t('common.page.conversations')}>
        <QueryContent query={query} subject={t('common.page.conversations')}>
          {() =>
            rows.all.length === 0 ? (
              <NoMatchingConversations />
            ) : (
              <ConversationTable {...rows} all={all} />
            )
          }
        </QueryContent>
      </section>
    </>
  );
}

const NoMatchingConversations = () => (
  <EmptyState icon={IconSearch} title={t('conversations.list.none.title')}>
    {t('conversations.list.none.text')}
  </EmptyState>
);

const HEADS = [
  'conversations.list.head.goal',
  'conversations.list.head.contact',
  'conversations.list.head.state',
  'conversations.list.head.todos',
  'conversations.list.head.next',
  'conversations.list.head.changed',
] as const satisfies readonly TextId[];

function ConversationTable({
  all,
  newCount,
  isMore,
  isLoading,
  setHeld,
  showNewest,
  more,
}: ListRows) {
  const now = useNow(20_000);
  const follow = useFollowLinks();
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(topOf(body.current)), []);
  const virtual = useWindowVirtualizer({
    count: all.length,
    estimateSize: () => 64,
    getItemKey: (index) => all[index]?.id ?? index,
    overscan: 8,
    scrollMargin: top,
    // A change of the visible rows may wait for a frame.
    useFlushSync: false,
  });
  const isTime = useAfterFirstPaint();
  const shown = isTime ? virtual.getVirtualItems() : [];
  const before = (shown[0]?.start ?? top) - top;
  const after = virtual.getTotalSize() - ((shown.at(-1)?.end ?? top) - top);
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (isMore && !isLoading && last > all.length - 10) more();
  }, [isMore, isLoading, last, all.length, more]);
  return (
    <>
      {newCount > 0 && (
        <div className={classes.arrivedRow}>
          <Button variant="default" size="xs" onClick={showNewest}>
            {t('conversations.list.showUpdated', { count: newCount })}
          </Button>
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: what is clicked are links, and Enter on a link clicks it */}
      <table
        className={classes.table}
        aria-label={t('conversations.list.label')}
        aria-rowcount={isMore ? -1 : all.length + 1}
        aria-busy={!isTime || isLoading}
        onPointerEnter={({ pointerType }) => setHeld(pointerType === 'mouse')}
        onPointerLeave={() => setHeld(false)}
        onClick={follow}
      >
        <thead>
          <tr>
            {HEADS.map((head) => (
              <th key={head} scope="col">
                {t(head)}
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
                <ConversationRow
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
      {isLoading && <p className={classes.loadingMore}>{t('conversations.list.loadingMore')}</p>}
    </>
  );
}

const topOf = (element: HTMLElement | null): number =>
  element === null ? 0 : element.getBoundingClientRect().top + window.scrollY;

/** Fills the space of rows that are not rendered. */
const Gap = ({ height }: { readonly height: number }) =>
  height > 0 && <tr aria-hidden className={classes.gap} style={{ height }} />;

// One conversation in the list: a table row on a laptop, a small card on a phone; all of it is a link.

interface ConversationRowProps {
  readonly instance: ListedInstance;
  readonly now: number;
  readonly index: number;
  readonly measure: (row: HTMLElement | null) => void;
}

const ConversationRow = memo(function Row({ instance, now, index, measure }: ConversationRowProps) {
  const { id, objective, todos, unread, updated_at: changed } = instance;
  const next = followUpLine(instance, now) ?? reasonLine(instance);
  return (
    <tr className={classes.row} data-index={index} aria-rowindex={index + 2} ref={measure}>
      <td className={classes.what}>
        <a href={addressInCurrentAccount(`/conversations/${id}`)} dir="auto">
          {objective}
        </a>
      </td>
      <td>
        <span className={classes.who}>
          <Initials name={instance.contact_name} />
          <span dir="auto">{conversationContact(instance)}</span>
        </span>
      </td>
      <td>
        <span className={classes.badges}>
          <StateBadge instance={instance} />
          {instance.approval_id !== null && <ApprovalBadge />}
          {unread > 0 && <Chip>{t('conversations.unread', { count: unread })}</Chip>}
        </span>
      </td>
      <td className={`${classes.todos} num`}>
        {todos.length > 0 &&
          t('conversations.todosDone', {
            done: countSettledTodos(instance),
            total: todos.length,
          })}
      </td>
      <td className={classes.next}>
        {next !== null && (
          <span className={classes.line} dir="auto">
            <Sentence text={next} />
          </span>
        )}
      </td>
      <td className={classes.changed}>
        <time dateTime={changed} title={formatFullTime(changed)}>
          {changeTime(changed, now)}
        </time>
      </td>
    </tr>
  );
});

// The rows of the list: a snapshot of the first page and the pages after it. Later changes are known from the current
// first page and shown in place; accepting new rows starts over.

interface ListRows {
  readonly all: readonly ListedInstance[];
  /** How many new rows would be added at the top. */
  readonly newCount: number;
  readonly isMore: boolean;
  readonly isLoading: boolean;
  /** While the pointer is inside, rows do not move. */
  setHeld(isInside: boolean): void;
  showNewest(): void;
  more(): void;
}

const NO_INSTANCES: readonly ListedInstance[] = [];

interface ListBeginning {
  readonly from: readonly ListedInstance[];
  readonly filters: string;
}

function useListRows(filters: ConversationFilters) {
  const query = useQuery(latestConversationsQuery(filters));
  const { data: changes = NO_INSTANCES } = useQuery(latestConversationsQuery({}));
  const latest = query.data ?? NO_INSTANCES;
  const name = JSON.stringify(filters);
  const [begun, setBegun] = useState<ListBeginning | null>(null);
  const [isHeld, setHeld] = useState(false);

  const beginning = begun?.filters === name ? begun.from : latest;
  const rest = useInfiniteQuery(olderConversationsQuery(filters, beginning.at(-1)));
  const isFurther = rest.data !== undefined;
  // Held, or scrolled beyond the first page: keep the snapshot.
  const stays = isHeld || isFurther;
  if (!stays && (begun?.from !== latest || begun.filters !== name) && !query.isPlaceholderData) {
    setBegun({ from: latest, filters: name });
  }

  const all = useMemo(() => {
    const now = new Map([...changes, ...latest].map((one) => [one.id, one]));
    const rows = [...beginning, ...(rest.data?.pages.flat() ?? [])];
    const once = new Map(rows.map((one) => [one.id, now.get(one.id) ?? one]));
    return [...once.values()];
  }, [beginning, rest.data, changes, latest]);
  const first = beginning[0]?.updated_at ?? '';
  const newCount = latest.filter(({ updated_at }) => updated_at > first).length;

  const { fetchNextPage } = rest;
  return {
    query,
    all,
    newCount,
    isMore: isFurther ? rest.hasNextPage : beginning.length === LIST_PAGE,
    isLoading: rest.isFetching,
    setHeld,
    showNewest: () => setBegun({ from: latest, filters: name }),
    more: useCallback(() => void fetchNextPage(), [fetchNextPage]),
  };
}

// Filters of the list: turn, state, contact and text. All are in the address.

const turnChoices = () =>
  TURNS.map((value) => ({ value, label: t(`conversations.turn.${value}`) }));

/** The API ends a cancelled conversation as FAILED too. */
const stateChoices = () =>
  INSTANCE_STATES.map((value) => ({
    value,
    label:
      value === 'FAILED'
        ? t('conversations.filters.state.failed')
        : stateWord({ state: value, failure_reason: null }),
  }));

function ConversationListFilters({ search }: { readonly search: ConversationsSearch }) {
  const navigate = useNavigate({ from: '/conversations' });
  const change = (by: ConversationsSearch) =>
    void navigate({ search: { ...search, ...by }, replace: true });
  return (
    <search className={classes.filterFields} aria-label={t('conversations.filters')}>
      <WordsField
        value={search.words ?? ''}
        onWords={(words) => change({ words: words || undefined })}
      />
      <Select
        aria-label={t('conversations.whoseTurn')}
        placeholder={t('conversations.filters.turn.any')}
        clearable
        data={turnChoices()}
        value={search.turn ?? null}
        onChange={(turn) => change({ turn: (turn ?? undefined) as WhoseTurn | undefined })}
      />
      <Select
        aria-label={t('conversations.filters.state')}
        placeholder={t('conversations.filters.state.any')}
        clearable
        data={stateChoices()}
        value={search.state ?? null}
        onChange={(state) => change({ state: (state ?? undefined) as InstanceState | undefined })}
      />
      <PersonSelect value={search.person} onPerson={(person) => change({ person })} />
    </search>
  );
}

/** Searches when typing pauses. */
function WordsField({ value, onWords }: { readonly value: string; onWords(words: string): void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const look = useDebouncedCallback(onWords, 250);
  return (
    <TextInput
      type="search"
      aria-label={t('conversations.filters.search')}
      placeholder={t('conversations.filters.search.placeholder')}
      leftSection={<IconSearch size={16} stroke={1.7} />}
      value={typed}
      maxLength={200}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        look(currentTarget.value.trim());
      }}
      rightSection={
        typed !== '' && (
          <CloseButton
            size="sm"
            aria-label={t('conversations.filters.search.clear')}
            onClick={() => {
              setTyped('');
              onWords('');
            }}
          />
        )
      }
    />
  );
}

// Chooses a contact by name or number.

interface PersonSelectProps {
  /** A contact's id. */
  readonly value: string | undefined;
  onPerson(id: string | undefined): void;
}

function PersonSelect({ value, onPerson }: PersonSelectProps) {
  const [typed, setTyped] = useState('');
  const [asked] = useDebouncedValue(typed, 200);
  const { data: found } = useQuery(findPeopleQuery(asked));
  const { data: chosen } = useQuery({
    ...findPeopleQuery(value ?? ''),
    enabled: value !== undefined,
  });
  const people = new Map(
    [...(chosen?.contacts ?? []), ...(found?.contacts ?? [])].map((one) => [one.id, one]),
  );
  return (
    <Select
      aria-label={t('conversations.filters.contact')}
      placeholder={t('conversations.filters.contact.any')}
      searchable
      clearable
      nothingFoundMessage={t('conversations.filters.contact.none')}
      data={[...people.values()].map(({ id, name, phone_number: digits }) => ({
        value: id,
        label: name ?? (digits === null ? t('common.unknownPerson') : formatPhoneNumber(digits)),
      }))}
      // The daemon has already filtered, by more than the name.
      filter={({ options }) => options}
      value={value ?? null}
      onChange={(id) => onPerson(id ?? undefined)}
      onSearchChange={setTyped}
    />
  );
}
