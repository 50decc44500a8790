// The page of one conversation: its transcript, plan, history and controls.

import { ActionIcon } from '@mantine/core';
import type {
  ConversationInstance,
  ListedInstance,
  StateTransition,
  Todo,
  TranscriptLine,
} from '@relay/contract/api/instances';
import { STATE_SENTENCES, type WhoseTurn } from '@relay/contract/conversation/states';
import { withoutApprovalsHint } from '@relay/core/approvals/approval-text';
import {
  IconCircle,
  IconCircleCheck,
  IconCircleHalf2,
  IconCircleX,
  IconLayoutBoard,
  IconMessageOff,
  IconMessages,
} from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { nounKey, tokensQuery } from '../../../data/queries.ts';
import { isNotFound, relay } from '../../../data/relay.ts';
import { useNow } from '../../../data/use-now.ts';
import { useAfterFirstPaint } from '../../../parts/deferred.tsx';
import { formatContact, formatMoment, formatSpan } from '../../../parts/format.ts';
import { useFollowLinks } from '../../../parts/links.tsx';
import type { StateDisplay } from '../../../parts/marks.tsx';
import { Sentence } from '../../../parts/page.tsx';
import parts from '../../../parts/parts.module.css';
import {
  EmptyState,
  LoadingLines,
  LoadingRows,
  QueryContent,
} from '../../../parts/query-content.tsx';
import {
  ApprovalBadge,
  STATE_DISPLAY,
  StateBadge,
  stateWord,
} from '../../../parts/state-badge.tsx';
import heads from '../../../parts/talk-head.module.css';
import { Transcript } from '../../../parts/transcript/transcript.tsx';
import type { TranscriptSource } from '../../../parts/transcript/use-transcript-window.ts';
import {
  PAGE_ENTRIES,
  type TranscriptEntry,
  type TranscriptPage,
} from '../../../parts/transcript/window.ts';
import { TranscriptHeader } from '../../../parts/transcript-header.tsx';
import { CONVERSATION_TABS, type ConversationTab } from '../../../search-params.ts';
import { useKeys } from '../../../shell/keys.tsx';
import classes from './conversation.module.css';
import { toConversationEntry, transitionText } from './copy.ts';
import { MoveList, OwnerControls, useMoveControls } from './owner-controls.tsx';

export function ConversationScreen() {
  const { id } = useParams({ from: '/conversations/$id' });
  const { tab = 'transcript' } = useSearch({ strict: false });
  const instance = useQuery(conversationQuery(id));
  return (
    <div className={classes.page} data-fills data-tab={tab}>
      <ConversationRail current={id} />
      {isNotFound(instance.error) ? (
        <ConversationNotFound />
      ) : (
        <QueryContent
          query={instance}
          subject="The conversation"
          loading={<LoadingConversation />}
          isPage
        >
          {(now) => <ConversationPanel key={now.id} instance={now} />}
        </QueryContent>
      )}
    </div>
  );
}

const LoadingConversation = () => (
  <>
    <section className={classes.talk}>
      <div className={heads.head}>
        <div>
          <LoadingLines lines={2} />
        </div>
      </div>
      <LoadingRows rows={4} />
    </section>
    <aside className={classes.side}>
      <LoadingLines lines={8} />
    </aside>
  </>
);

function ConversationNotFound() {
  return (
    <EmptyState
      isPage
      icon={IconMessageOff}
      title="There is no such conversation."
      action={<Link to="/conversations">All conversations</Link>}
    >
      It was never there, or whom it was with has been forgotten.
    </EmptyState>
  );
}

