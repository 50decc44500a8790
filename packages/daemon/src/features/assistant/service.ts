// The assistant for `relay chat`, the console and the API. It uses the session of the owner's WhatsApp chat, but here
// the owner watches the turn and can be asked during it.

import type {
  AssistantLine,
  AssistantService,
  AssistantSink,
  ListAssistantLines,
} from '@relay/contract/api/assistant';
import type { ChatSummaryService } from '@relay/contract/api/chats';
import type { ChatId, RunId } from '@relay/contract/ids';
import { type DayUse, dayBudgetError, ZERO_DAY_USE } from '@relay/core/agent/budget';
import { trustedText } from '@relay/core/agent/labelled-text';
import { parseSlashCommand } from '@relay/core/assistant/commands';
import { type Taint, UNTAINTED } from '@relay/core/policy/facts';
import { sql } from 'kysely';
import { chatOnlyHooks, createAgentSession } from '../../models/agent/session.ts';
import { loadChatNames } from '../../platform/db/names-and-addresses.ts';
import { endRun, noteSingleCallRun, spentTodaySql } from '../../platform/db/runs.ts';
import type { SessionLine, SessionRow } from '../../platform/db/sessions.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { resetSession, runSlashCommand } from './commands.ts';
import { FALLBACK_ANSWERS } from './copy.ts';
import type { AssistantDeps } from './deps.ts';
import { openOwnerSession } from './on-message.ts';
import { addLine, lockAssistantSession, readAskedOwner, readEffects } from './sql.ts';
import { summarise } from './tools/lookup-tools.ts';
import {
  type AssistantTurnResult,
  assistantBudgetError,
  type BegunAssistantTurn,
  beginAssistantTurn,
  noteInterruptedTurns,
  runAssistantTurn,
} from './turn.ts';

export function createAssistantService(deps: AssistantDeps): AssistantService {
  const { account } = deps.lease;
  const session = () =>
    transaction(deps, async ({ tx }) => {
      return openOwnerSession(tx, account);
    });
  return {
    async ask({ text }, sink, signal) {
      const { id } = await session();
      if (parseSlashCommand(text) !== null) return answerCommand(deps, id, text, sink);
      await deps.turns.run(id, signal, (ended) => answerQuestion(deps, id, text, sink, ended));
    },
    history: (which) => readHistory(deps, which),
    async stop() {
      const { id } = await session();
      deps.turns.stop(id);
    },
    async reset() {
      const { id } = await session();
      await resetSession(deps, id);
    },
  };
}

async function answerCommand(
  deps: AssistantDeps,
  id: SessionRow['id'],
  text: string,
  sink: AssistantSink,
): Promise<void> {
  const said = await runSlashCommand(deps, text, { session: id, chat: null, at: deps.now() });
  await transaction(deps, async ({ tx }) => {
    const session = await lockAssistantSession(tx, deps.lease.account, id);
    if (session === null) return;
    await addLine(tx, session, { role: 'user', content: text, command: true });
    await addLine(tx, session, { role: 'assistant', content: said, command: true });
  });
  sink({ type: 'done', text: said });
}

async function answerQuestion(
  deps: AssistantDeps,
  id: SessionRow['id'],
  text: string,
  sink: AssistantSink,
  signal: AbortSignal,
): Promise<void> {
  const { account } = deps.lease;
  const begun = await beginAnswer(deps, id, text);
  sink({ type: 'run', id: begun.run, question: String(begun.question.id) });
  const thought = await runAssistantTurn(deps, begun, { kind: 'chat', sink }, signal).catch(
    async (error: unknown) => {
      // The client disconnected: effects so far remain, and the next turn reads about them.
      const deeds = await readEffects(deps.db, account, begun.run);
      const stopped = {
        state: 'done',
        text: FALLBACK_ANSWERS.stopped(deeds),
        failure: null,
      } as const;
      await finish(deps, begun, stopped);
      throw error;
    },
  );
  await finish(deps, begun, thought);
  const { failure } = thought;
  sink(failure === null ? { type: 'done', text: thought.text } : { type: 'error', ...failure });
}

const beginAnswer = (
  deps: AssistantDeps,
  id: SessionRow['id'],
  content: string,
): Promise<BegunAssistantTurn> =>
  transaction(deps, async (work) => {
    const session = await lockAssistantSession(work.tx, deps.lease.account, id);
    if (session === null) throw new Error('a session that is gone');
    const spent = await assistantBudgetError(deps, work);
    if (spent !== null) throw spent;
    await noteInterruptedTurns(work, session, null);
    const question = await addLine(work.tx, session, { role: 'user', content });
    return beginAssistantTurn(deps, work, session, question);
  });

function finish(
  deps: AssistantDeps,
  { session, question, run }: BegunAssistantTurn,
  { state, text, failure }: AssistantTurnResult,
): Promise<void> {
  return transaction(deps, async ({ tx }) => {
    await lockAssistantSession(tx, deps.lease.account, session.id);
    await endRun(tx, deps.lease.account, run, state, failure?.message ?? null);
    await addLine(tx, session, {
      role: 'assistant',
      content: text,
      answers: question.id,
      run,
    });
  });
}

// The history of the session: each answer after its question, with the tool calls of its turn and its sources.

type HistoryDeps = Pick<AssistantDeps, 'db' | 'lease' | 'settings'>;

