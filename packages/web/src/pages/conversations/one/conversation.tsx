// The page of one conversation: its transcript, plan, history and controls.

import { ActionIcon } from '@mantine/core';
import type {
  ConversationInstance,
  ListedInstance,
  StateTransition,
  Todo,
  TranscriptLine,
} from '@relay/contract/api/instances';
import type { WhoseTurn } from '@relay/contract/conversation/states';
import {
  IconCircle,
  IconCircleCheck,
  IconCircleHalf2,
  IconCircleX,
  IconLayoutBoard,
  IconMessageOff,
  IconMessages,
  type TablerIcon,
} from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { Fragment, useCallback, useEffect, useMemo, useState } from 'react';
import { addressInCurrentAccount } from '../../../data/account.ts';
import { nounKey, tokensQuery } from '../../../data/queries.ts';
import { isNotFound, relay } from '../../../data/relay.ts';
import { useNow } from '../../../data/use-now.ts';
import { t } from '../../../i18n.ts';
import { type ReplyTarget, toReplyTarget } from '../../../parts/composer/composer.tsx';
import { useAfterFirstPaint } from '../../../parts/deferred.tsx';
import { formatContact, formatMoment, formatSpan } from '../../../parts/format.ts';
import { useFollowLinks } from '../../../parts/links.tsx';
import { Sentence } from '../../../parts/page.tsx';
import parts from '../../../parts/parts.module.css';
import {
  EmptyState,
  LoadingLines,
  LoadingRows,
  QueryContent,
} from '../../../parts/query-content.tsx';
import { ApprovalBadge, StateBadge, stateDisplay, stateWord } from '../../../parts/state-badge.tsx';
import heads from '../../../parts/talk-head.module.css';
import { Transcript } from '../../../parts/transcript/transcript.tsx';
import type { TranscriptSource } from '../../../parts/transcript/use-transcript-window.ts';
import {
  PAGE_ENTRIES,
  type TranscriptEntry,
  type TranscriptPage,
} from '../../../parts/transcript/window.ts';
import { TranscriptHeader } from '../../../parts/transcript-header.tsx';
import { CONVERSATION_TAB_LABELS, type ConversationTab } from '../../../search-params.ts';
import { useKeys } from '../../../shell/keys.tsx';
import type { Hue } from '../../../theme/theme.ts';
import { hasOwnReason, stateReason } from '../copy.ts';
import classes from './conversation.module.css';
import { actorValues, resultRows, toConversationEntry, transitionText } from './copy.ts';
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
          subject={t('conversations.subject.conversation')}
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
      title={t('conversations.notFound.title')}
      action={<Link to="/conversations">{t('conversations.all')}</Link>}
    >
      {t('conversations.notFound.text')}
    </EmptyState>
  );
}

function ConversationPanel({ instance }: { readonly instance: ListedInstance }) {
  const { id, objective, state } = instance;
  const moves = useMoveControls(instance);
  const name = instance.contact_name ?? formatContact(instance.target_contact);
  const source = useMemo(() => transcriptSource(id, toConversationEntry), [id]);
  const [lines, setLines] = useState<readonly TranscriptEntry[]>([]);
  const [replyTo, setReplyTo] = useState<ReplyTarget | null>(null);
  const onReply = useCallback(
    (line: TranscriptEntry) => setReplyTo(toReplyTarget(line, name)),
    [name],
  );
  const endReply = useCallback(() => setReplyTo(null), []);
  const maySend = moves.legalMoves.some(({ move }) => move === 'manual_send');
  const mayPause = moves.legalMoves.some(({ move }) => move === 'pause');
  useKeys(
    { p: mayPause ? () => moves.runMove('pause') : undefined },
    t('conversations.keys.pause'),
  );
  useEffect(() => {
    document.title = `${objective} · Relay`;
  }, [objective]);
  return (
    <>
      <section className={classes.talk} aria-label={t('conversations.one.label', { name })}>
        <ConversationHeader instance={instance} name={name} />
        <ConversationTabs instance={instance} />
        <Transcript
          source={source}
          label={t('conversations.transcript.label', { name })}
          name={name}
          startText={t('conversations.transcript.start')}
          chat={instance.chat_id}
          onReply={maySend ? onReply : undefined}
          onLines={setLines}
          empty={
            <EmptyState icon={IconMessages} title={t('conversations.transcript.empty')}>
              {stateReason(instance)}
            </EmptyState>
          }
        />
        <OwnerControls
          key={state}
          instance={instance}
          name={name}
          moves={moves}
          reply={{ replyTo, onReplyEnd: endReply, lastDelivery: lastOwnDelivery(lines) }}
        />
      </section>
      <aside className={classes.side} aria-label={t('conversations.side')}>
        <div>
          <ConversationPlan instance={instance} />
          {moves.legalMoves.length > 0 && (
            <section aria-labelledby="moves">
              <h2 id="moves">{t('conversations.moves')}</h2>
              <MoveList moves={moves} />
            </section>
          )}
        </div>
        <ConversationHistory instance={instance} />
      </aside>
    </>
  );
}