function ConversationPanel({ instance }: { readonly instance: ListedInstance }) {
  const { id, objective, state } = instance;
  const moves = useMoveControls(instance);
  const name = instance.contact_name ?? formatContact(instance.target_contact);
  const source = useMemo(() => transcriptSource(id, toConversationEntry), [id]);
  const mayPause = moves.legalMoves.some(({ move }) => move === 'pause');
  useKeys({ p: mayPause ? () => moves.runMove('pause') : undefined }, 'Pause this conversation');
  useEffect(() => {
    document.title = `${objective} · Relay`;
  }, [objective]);
  return (
    <>
      <section className={classes.talk} aria-label={`Conversation with ${name}`}>
        <ConversationHeader instance={instance} name={name} />
        <ConversationTabs instance={instance} />
        <Transcript
          source={source}
          label={`Messages with ${name}`}
          startText="The conversation began here."
          chat={instance.chat_id}
          empty={
            <EmptyState icon={IconMessages} title="Nothing was said yet.">
              {instance.reason}
            </EmptyState>
          }
        />
        <OwnerControls key={state} instance={instance} name={name} moves={moves} />
      </section>
      <aside className={classes.side} aria-label="Plan and history">
        <div>
          <ConversationPlan instance={instance} />
          {moves.legalMoves.length > 0 && (
            <section aria-labelledby="moves">
              <h2 id="moves">What you may do now</h2>
              <MoveList moves={moves} />
            </section>
          )}
        </div>
        <ConversationHistory instance={instance} />
      </aside>
    </>
  );
}

// The header: objective, contact and state.

interface ConversationHeaderProps {
  readonly instance: ListedInstance;
  readonly name: string;
}

function ConversationHeader({ instance, name }: ConversationHeaderProps) {
  const program = useClientNames()(instance.created_by);
  const number = formatContact(instance.target_contact);
  const { max_followups, interval_ms } = instance.heartbeat_config;
  return (
    <TranscriptHeader
      back={{ to: '/conversations', label: 'All conversations', className: classes.back }}
      title={instance.objective}
      about={
        <p className={`${classes.about} small dim`}>
          <Link to="/chats/$id" params={{ id: instance.chat_id }} dir="auto">
            {name}
          </Link>
          {number !== name && <span className={classes.wide}> · {number}</span>}
          {` · follow-up ${instance.follow_up_count} of ${max_followups}`}
          <span className={classes.wide}>
            {`, every ${formatSpan(interval_ms)}`}
            {program !== null && ` · begun by ${program}`}
          </span>
        </p>
      }
      end="badges"
    >
      <StateBadge instance={instance} />
      {/* On a phone the badge is below, with the text. */}
      {instance.approval_id !== null && (
        <span className={classes.wide}>
          <ApprovalBadge />
        </span>
      )}
    </TranscriptHeader>
  );
}

// The three parts of a conversation on a phone, as links: each has its own address.

/** The router decides which part is shown. */
function ConversationTabs({ instance }: { readonly instance: ConversationInstance }) {
  return (
    <nav className={classes.tabs} aria-label="Parts of the conversation">
      {(Object.keys(CONVERSATION_TABS) as ConversationTab[]).map((tab) => (
        <Link
          key={tab}
          to="/conversations/$id"
          params={{ id: instance.id }}
          search={tab === 'transcript' ? {} : { tab }}
          replace
          activeOptions={{ exact: true }}
        >
          {CONVERSATION_TABS[tab]}
          {tab === 'plan' && instance.todos.length > 0 && <small>{doneText(instance)}</small>}
        </Link>
      ))}
    </nav>
  );
}

// Other conversations by turn, beside the open one.

const RAIL_TURNS = [
  { turn: 'you', words: 'Your turn' },
  { turn: 'agent', words: 'Agent’s turn' },
  { turn: 'them', words: 'Their turn' },
  { turn: 'parked', words: 'Parked' },
] as const;

function ConversationRail({ current }: { readonly current: string }) {
  const isTime = useAfterFirstPaint();
  const follow = useFollowLinks();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: what is clicked are links, and Enter on a link clicks it
    <nav className={classes.rail} aria-label="Conversations by turn" onClick={follow}>
      <div>
        <h2>Conversations</h2>
        <ActionIcon
          component={Link}
          to="/conversations"
          activeOptions={{ exact: true }}
          aria-label="All conversations"
        >
          <IconLayoutBoard size={18} stroke={1.7} />
        </ActionIcon>
      </div>
      {isTime &&
        RAIL_TURNS.map(({ turn, words }) => (
          <TurnGroup key={turn} turn={turn} words={words} current={current} />
        ))}
    </nav>
  );
}

interface TurnGroupProps {
  readonly turn: WhoseTurn;
  readonly words: string;
  readonly current: string;
}