async function readHistory(
  deps: HistoryDeps,
  which: ListAssistantLines,
): Promise<readonly AssistantLine[]> {
  const lines = await readLines(deps, which);
  const runs = lines.map(({ run_id }) => run_id).filter((run) => run !== null);
  const [steps, sources] = await Promise.all([readSteps(deps, runs), readSources(deps, runs)]);
  return lines.map(({ id, role, content, command, at, run_id }) => ({
    id: String(id),
    role: role === 'user' ? 'user' : 'assistant',
    content,
    command,
    at: at.toISOString(),
    run: run_id,
    steps: (run_id && steps.get(run_id)) ?? [],
    ...((run_id && sources.get(run_id)) ?? { sources: [], outside: false }),
  }));
}

async function readLines(
  { db, lease: { account } }: HistoryDeps,
  { limit, before }: ListAssistantLines,
): Promise<readonly SessionLine[]> {
  const place = sql`(coalesce(m.answers, m.id), m.id)`;
  const lines = await db
    .selectFrom('session_messages as m')
    .innerJoin('sessions as s', (on) =>
      on.onRef('s.account_id', '=', 'm.account_id').onRef('s.id', '=', 'm.session_id'),
    )
    .selectAll('m')
    .where('s.account_id', '=', account)
    .where('s.kind', '=', 'assistant')
    .where('s.key', '=', 'owner')
    .where('m.role', '<>', 'tool')
    .whereRef('m.id', '>', 's.begins_after')
    .$if(before !== undefined, (lines) =>
      lines.where(
        sql<boolean>`${place} < (SELECT coalesce(b.answers, b.id), b.id FROM session_messages b
          WHERE b.account_id = ${account} AND b.session_id = s.id AND b.id = ${before})`,
      ),
    )
    .orderBy(sql`coalesce(m.answers, m.id)`, 'desc')
    .orderBy('m.id', 'desc')
    .limit(limit)
    .execute();
  return lines.reverse();
}

async function readSteps(
  { db, lease: { account } }: HistoryDeps,
  runs: readonly RunId[],
): Promise<ReadonlyMap<RunId, AssistantLine['steps']>> {
  if (runs.length === 0) return new Map();
  const calls = await db
    .selectFrom('tool_calls')
    .select(['run_id', 'call_id', 'name', 'arguments', 'result'])
    .where('account_id', '=', account)
    .where('run_id', 'in', runs)
    .orderBy('at')
    .orderBy('call_id')
    .execute();
  const asked = await readAskedOwner(db, account, runs);
  const steps = calls.map(({ run_id, call_id: id, name, arguments: given, result }) => ({
    run: run_id,
    step: {
      id,
      name,
      arguments: given,
      result: result === null ? null : JSON.stringify(result),
      approval: asked.find(({ run, call }) => run === run_id && call === id)?.state ?? null,
    },
  }));
  const byRun = Map.groupBy(steps, ({ run }) => run);
  return new Map([...byRun].map(([run, made]) => [run, made.map(({ step }) => step)]));
}

type Sources = Pick<AssistantLine, 'sources' | 'outside'>;

/** The owner's own chat is not listed as a source. */
async function readSources(
  { db, lease: { account }, settings }: HistoryDeps,
  runs: readonly RunId[],
): Promise<ReadonlyMap<RunId, Sources>> {
  if (runs.length === 0) return new Map();
  const read = await db
    .selectFrom('runs')
    .select(['id', 'taint'])
    .where('account_id', '=', account)
    .where('id', 'in', runs)
    .execute();
  const taints = read.map(({ id, taint }) => ({ id, ...(taint as Partial<Taint> | null) }));
  const chats = taints.flatMap(({ chats = [] }) => chats as readonly ChatId[]);
  const places = await loadChatNames(db, account, settings.admin_phone_numbers, chats);
  return new Map(
    taints.map(({ id, chats = [], outside = false }) => [
      id,
      {
        outside,
        sources: chats.flatMap((chat) => {
          const place = places.get(chat);
          return place === undefined || place.kind === 'own'
            ? []
            : [{ chat_id: chat, name: place.name, is_group: place.kind === 'group' }];
        }),
      },
    ]),
  );
}

// Chat summaries outside of the assistant's turns: the same request to the owner's model, without tools. The usage
// counts towards the daily budget, and no request is made once that is used up.

type ChatSummaryDeps = Pick<
  AssistantDeps,
  'db' | 'lease' | 'now' | 'zone' | 'models' | 'clock' | 'settings'
>;

export function createChatSummaryService(deps: ChatSummaryDeps): ChatSummaryService {
  const { db, lease, models, clock, settings } = deps;
  return {
    async begin(by, chat, signal) {
      const taint = { ...UNTAINTED, chats: [chat] };
      const model = await models.open();
      const { rows } = await sql<{ day: DayUse }>`
        SELECT ${spentTodaySql(lease.account, deps)} AS day`.execute(db);
      const fault = dayBudgetError(settings.agent, rows[0]?.day ?? ZERO_DAY_USE);
      if (fault !== null) throw fault;
      const session = createAgentSession({
        model,
        instructions: trustedText(''),
        tools: [],
        limits: settings.agent,
        clock,
        hooks: {
          signal,
          ...chatOnlyHooks(chat),
          // An answer that was paid for is returned, even if it uses up the budget.
          onUsage: (spent) =>
            noteSingleCallRun(db, lease, { actor: by, clock: deps, taint }, spent),
        },
      });
      return async (name, lines) => (await summarise(session, name, lines, taint)).text;
    },
  };
}
