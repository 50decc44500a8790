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
import { chatQuery, contactNamesQuery, nounKey, tokensQuery } from '../../data/queries.ts';
import { readableError, relay } from '../../data/relay.ts';
import { type TextId, t } from '../../i18n.ts';
import { Card, Page, Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { EmptyState, LoadingRows, QueryContent } from '../../parts/query-content.tsx';
import { RichText } from '../../parts/rich-text.tsx';
import {
  isNarrowed,
  readSearchAddress,
  SEARCH_KINDS,
  type SearchAddress,
  UNNARROWED,
} from '../../search-params.ts';
import { KeyHint, useKeys } from '../../shell/keys.tsx';
import {
  hitCountText,
  resultStatus,
  type SearchReader,
  searchIndexSummary,
  senderFromName,
  senderName,
  whenFilterText,
  whoFilterText,
} from './copy.ts';
import { SearchResults } from './results.tsx';
import classes from './search.module.css';

const EXAMPLES = [
  'search.start.example.date',
  'search.start.example.phrase',
  'search.start.example.words',
] as const satisfies readonly TextId[];

export function SearchScreen() {
  const address = readSearchAddress(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = (by: Partial<SearchAddress>, replace = false) =>
    void navigate({ to: '/search', search: { ...address, ...by }, replace, resetScroll: false });
  const { data: memory } = useQuery(searchIndexQuery);
  const status = useSearchStatus(address);
  return (
    <Page
      title={t('common.page.search')}
      summary={memory && <Sentence text={searchIndexSummary(memory)} />}
    >
      <search className={classes.ask}>
        <SearchField
          q={address.q ?? ''}
          onAsk={(q) => change({ q: q === '' ? undefined : q, all: undefined }, true)}
        />
        <SearchFilters address={address} onChange={change} />
      </search>
      <p className={`${classes.status} dim`} role="status">
        {status}
      </p>
      <div className={classes.columns}>
        {canSearch(address) ? (
          <SearchResultsCard address={address} onChange={change} />
        ) : (
          <SearchStart
            onAsk={(q) => change({ q })}
            isTooLong={(address.q ?? '').length > MAX_SEARCH_QUERY_LENGTH}
          />
        )}
        <aside className={classes.aside}>
          <SearchAsCard address={address} onChoose={(as) => change({ as }, true)} />
          <AssistantCard q={address.q} />
        </aside>
      </div>
    </Page>
  );
}

/** What the search found; empty while there is no query. */
function useSearchStatus(address: SearchAddress): string {
  const { data: tokens } = useQuery(tokensQuery);
  const { data, isPlaceholderData, isError } = useQuery(searchResultsQuery(address));
  if ((address.q ?? '').length > MAX_SEARCH_QUERY_LENGTH) return t('search.status.tooLong');
  if (!canSearch(address)) return '';
  if (isError) return t('search.status.failed');
  if (data === undefined || isPlaceholderData) return t('search.status.searching');
  const token = tokens?.tokens.find(({ id }) => id === address.as);
  return resultStatus(data, address.all ? MOST_HITS : FIRST_HITS, readerFor(address, token));
}

function readerFor({ as }: SearchAddress, token: ClientToken | undefined): SearchReader {
  if (as === 'assistant') return { kind: 'assistant' };
  return token === undefined ? { kind: 'owner' } : { kind: 'client', name: token.name };
}

interface SearchResultsCardProps {
  readonly address: SearchAddress;
  onChange(by: Partial<SearchAddress>, replace?: boolean): void;
}

function SearchResultsCard({ address, onChange }: SearchResultsCardProps) {
  const found = useQuery(searchResultsQuery(address));
  const { data } = found;
  const isClosest = data !== undefined && !data.sure && data.hits.length > 0;
  return (
    <Card
      flush
      title={t(isClosest ? 'search.results.closest' : 'search.results.title')}
      className={found.isPlaceholderData ? (classes.stale ?? '') : ''}
      aside={data && <KindFilter address={address} hits={data.hits} onChange={onChange} />}
    >
      {isRefused(found.error) ? (
        <SearchRefused error={found.error} address={address} onChange={onChange} />
      ) : (
        <QueryContent
          query={found}
          subject={t('search.results.title')}
          loading={<LoadingRows rows={4} />}
        >
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
          <RichText
            id="search.results.more"
            values={{ count: FIRST_HITS, most: MOST_HITS }}
            components={{
              more: (
                <button type="button" className="link" onClick={() => onChange({ all: true })} />
              ),
            }}
          />
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
  const why = <Sentence text={readableError(error)} />;
  // Without a filter the query itself is invalid, such as half a character in a link.
  if (!isNarrowed(address) && address.as === undefined) {
    return (
      <EmptyState icon={IconSearchOff} title={t('search.invalid.text')}>
        {why}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconFilterQuestion}
      title={t('search.invalid.filter')}
      action={
        <Button variant="default" onClick={() => onChange({ ...UNNARROWED, as: undefined })}>
          {t('search.invalid.action')}
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
      aria-label={t('search.results.kind')}
      value={address.kind ?? 'all'}
      onChange={(value) => onChange({ kind: SEARCH_KINDS.find((kind) => kind === value) }, true)}
      data={[
        { value: 'all', label: t('search.results.kind.all', { count: hits.length }) },
        ...there.map((kind) => ({
          value: kind,
          label: t(`search.results.kind.${kind}`, { count: count(kind) }),
        })),
      ]}
    />
  );
}

const NothingFound = ({ address }: { readonly address: SearchAddress }) => (
  <EmptyState icon={IconSearchOff} title={t('search.none.title')}>
    {address.as !== undefined
      ? t('search.none.access')
      : t(isNarrowed(address) ? 'search.none.filtered' : 'search.none.other')}
  </EmptyState>
);

interface SearchStartProps {
  readonly isTooLong: boolean;
  onAsk(q: string): void;
}

/** Shown while there is no query that can be searched for. */
function SearchStart({ isTooLong, onAsk }: SearchStartProps) {
  if (isTooLong) {
    return (
      <section className={parts.card}>
        <EmptyState icon={IconSearch} title={t('search.tooLong.title')}>
          {t('search.tooLong.text', { limit: MAX_SEARCH_QUERY_LENGTH })}
        </EmptyState>
      </section>
    );
  }
  return (
    <section className={parts.card} aria-label={t('search.start.label')}>
      <EmptyState icon={IconSearch} title={t('search.start.title')}>
        {t('search.start.text')}
      </EmptyState>
      <ul className={classes.examples}>
        {EXAMPLES.map((example) => (
          <li key={example}>
            <Button variant="default" onClick={() => onAsk(t(example))}>
              {t(example)}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const AssistantCard = ({ q }: { readonly q: string | undefined }) => (
  <Card title={t('search.ask.title')} badge={<IconSparkles size={17} stroke={1.7} aria-hidden />}>
    <p className={`${classes.ahead} small dim`}>{t('search.ask.text')}</p>
    <Button
      variant="default"
      fullWidth
      renderRoot={(props) => <Link {...props} to="/assistant" search={{ ask: q }} />}
    >
      {t('search.ask.action')}
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
  useKeys({ '/': () => field.current?.select() }, t('search.field.key'));
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
      aria-label={t('search.field.label')}
      placeholder={t('search.field.placeholder')}
      leftSection={<IconSearch size={20} stroke={1.7} aria-hidden />}
      leftSectionWidth={48}
      rightSection={<KeyHint>/</KeyHint>}
      aria-keyshortcuts="/"
      rightSectionPointerEvents="none"
      error={
        typed.length > MAX_SEARCH_QUERY_LENGTH
          ? t('search.field.tooLong', { limit: MAX_SEARCH_QUERY_LENGTH, length: typed.length })
          : undefined
      }
      autoComplete="off"
      enterKeyHint="search"
    />
  );
}

// Filters: the sender, the chat and the date. All are in the address; the daemon reports unknown names in place of the
// results.

interface SearchFiltersProps {
  readonly address: SearchAddress;
  onChange(by: Partial<SearchAddress>): void;
}

function SearchFilters({ address, onChange }: SearchFiltersProps) {
  const { person, from, to } = address;
  const chat = useChatName(address.chat);
  return (
    <div className={classes.filters}>
      <FilterPopover icon={<IconUserSearch size={16} />} label={whoFilterText(person, chat)}>
        <NameField
          label={t('search.filter.person')}
          placeholder={t('search.filter.person.any')}
          value={person === undefined ? undefined : senderName(person)}
          first={t('search.filter.person.me')}
          onPick={(name) =>
            onChange({ person: name === undefined ? undefined : senderFromName(name) })
          }
        />
        <NameField
          label={t('search.filter.chat')}
          placeholder={t('search.filter.chat.any')}
          value={chat}
          onPick={(name) => onChange({ chat: name })}
        />
      </FilterPopover>
      <FilterPopover icon={<IconCalendar size={16} />} label={whenFilterText(from, to)}>
        <DayField
          label={t('search.filter.from')}
          value={from}
          onPick={(day) => onChange({ from: day })}
        />
        <DayField
          label={t('search.filter.to')}
          value={to}
          onPick={(day) => onChange({ to: day })}
        />
      </FilterPopover>
      {isNarrowed(address) && (
        <Button
          variant="subtle"
          leftSection={<IconX size={15} aria-hidden />}
          onClick={() => onChange(UNNARROWED)}
        >
          {t('search.filter.clear')}
        </Button>
      )}
    </div>
  );
}

/** The address names a chat by what the owner typed, or by its id if another page led here. */
function useChatName(chat: string | undefined): string | undefined {
  const isId = chat !== undefined && CHAT_ID.test(chat);
  const { data } = useQuery({ ...chatQuery(chat ?? ''), enabled: isId });
  return isId ? (data?.name ?? t('common.loading')) : chat;
}

const CHAT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

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

interface NameFieldProps extends PickProps {
  readonly placeholder: string;
  /** Listed before the names of contacts. */
  readonly first?: string;
}

function NameField({ label, placeholder, value, first, onPick }: NameFieldProps) {
  const { data } = useQuery(contactNamesQuery);
  const [typed, setTyped] = useState(value ?? '');
  const names = data?.contacts.flatMap(({ name }) => (name === null ? [] : [name])) ?? [];
  const pick = (name: string) => onPick(name.trim() === '' ? undefined : name.trim());
  return (
    <Autocomplete
      label={label}
      placeholder={placeholder}
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

// Whose access is used: the same query with the scope of the assistant or a client. Previewing their results does not
// count as reading by them.

interface SearchAsCardProps {
  readonly address: SearchAddress;
  onChoose(as: string | undefined): void;
}

const maySearch = ({ scopes }: ClientToken): boolean => scopes.includes('search:read');

function SearchAsCard({ address, onChoose }: SearchAsCardProps) {
  const { data } = useQuery(tokensQuery);
  const group = useId();
  const option = (as: string | undefined, name: string, reach: string, isOff = false) => (
    <SearchAsOption
      key={as ?? 'me'}
      group={group}
      name={name}
      reach={reach}
      isOff={isOff}
      address={{ ...address, as }}
      isChosen={address.as === as}
      onChoose={() => onChoose(as)}
    />
  );
  return (
    <Card title={t('search.as.title')} badge={<IconEye size={17} stroke={1.7} aria-hidden />}>
      <div className={classes.readers} role="radiogroup" aria-label={t('search.as.title')}>
        {option(undefined, t('search.as.owner'), t('search.as.owner.reach'))}
        {option('assistant', t('search.as.assistant'), t('search.as.assistant.reach'))}
        {data?.tokens.map((token) =>
          maySearch(token)
            ? option(token.id, token.name, reachText(token))
            : option(token.id, token.name, t('search.as.client.refused'), true),
        )}
      </div>
      <p className={`${classes.note} small dim`}>{t('search.as.note')}</p>
    </Card>
  );
}

const reachText = ({ contacts }: ClientToken): string =>
  contacts === null
    ? t('search.as.client.reach')
    : t('search.as.client.contacts', { count: contacts.length });

interface SearchAsOptionProps {
  readonly group: string;
  readonly name: string;
  readonly reach: string;
  readonly isOff: boolean;
  readonly address: SearchAddress & { readonly as: string | undefined };
  readonly isChosen: boolean;
  onChoose(): void;
}

function SearchAsOption({
  group,
  name,
  reach,
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
    <label className={classes.reader} data-chosen={isChosen} data-off={isOff}>
      <input type="radio" name={group} checked={isChosen} onChange={onChoose} disabled={isOff} />
      <span>
        <b dir="auto">{name}</b>
        <small>{reach}</small>
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