function TurnGroup({ turn, words, current }: TurnGroupProps) {
  const { data = [] } = useQuery(railQuery(turn));
  const now = useNow(30_000);
  if (data.length === 0) return null;
  return (
    <section data-hue={turn}>
      <h3>{words}</h3>
      <ul>
        {data.map((instance) => (
          <RailEntry
            key={instance.id}
            instance={instance}
            now={now}
            isCurrent={instance.id === current}
          />
        ))}
      </ul>
    </section>
  );
}

interface RailEntryProps {
  readonly instance: ListedInstance;
  readonly now: number;
  readonly isCurrent: boolean;
}

function RailEntry({ instance, now, isCurrent }: RailEntryProps) {
  const { hue, icon: Icon } = STATE_DISPLAY[instance.state];
  const needsYes = instance.approval_id !== null;
  return (
    <li>
      <a href={`/conversations/${instance.id}`} aria-current={isCurrent ? 'page' : undefined}>
        <span>
          <b dir="auto">{instance.contact_name ?? formatContact(instance.target_contact)}</b>
          <time dateTime={instance.updated_at}>
            {formatSpan(now - Date.parse(instance.updated_at))}
          </time>
        </span>
        <span dir="auto">{instance.objective}</span>
        <span data-hue={needsYes ? 'you' : hue}>
          <Icon size={14} stroke={2} aria-hidden />
          {stateWord(instance)}
          {needsYes && ', needs your yes'}
          {instance.todos.length > 0 && <small className="num">{doneText(instance)}</small>}
        </span>
      </a>
    </li>
  );
}

// The plan: objective, to-dos, facts and follow-ups.

const TODO_DISPLAY: Readonly<Record<Todo['status'], StateDisplay>> = {
  pending: { word: 'To do', icon: IconCircle, hue: 'parked' },
  in_progress: { word: 'In progress', icon: IconCircleHalf2, hue: 'agent' },
  completed: { word: 'Done', icon: IconCircleCheck, hue: 'ok' },
  skipped: { word: 'Left out', icon: IconCircleX, hue: 'parked' },
};

const doneText = ({ todos }: Pick<ConversationInstance, 'todos'>): string =>
  `${todos.filter(({ status }) => status === 'completed').length} of ${todos.length}`;

function ConversationPlan({ instance }: { readonly instance: ConversationInstance }) {
  const { objective, todos, facts } = instance;
  return (
    <>
      <section aria-labelledby="objective">
        <h2 id="objective">Objective</h2>
        <p dir="auto">{objective}</p>
      </section>
      {todos.length > 0 && (
        <section aria-labelledby="todos">
          <h2 id="todos">
            To do <span className="dim num">{doneText(instance)}</span>
          </h2>
          <ul className={classes.todos}>
            {todos.map(({ id, text, status }) => {
              const { word, icon: Icon, hue } = TODO_DISPLAY[status];
              return (
                <li key={id} data-status={status}>
                  <span data-hue={hue}>
                    <Icon size={16} aria-hidden />
                    <span className="unseen">{word}:</span>
                  </span>
                  <span dir="auto">{text}</span>
                </li>
              );
            })}
          </ul>
        </section>
      )}
      {facts.length > 0 && (
        <section aria-labelledby="facts">
          <h2 id="facts">May be told</h2>
          <ul className={classes.told}>
            {facts.map((fact) => (
              <li key={fact} dir="auto">
                {fact}
              </li>
            ))}
          </ul>
        </section>
      )}
      <FollowUpFacts instance={instance} />
    </>
  );
}

function FollowUpFacts({ instance }: { readonly instance: ConversationInstance }) {
  const now = useNow();
  const { heartbeat_config, follow_up_count, next_follow_up_at } = instance;
  return (
    <section aria-labelledby="follow-ups">
      <h2 id="follow-ups">Follow-ups</h2>
      <dl className={`${parts.facts} num`}>
        <dt>Used</dt>
        <dd>
          {follow_up_count} of {heartbeat_config.max_followups}
        </dd>
        <dt>After a silence of</dt>
        <dd>{formatSpan(heartbeat_config.interval_ms)}</dd>
        <dt>Next</dt>
        <dd>
          {next_follow_up_at === null
            ? 'none is due'
            : `in ${formatSpan(Date.parse(next_follow_up_at) - now)}, ${formatMoment(next_follow_up_at, now)}`}
        </dd>
      </dl>
    </section>
  );
}

// The history: each change of state with its cause, newest first.