/** The delivery state of the owner's last message; null if there is none. */
const lastOwnDelivery = (lines: readonly TranscriptEntry[]) =>
  lines.findLast(({ side }) => side === 'owner')?.delivery ?? null;

// The header: goal, contact and state.

interface ConversationHeaderProps {
  readonly instance: ListedInstance;
  readonly name: string;
}

function ConversationHeader({ instance, name }: ConversationHeaderProps) {
  const client = useClientNames()(instance.created_by);
  const number = formatContact(instance.target_contact);
  const { max_followups, interval_ms } = instance.heartbeat_config;
  return (
    <TranscriptHeader
      back={{ to: '/conversations', label: t('conversations.all'), className: classes.back }}
      title={instance.objective}
      about={
        <p className={`${classes.about} small dim`}>
          <Link to="/chats/$id" params={{ id: instance.chat_id }} dir="auto">
            {name}
          </Link>
          {number !== name && <span className={classes.wide}> · {number}</span>}
          {' · '}
          {t('conversations.one.followUps', {
            count: instance.follow_up_count,
            max: max_followups,
          })}
          <span className={classes.wide}>
            {' · '}
            {t('conversations.one.interval', { span: formatSpan(interval_ms) })}
            {client !== null && ` · ${t('conversations.one.startedBy', { client })}`}
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
    <nav className={classes.tabs} aria-label={t('conversations.one.tabs')}>
      {(Object.keys(CONVERSATION_TAB_LABELS) as ConversationTab[]).map((tab) => (
        <Link
          key={tab}
          to="/conversations/$id"
          params={{ id: instance.id }}
          search={tab === 'transcript' ? {} : { tab }}
          replace
          activeOptions={{ exact: true }}
        >
          {t(CONVERSATION_TAB_LABELS[tab])}
          {tab === 'plan' && instance.todos.length > 0 && <small>{doneText(instance)}</small>}
        </Link>
      ))}
    </nav>
  );
}

// Other conversations by turn, beside the open one.

const RAIL_TURNS = ['you', 'agent', 'them', 'parked'] as const satisfies readonly WhoseTurn[];

function ConversationRail({ current }: { readonly current: string }) {
  const isTime = useAfterFirstPaint();
  const follow = useFollowLinks();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: what is clicked are links, and Enter on a link clicks it
    <nav className={classes.rail} aria-label={t('conversations.rail')} onClick={follow}>
      <div>
        <h2>{t('common.page.conversations')}</h2>
        <ActionIcon
          component={Link}
          to="/conversations"
          activeOptions={{ exact: true }}
          aria-label={t('conversations.all')}
        >
          <IconLayoutBoard size={18} stroke={1.7} />
        </ActionIcon>
      </div>
      {isTime && RAIL_TURNS.map((turn) => <TurnGroup key={turn} turn={turn} current={current} />)}
    </nav>
  );
}

interface TurnGroupProps {
  readonly turn: WhoseTurn;
  readonly current: string;
}

