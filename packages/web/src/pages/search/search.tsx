// The search page. Query and filters are in the address, so every search is a link.
import { Autocomplete, Button, Popover, SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { MAX_SEARCH_QUERY_LENGTH } from '@relay/contract/api/constants';
import type { ClientToken } from '@relay/contract/api/credentials';
import type { FoundMessage, SearchResponse } from '@relay/contract/api/search';
import { RelayApiError } from '@relay/contract/client/api-error';
import {
  IconCalendar,
  IconEye,
  IconFilterQuestion,
  IconSearch,
  IconSearchOff,
  IconSparkles,
  IconUserSearch,
  IconX,
} from '@tabler/icons-react';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { contactNamesQuery, nounKey, tokensQuery } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { plural } from '../../parts/format.ts';
import { Card, Page, Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { EmptyState, LoadingRows, QueryContent } from '../../parts/query-content.tsx';
import {
  isNarrowed,
  readSearchAddress,
  SEARCH_KINDS,
  type SearchAddress,
  UNNARROWED,
} from '../../search-params.ts';
import { KeyHint, useKeys } from '../../shell/keys.tsx';
import {
  foundSentence,
  hitCountText,
  questionTooLong,
  SEARCH_KIND_LABELS,
  searchIndexLine,
} from './copy.ts';
import { SearchResults } from './results.tsx';
import classes from './search.module.css';

const EXAMPLES = ['dinner last week', '“as soon as you can”', 'the address of the hotel'];

export function SearchScreen() {
  const address = readSearchAddress(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = (by: Partial<SearchAddress>, replace = false) =>
    void navigate({ to: '/search', search: { ...address, ...by }, replace, resetScroll: false });
  const { data: memory } = useQuery(searchIndexQuery);
  const sentence = useFoundSentence(address);
  return (
    <Page
      title="Search"
      sentence={sentence}
      summary={memory && <Sentence text={searchIndexLine(memory)} />}
    >
      <p className="unseen" role="status">
        {sentence}
      </p>
      <search className={classes.ask}>
        <SearchField
          q={address.q ?? ''}
          onAsk={(q) => change({ q: q === '' ? undefined : q, all: undefined }, true)}
        />
        <SearchFilters address={address} onChange={change} />
      </search>
      <div className={classes.columns}>
        {canSearch(address) ? (
          <SearchResultsCard address={address} onChange={change} />
        ) : (
          <NothingAsked
            onAsk={(q) => change({ q })}
            isTooLong={(address.q ?? '').length > MAX_SEARCH_QUERY_LENGTH}
          />
        )}
        <aside className={classes.aside}>
          <SearchAsCard address={address} onChoose={(as) => change({ as }, true)} />
          <AskInstead q={address.q} />
        </aside>
      </div>
    </Page>
  );
}

function useFoundSentence(address: SearchAddress): string {
  const { data: tokens } = useQuery(tokensQuery);
  const { data, isPlaceholderData, isError } = useQuery(searchResultsQuery(address));
  if ((address.q ?? '').length > MAX_SEARCH_QUERY_LENGTH) return 'That is too long to search for.';
  if (!canSearch(address)) return 'Where was that?';
  if (isError) return 'That could not be searched for.';
  if (data === undefined || isPlaceholderData) return 'Looking …';
  const token = tokens?.tokens.find(({ id }) => id === address.as);
  const who = address.as === 'assistant' ? 'Your assistant' : (token?.name ?? null);
  return foundSentence(
    data,
    address.all ? MOST_HITS : FIRST_HITS,
    address.as === undefined ? null : who,
  );
}

interface SearchResultsCardProps {
  readonly address: SearchAddress;
  onChange(by: Partial<SearchAddress>, replace?: boolean): void;
}

function SearchResultsCard({ address, onChange }: SearchResultsCardProps) {
  const found = useQuery(searchResultsQuery(address));
  const { data } = found;
  const isNear = data !== undefined && !data.sure && data.hits.length > 0;
  return (
    <Card
      flush
      title={isNear ? 'What comes nearest' : 'Results'}
      className={found.isPlaceholderData ? (classes.stale ?? '') : ''}
      aside={data && <KindFilter address={address} hits={data.hits} onChange={onChange} />}
    >
      {isRefused(found.error) ? (
        <SearchRefused error={found.error} address={address} onChange={onChange} />
      ) : (
        <QueryContent query={found} subject="The results" loading={<LoadingRows rows={4} />}>
          {({ hits }) => <Hits hits={hits} address={address} onChange={onChange} />}
        </QueryContent>
      )}
    </Card>
  );
}

function Hits({
  hits,
  address,
  onChange,
}: SearchResultsCardProps & { readonly hits: readonly FoundMessage[] }) {
  const shown = hits.filter(({ source }) => (address.kind ?? source) === source);
  if (shown.length === 0) return <NothingFound address={address} />;
  return (
    <>
      <SearchResults hits={shown} question={address.q ?? ''} />
      {hits.length === FIRST_HITS && !address.all && (
        <p className={classes.more}>
          The best {FIRST_HITS}.{' '}
          <button type="button" className="link" onClick={() => onChange({ all: true })}>
            Show up to {MOST_HITS}
          </button>
        </p>
      )}
    </>
  );
}

/** The daemon knows no such name or day, or the client no longer exists. */
const isRefused = (error: unknown): error is RelayApiError =>
  error instanceof RelayApiError && [400, 404, 409].includes(error.status);

function SearchRefused({
  error,
  address,
  onChange,
}: SearchResultsCardProps & { readonly error: RelayApiError }) {
  const why = <Sentence text={error.sentence} />;
  // Without a filter the query itself is invalid, such as half a character in a link.
  if (!isNarrowed(address) && address.as === undefined) {
    return (
      <EmptyState icon={IconSearchOff} title="That cannot be searched for.">
        {why}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconFilterQuestion}
      title="It cannot be narrowed like that."
      action={
        <Button variant="default" onClick={() => onChange({ ...UNNARROWED, as: undefined })}>
          Search everything
        </Button>
      }
    >
      {why}
    </EmptyState>
  );
}

function KindFilter({
  address,
  hits,
  onChange,
}: SearchResultsCardProps & { readonly hits: readonly { readonly source: string }[] }) {
  const count = (kind: string) => hits.filter(({ source }) => source === kind).length;
  const there = SEARCH_KINDS.filter((kind) => count(kind) > 0 || address.kind === kind);
  if (there.length < 2) return null;
  return (
    <SegmentedControl
      size="xs"
      aria-label="Kind"
      value={address.kind ?? 'all'}
      onChange={(value) => onChange({ kind: SEARCH_KINDS.find((kind) => kind === value) }, true)}
      data={[
        { value: 'all', label: `All ${hits.length}` },
        ...there.map((kind) => ({
          value: kind,
          label: `${SEARCH_KIND_LABELS[kind]} ${count(kind)}`,
        })),
      ]}
    />
  );
}

const NothingFound = ({ address }: { readonly address: SearchAddress }) => (
  <EmptyState icon={IconSearchOff} title="Nothing was found.">
    {address.as !== undefined
      ? 'What you did not open for it, it cannot find.'
      : `Try other words${isNarrowed(address) ? ', or take a filter away' : ''}.`}
  </EmptyState>
);

interface NothingAskedProps {
  readonly isTooLong: boolean;
  onAsk(q: string): void;
}

function NothingAsked({ isTooLong, onAsk }: NothingAskedProps) {
  if (isTooLong) {
    return (
      <section className={parts.card}>
        <EmptyState icon={IconSearch} title="Nothing was asked for yet.">
          A search takes up to {MAX_SEARCH_QUERY_LENGTH} characters.
        </EmptyState>
      </section>
    );
  }
  return (
    <section className={parts.card} aria-label="Examples">
      <EmptyState icon={IconSearch} title="Ask in your own words.">
        Names and days are understood where they stand; accents and case do not matter.
      </EmptyState>
      <ul className={classes.examples}>
        {EXAMPLES.map((example) => (
          <li key={example}>
            <Button variant="default" onClick={() => onAsk(example)}>
              {example}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const AskInstead = ({ q }: { readonly q: string | undefined }) => (
  <Card title="Ask instead" badge={<IconSparkles size={17} stroke={1.7} aria-hidden />}>
    <p className={`${classes.ahead} small dim`}>
      The assistant reads what it may and names its sources.
    </p>
    <Button
      variant="default"
      fullWidth
      renderRoot={(props) => <Link {...props} to="/assistant" search={{ ask: q }} />}
    >
      Ask the assistant
    </Button>
  </Card>
);

// The search field: the text becomes the address when typing pauses, or at once with Enter.

const SEARCH_AFTER_MS = 250;

interface SearchFieldProps {
  readonly q: string;
  onAsk(q: string): void;
}

function SearchField({ q, onAsk }: SearchFieldProps) {
  const [typed, setTyped] = useState(q);
  const asked = useRef(q);
  const field = useRef<HTMLInputElement>(null);
  const later = useDebouncedCallback(ask, SEARCH_AFTER_MS);
  function ask(text: string) {
    asked.current = text;
    onAsk(text);
  }
  // Back or an example changed the address without the field.
  useEffect(() => {
    if (q === asked.current) return;
    asked.current = q;
    setTyped(q);
  }, [q]);
  useKeys({ '/': () => field.current?.select() }, 'To the search field');
  const type = (text: string) => {
    setTyped(text);
    later(text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') ask(typed);
    if (event.key === 'Escape' && typed !== '') type('');
  };
  return (
    <TextInput
      ref={field}
      classNames={{ input: classes.field ?? '' }}
      type="search"
      value={typed}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      onKeyDown={onKeyDown}
      aria-label="Search messages, digests and facts"
      placeholder="Words, “a phrase”, a name, a day"
      leftSection={<IconSearch size={20} stroke={1.7} aria-hidden />}
      leftSectionWidth={48}
      rightSection={<KeyHint>/</KeyHint>}
      aria-keyshortcuts="/"
      rightSectionPointerEvents="none"
      error={
        typed.length > MAX_SEARCH_QUERY_LENGTH
          ? questionTooLong(typed.length, MAX_SEARCH_QUERY_LENGTH)
          : undefined
      }
      autoComplete="off"
      enterKeyHint="search"
    />
  );
}

// Filters: who said it, where, and when. All are in the address; the daemon reports unknown names in place of the
// results.

interface SearchFiltersProps {
  readonly address: SearchAddress;
  onChange(by: Partial<SearchAddress>): void;
}

function SearchFilters({ address, onChange }: SearchFiltersProps) {
  const { person, chat, from, to } = address;
  const where = [person && `from ${person}`, chat && `in ${chat}`].filter(Boolean).join(', ');
  return (
    <div className={classes.filters}>
      <FilterPopover icon={<IconUserSearch size={16} />} label={where || 'Anyone, anywhere'}>
        <NameField
          label="Said by"
          value={person}
          first="me"
          onPick={(name) => onChange({ person: name })}
        />
        <NameField
          label="In the chat with"
          value={chat}
          onPick={(name) => onChange({ chat: name })}
        />
      </FilterPopover>
      <FilterPopover icon={<IconCalendar size={16} />} label={whenText(from, to)}>
        <DayField label="From" value={from} onPick={(day) => onChange({ from: day })} />
        <DayField label="Until" value={to} onPick={(day) => onChange({ to: day })} />
      </FilterPopover>
      {isNarrowed(address) && (
        <Button
          variant="subtle"
          leftSection={<IconX size={15} aria-hidden />}
          onClick={() => onChange(UNNARROWED)}
        >
          Take filters away
        </Button>
      )}
    </div>
  );
}

function whenText(from: string | undefined, to: string | undefined): string {
  if (from === undefined) return to === undefined ? 'Any time' : `until ${to}`;
  return to === undefined ? `since ${from}` : `${from} to ${to}`;
}

interface FilterPopoverProps {
  readonly icon: ReactNode;
  readonly label: string;
  readonly children: ReactNode;
}

function FilterPopover({ icon, label, children }: FilterPopoverProps) {
  return (
    <Popover position="bottom-start" trapFocus returnFocus withinPortal shadow="none">
      <Popover.Target>
        <Button variant="default" leftSection={icon} classNames={{ label: classes.cut ?? '' }}>
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.narrow}>{children}</Popover.Dropdown>
    </Popover>
  );
}

interface PickProps {
  readonly label: string;
  readonly value: string | undefined;
  onPick(value: string | undefined): void;
}

function NameField({ label, value, first, onPick }: PickProps & { readonly first?: string }) {
  const { data } = useQuery(contactNamesQuery);
  const [typed, setTyped] = useState(value ?? '');
  const names = data?.contacts.flatMap(({ name }) => (name === null ? [] : [name])) ?? [];
  const pick = (name: string) => onPick(name.trim() === '' ? undefined : name.trim());
  return (
    <Autocomplete
      label={label}
      placeholder="Anyone"
      data={[...new Set([...(first === undefined ? [] : [first]), ...names])]}
      limit={8}
      maxLength={128}
      value={typed}
      onChange={setTyped}
      onOptionSubmit={pick}
      onBlur={() => pick(typed)}
      onKeyDown={({ key }) => key === 'Enter' && pick(typed)}
      comboboxProps={{ withinPortal: false }}
    />
  );
}

const DayField = ({ label, value, onPick }: PickProps) => (
  <TextInput
    label={label}
    type="date"
    value={value ?? ''}
    onChange={({ currentTarget }) =>
      onPick(currentTarget.value === '' ? undefined : currentTarget.value)
    }
  />
);

// Whose access is used: the same query with the scope of the assistant or a client. An agent finds only what a grant
// allows; previewing its results does not count as its reading.

interface SearchAsCardProps {
  readonly address: SearchAddress;
  onChoose(as: string | undefined): void;
}

const maySearch = ({ scopes }: ClientToken): boolean => scopes.includes('search:read');

function SearchAsCard({ address, onChoose }: SearchAsCardProps) {
  const { data } = useQuery(tokensQuery);
  const group = useId();
  const eye = (as: string | undefined, name: string, says: string, isOff = false) => (
    <SearchAsOption
      key={as ?? 'me'}
      group={group}
      name={name}
      says={says}
      isOff={isOff}
      address={{ ...address, as }}
      isChosen={address.as === as}
      onChoose={() => onChoose(as)}
    />
  );
  return (
    <Card title="Through whose eyes?" badge={<IconEye size={17} stroke={1.7} aria-hidden />}>
      <div className={classes.eyes} role="radiogroup" aria-label="Search as">
        {eye(undefined, 'Me', 'every chat')}
        {eye('assistant', 'My assistant', 'what you let be read, and your own chat')}
        {data?.tokens.map((token) =>
          maySearch(token)
            ? eye(token.id, token.name, reachText(token))
            : eye(token.id, token.name, 'its token may not search', true),
        )}
      </div>
      <p className={`${classes.quiet} small dim`}>
        An agent finds only what you opened for it. Choose one to see exactly what it would see.
      </p>
    </Card>
  );
}

const reachText = ({ contacts }: ClientToken): string =>
  contacts === null
    ? 'what you let be read'
    : `of ${plural(contacts.length, 'person', 'people')} only`;

interface SearchAsOptionProps {
  readonly group: string;
  readonly name: string;
  readonly says: string;
  readonly isOff: boolean;
  readonly address: SearchAddress & { readonly as: string | undefined };
  readonly isChosen: boolean;
  onChoose(): void;
}

function SearchAsOption({
  group,
  name,
  says,
  isOff,
  address,
  isChosen,
  onChoose,
}: SearchAsOptionProps) {
  const asked = searchResultsQuery(address);
  const { data, isPlaceholderData } = useQuery({
    ...asked,
    enabled: !isOff && canSearch(address),
  });
  const most = address.all ? MOST_HITS : FIRST_HITS;
  return (
    <label className={classes.eye} data-chosen={isChosen} data-off={isOff}>
      <input type="radio" name={group} checked={isChosen} onChange={onChoose} disabled={isOff} />
      <span>
        <b dir="auto">{name}</b>
        <small>{says}</small>
      </span>
      <span className="num">
        {canSearch(address) && !isPlaceholderData && hitCountText(data, most)}
      </span>
    </label>
  );
}

// Queries of the search page: results for a given reader, the state of the index, and names to choose from.

/** How many results are requested at first, and at most. */
const FIRST_HITS = 20;
const MOST_HITS = 100;

const canSearch = ({ q = '' }: SearchAddress): boolean =>
  q.trim() !== '' && q.length <= MAX_SEARCH_QUERY_LENGTH;

/** A query is cancelled when the text changes, so that an older answer never replaces a newer one. */
function searchResultsQuery({ q = '', chat, person, from, to, as, all }: SearchAddress) {
  const asked = {
    q,
    limit: all ? MOST_HITS : FIRST_HITS,
    ...(chat === undefined ? {} : { chat }),
    ...(person === undefined ? {} : { contact: person }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(as === undefined ? {} : { as }),
  };
  return queryOptions<SearchResponse>({
    queryKey: nounKey('search', 'found', asked),
    queryFn: ({ signal }) => relay.get('/api/search', { signal, query: asked }),
    enabled: canSearch({ q }),
    placeholderData: keepPreviousData,
  });
}

const searchIndexQuery = queryOptions({
  queryKey: nounKey('search', 'memory'),
  queryFn: ({ signal }) => relay.get('/api/memory', { signal }),
  refetchInterval: 30_000,
});