/** The name of a client from a row's actor; null for any other actor. */
function useClientNames() {
  const { data } = useQuery(tokensQuery);
  return (actor: string | null): string | null => {
    if (!actor?.startsWith('token:')) return null;
    return data?.tokens.find(({ id }) => `token:${id}` === actor)?.name ?? 'A program';
  };
}

function ConversationHistory({ instance }: { readonly instance: ConversationInstance }) {
  const transitions = useQuery(transitionsQuery(instance.id));
  const programNamed = useClientNames();
  const now = useNow(60_000);
  return (
    <section aria-labelledby="history">
      <h2 id="history">How it got here</h2>
      <QueryContent query={transitions} subject="The steps" loading={<LoadingLines lines={4} />}>
        {(steps) => (
          <ol className={classes.steps}>
            {steps.toReversed().map((step, index) => (
              <TransitionStep
                key={`${step.timestamp} ${step.from_state}`}
                step={step}
                isNow={index === 0}
                instance={instance}
                by={programNamed(step.caused_by) ?? 'You'}
                when={formatMoment(step.timestamp, now)}
              />
            ))}
            <li data-hue="parked">
              <div>
                <b>{programNamed(instance.created_by) ?? 'You'} began it</b>
                <time dateTime={instance.created_at}>{formatMoment(instance.created_at, now)}</time>
              </div>
            </li>
          </ol>
        )}
      </QueryContent>
    </section>
  );
}

interface TransitionStepProps {
  readonly step: StateTransition;
  readonly isNow: boolean;
  readonly instance: ConversationInstance;
  readonly by: string;
  readonly when: string;
}

function TransitionStep({ step, isNow, instance, by, when }: TransitionStepProps) {
  const state = step.to_state;
  const failure_reason = isNow ? instance.failure_reason : null;
  const isExplained = isNow && instance.reason !== STATE_SENTENCES[instance.state];
  return (
    <li data-hue={STATE_DISPLAY[state].hue} data-now={isNow || undefined}>
      <div>
        <b>{stateWord({ state, failure_reason })}</b>
        <time dateTime={step.timestamp}>{when}</time>
      </div>
      <p dir="auto">
        {transitionText(step, by)}
        {isExplained && (
          <>
            {' '}
            <Sentence text={withoutApprovalsHint(instance.reason)} />
          </>
        )}
      </p>
    </li>
  );
}

// Queries of one conversation: its state, its history, and its transcript page by page.

const conversationQuery = (id: string) =>
  queryOptions({
    queryKey: nounKey('instances', id),
    queryFn: ({ signal }) => relay.get('/api/instances/{id}', { path: { id }, signal }),
  });

const transitionsQuery = (id: string) =>
  queryOptions({
    queryKey: nounKey('instances', id, 'transitions'),
    queryFn: ({ signal }) => relay.get('/api/instances/{id}/transitions', { path: { id }, signal }),
  });

const RAIL_PAGE = 12;

/** The latest conversations of one turn. */
const railQuery = (turn: WhoseTurn) =>
  queryOptions({
    queryKey: nounKey('instances', 'rail', turn),
    queryFn: ({ signal }) =>
      relay.get('/api/instances', { signal, query: { turn, limit: RAIL_PAGE, order: 'changed' } }),
  });

function transcriptSource(
  id: string,
  toLine: (line: TranscriptLine) => TranscriptEntry,
): TranscriptSource {
  const ask = async (query: object, signal?: AbortSignal) => {
    const of = { path: { id }, query: { limit: PAGE_ENTRIES, ...query } };
    const lines = await relay.get(
      '/api/instances/{id}/transcript',
      signal ? { ...of, signal } : of,
    );
    return lines.map(toLine);
  };
  const page = (
    entries: readonly TranscriptEntry[],
    at: Partial<TranscriptPage>,
  ): TranscriptPage => ({
    entries,
    hasOlder: entries.length === PAGE_ENTRIES,
    hasNewer: false,
    ...at,
  });
  return {
    key: nounKey('instances', id, 'transcript'),
    newest: async (signal) => page(await ask({}, signal), {}),
    older: async ({ key: before }) => page(await ask({ before }), { hasNewer: true }),
    async newer({ key: after }) {
      const entries = await ask({ after });
      return page(entries, { hasOlder: true, hasNewer: entries.length === PAGE_ENTRIES });
    },
  };
}
