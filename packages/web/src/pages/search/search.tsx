// Search: where was that? The question and whatever narrows it are the address, so every search is a link.
import { Button, SegmentedControl } from '@mantine/core';
import type { FoundMessage } from '@relay/core/api/search';
import { RelayApiError } from '@relay/core/client/api-error';
import { LONGEST_QUESTION } from '@relay/core/search/asked';
import { IconFilterQuestion, IconSearch, IconSearchOff, IconSparkles } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { tokensQuery } from '../../data/queries.ts';
import { Card } from '../../parts/card.tsx';
import { Page } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { Asked, Empty, LoadingRows } from '../../parts/places.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { isNarrowed, KINDS, readSearchAddress, type SearchAddress, UNNARROWED } from './address.ts';
import { Eyes } from './eyes.tsx';
import { Field } from './field.tsx';
import { Filters } from './filters.tsx';
import { canBeAsked, FIRST, foundQuery, MOST, memoryQuery } from './queries.ts';
import { Results } from './results.tsx';
import classes from './search.module.css';
import { foundSentence, KIND_WORDS, memoryLine } from './words.ts';

const EXAMPLES = ['dinner last week', '“as soon as you can”', 'the address of the hotel'];

export function Search() {
  const address = readSearchAddress(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = (by: Partial<SearchAddress>, replace = false) =>
    void navigate({ to: '/search', search: { ...address, ...by }, replace, resetScroll: false });
  const { data: memory } = useQuery(memoryQuery);
  const sentence = useFoundSentence(address);
  return (
    <Page
      title="Search"
      sentence={sentence}
      lead={memory && <Sentence text={memoryLine(memory)} />}
    >
      <p className="unseen" role="status">
        {sentence}
      </p>
      <search className={classes.ask}>
        <Field
          q={address.q ?? ''}
          onAsk={(q) => change({ q: q === '' ? undefined : q, all: undefined }, true)}
        />
        <Filters address={address} onChange={change} />
      </search>
      <div className={classes.columns}>
        {canBeAsked(address) ? (
          <Found address={address} onChange={change} />
        ) : (
          <NothingAsked
            onAsk={(q) => change({ q })}
            isTooLong={(address.q ?? '').length > LONGEST_QUESTION}
          />
        )}
        <aside className={classes.aside}>
          <Eyes address={address} onChoose={(as) => change({ as }, true)} />
          <AskInstead q={address.q} />
        </aside>
      </div>
    </Page>
  );
}

function useFoundSentence(address: SearchAddress): string {
  const { data: tokens } = useQuery(tokensQuery);
  const { data, isPlaceholderData, isError } = useQuery(foundQuery(address));
  if ((address.q ?? '').length > LONGEST_QUESTION) return 'That is too long to search for.';
  if (!canBeAsked(address)) return 'Where was that?';
  if (isError) return 'That could not be searched for.';
  if (data === undefined || isPlaceholderData) return 'Looking …';
  const token = tokens?.tokens.find(({ id }) => id === address.as);
  const who = address.as === 'assistant' ? 'Your assistant' : (token?.name ?? null);
  return foundSentence(data, address.all ? MOST : FIRST, address.as === undefined ? null : who);
}

interface FoundProps {
  readonly address: SearchAddress;
  onChange(by: Partial<SearchAddress>, replace?: boolean): void;
}

function Found({ address, onChange }: FoundProps) {
  const found = useQuery(foundQuery(address));
  const { data } = found;
  const isNear = data !== undefined && !data.sure && data.hits.length > 0;
  return (
    <Card
      flush
      title={isNear ? 'What comes nearest' : 'Results'}
      className={found.isPlaceholderData ? (classes.stale ?? '') : ''}
      aside={data && <Kinds address={address} hits={data.hits} onChange={onChange} />}
    >
      {isRefused(found.error) ? (
        <Refused error={found.error} address={address} onChange={onChange} />
      ) : (
        <Asked query={found} what="The results" loading={<LoadingRows rows={4} />}>
          {({ hits }) => <Hits hits={hits} address={address} onChange={onChange} />}
        </Asked>
      )}
    </Card>
  );
}

function Hits({
  hits,
  address,
  onChange,
}: FoundProps & { readonly hits: readonly FoundMessage[] }) {
  const shown = hits.filter(({ source }) => (address.kind ?? source) === source);
  if (shown.length === 0) return <NothingFound address={address} />;
  return (
    <>
      <Results hits={shown} question={address.q ?? ''} />
      {hits.length === FIRST && !address.all && (
        <p className={classes.more}>
          The best {FIRST}.{' '}
          <button type="button" className="link" onClick={() => onChange({ all: true })}>
            Show up to {MOST}
          </button>
        </p>
      )}
    </>
  );
}

/** The daemon knows nobody of that name, or no such day, or the program is gone. */
const isRefused = (error: unknown): error is RelayApiError =>
  error instanceof RelayApiError && [400, 404, 409].includes(error.status);

function Refused({ error, address, onChange }: FoundProps & { readonly error: RelayApiError }) {
  const why = <Sentence text={error.sentence} />;
  // Without a filter it is the question itself: half a character in a link, say.
  if (!isNarrowed(address) && address.as === undefined) {
    return (
      <Empty icon={IconSearchOff} title="That cannot be searched for.">
        {why}
      </Empty>
    );
  }
  return (
    <Empty
      icon={IconFilterQuestion}
      title="It cannot be narrowed like that."
      act={
        <Button variant="default" onClick={() => onChange({ ...UNNARROWED, as: undefined })}>
          Search everything
        </Button>
      }
    >
      {why}
    </Empty>
  );
}

function Kinds({
  address,
  hits,
  onChange,
}: FoundProps & { readonly hits: readonly { readonly source: string }[] }) {
  const count = (kind: string) => hits.filter(({ source }) => source === kind).length;
  const there = KINDS.filter((kind) => count(kind) > 0 || address.kind === kind);
  if (there.length < 2) return null;
  return (
    <SegmentedControl
      size="xs"
      aria-label="Kind"
      value={address.kind ?? 'all'}
      onChange={(value) => onChange({ kind: KINDS.find((kind) => kind === value) }, true)}
      data={[
        { value: 'all', label: `All ${hits.length}` },
        ...there.map((kind) => ({ value: kind, label: `${KIND_WORDS[kind]} ${count(kind)}` })),
      ]}
    />
  );
}

const NothingFound = ({ address }: { readonly address: SearchAddress }) => (
  <Empty icon={IconSearchOff} title="Nothing was found.">
    {address.as !== undefined
      ? 'What you did not open for it, it cannot find.'
      : `Try other words${isNarrowed(address) ? ', or take a filter away' : ''}.`}
  </Empty>
);

interface NothingAskedProps {
  readonly isTooLong: boolean;
  onAsk(q: string): void;
}

function NothingAsked({ isTooLong, onAsk }: NothingAskedProps) {
  if (isTooLong) {
    return (
      <section className={parts.card}>
        <Empty icon={IconSearch} title="Nothing was asked for yet.">
          A search takes up to {LONGEST_QUESTION} characters.
        </Empty>
      </section>
    );
  }
  return (
    <section className={parts.card} aria-label="Examples">
      <Empty icon={IconSearch} title="Ask in your own words.">
        Names and days are understood where they stand; accents and case do not matter.
      </Empty>
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
  <Card title="Ask instead" mark={<IconSparkles size={17} stroke={1.7} aria-hidden />}>
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