function TurnGroup({ turn, current }: TurnGroupProps) {
  const { data = [] } = useQuery(railQuery(turn));
  const now = useNow(30_000);
  if (data.length === 0) return null;
  return (
    <section data-hue={turn}>
      <h3>{t(`conversations.turn.${turn}`)}</h3>
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
  const Icon = stateDisplay(instance).icon;
  const state = stateWord(instance);
  const needsApproval = instance.approval_id !== null;
  return (
    <li>
      <a
        href={addressInCurrentAccount(`/conversations/${instance.id}`)}
        aria-current={isCurrent ? 'page' : undefined}
      >
        <span>
          <b dir="auto">{instance.contact_name ?? formatContact(instance.target_contact)}</b>
          <time dateTime={instance.updated_at}>
            {formatSpan(now - Date.parse(instance.updated_at))}
          </time>
        </span>
        <span dir="auto">{instance.objective}</span>
        <span data-hue={needsApproval ? 'you' : stateDisplay(instance).hue}>
          <Icon size={14} stroke={2} aria-hidden />
          {needsApproval ? t('conversations.rail.needsApproval', { state }) : state}
          {instance.todos.length > 0 && <small className="num">{doneText(instance)}</small>}
        </span>
      </a>
    </li>
  );
}

// The plan: goal, result, to-dos, facts and follow-ups.

interface TodoDisplay {
  readonly icon: TablerIcon;
  readonly hue: Hue;
}

const TODO_DISPLAY: Readonly<Record<Todo['status'], TodoDisplay>> = {
  pending: { icon: IconCircle, hue: 'parked' },
  in_progress: { icon: IconCircleHalf2, hue: 'agent' },
  completed: { icon: IconCircleCheck, hue: 'ok' },
  skipped: { icon: IconCircleX, hue: 'parked' },
};

const doneText = ({ todos }: Pick<ConversationInstance, 'todos'>): string =>
  t('conversations.todosDone', {
    done: todos.filter(({ status }) => status === 'completed').length,
    total: todos.length,
  });

function ConversationPlan({ instance }: { readonly instance: ConversationInstance }) {
  const { objective, todos, facts } = instance;
  return (
    <>
      <section aria-labelledby="objective">
        <h2 id="objective">{t('conversations.plan.goal')}</h2>
        <p dir="auto">{objective}</p>
      </section>
      <ConversationResult instance={instance} />
      {todos.length > 0 && (
        <section aria-labelledby="todos">
          <h2 id="todos">
            {t('conversations.plan.todos')} <span className="dim num">{doneText(instance)}</span>
          </h2>
          <ul className={classes.todos}>
            {todos.map(({ id, text, status }) => {
              const { icon: Icon, hue } = TODO_DISPLAY[status];
              return (
                <li key={id} data-status={status}>
                  <span data-hue={hue}>
                    <Icon size={16} aria-hidden />
                    <span className="unseen">{t(`conversations.plan.todo.${status}`)}</span>
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
          <h2 id="facts">{t('conversations.plan.facts')}</h2>
          <ul className={classes.facts} dir="auto">
            {facts.map((fact) => (
              <li key={fact}>{fact}</li>
            ))}
          </ul>
        </section>
      )}
      <FollowUpFacts instance={instance} />
    </>
  );
}

/** Values are shown as text: a contact may have written them. */
function ConversationResult({ instance }: { readonly instance: ConversationInstance }) {
  const { result_schema: schema, result_status: status = 'pending', result } = instance;
  if (schema === undefined) return null;
  return (
    <section aria-labelledby="result">
      <h2 id="result">{t('conversations.plan.result')}</h2>
      {status === 'valid' ? (
        <>
          <dl className={`${parts.facts} ${classes.result}`}>
            {resultRows(schema, result).map(({ place, name, value }) => (
              <Fragment key={place}>
                <dt dir="auto">{name}</dt>
                <dd dir="auto">{value}</dd>
              </Fragment>
            ))}
          </dl>
          <p className="small dim">{t('conversations.plan.result.source')}</p>
        </>
      ) : (
        <p className="small dim">{t(`conversations.plan.result.${status}`)}</p>
      )}
    </section>
  );
}

function FollowUpFacts({ instance }: { readonly instance: ConversationInstance }) {
  const now = useNow();
  const { heartbeat_config, follow_up_count, next_follow_up_at } = instance;
  return (
    <section aria-labelledby="follow-ups">
      <h2 id="follow-ups">{t('conversations.plan.followUps')}</h2>
      <dl className={`${parts.facts} num`}>
        <dt>{t('conversations.plan.followUps.used')}</dt>
        <dd>
          {t('conversations.plan.followUps.usedCount', {
            count: follow_up_count,
            max: heartbeat_config.max_followups,
          })}
        </dd>
        <dt>{t('conversations.plan.followUps.interval')}</dt>
        <dd>{formatSpan(heartbeat_config.interval_ms)}</dd>
        <dt>{t('conversations.plan.followUps.next')}</dt>
        <dd>
          {next_follow_up_at === null
            ? t('conversations.plan.followUps.next.none')
            : t('conversations.plan.followUps.next.at', {
                span: formatSpan(Date.parse(next_follow_up_at) - now),
                time: formatMoment(next_follow_up_at, now),
              })}
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
    const client = data?.tokens.find(({ id }) => `token:${id}` === actor);
    return client?.name ?? t('conversations.history.client');
  };
}

function ConversationHistory({ instance }: { readonly instance: ConversationInstance }) {
  const transitions = useQuery(transitionsQuery(instance.id));
  const clientNameOf = useClientNames();
  const now = useNow(60_000);
  const creator = actorValues(clientNameOf(instance.created_by));
  return (
    <section aria-labelledby="history">
      <h2 id="history">{t('conversations.history')}</h2>
      <QueryContent
        query={transitions}
        subject={t('conversations.history')}
        loading={<LoadingLines lines={4} />}
      >
        {(steps) => (
          <ol className={classes.steps}>
            {steps.toReversed().map((step, index) => (
              <TransitionStep
                key={`${step.timestamp} ${step.from_state}`}
                step={step}
                isNow={index === 0}
                instance={instance}
                client={clientNameOf(step.caused_by)}
                when={formatMoment(step.timestamp, now)}
              />
            ))}
            <li data-hue="parked">
              <div>
                <b>{t('conversations.history.started', creator)}</b>
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
  /** The name of the client that caused it; null for anybody else. */
  readonly client: string | null;
  readonly when: string;
}

function TransitionStep({ step, isNow, instance, client, when }: TransitionStepProps) {
  const reached = {
    state: step.to_state,
    failure_reason: isNow ? instance.failure_reason : null,
  };
  const isExplained = isNow && hasOwnReason(instance);
  return (
    <li data-hue={stateDisplay(reached).hue} data-now={isNow || undefined}>
      <div>
        <b>{stateWord(reached)}</b>
        <time dateTime={step.timestamp}>{when}</time>
      </div>
      <p dir="auto">
        {transitionText(step, client)}
        {isExplained && (
          <>
            {' '}
            <Sentence text={stateReason(instance)} />
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
