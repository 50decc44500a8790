// A turn of the assistant, wherever the owner asked. It begins in the caller's transaction with the budget, the
// remembered lines and their taint; a turn that is lost and taken again reads the same again.
import type { ApprovalState } from '@relay/contract/api/approvals';
import type { AssistantSink } from '@relay/contract/api/assistant';
import { RelayError } from '@relay/contract/errors';
import { type ApprovalId, approvalId, type RunId } from '@relay/contract/ids';
import { type DayUse, dayBudgetError, ZERO_DAY_USE } from '@relay/core/agent/budget';
import { type AssistantHistoryLine, shortenMiddle } from '@relay/core/agent/context-window';
import {
  type LabelledImage,
  prompt,
  trustedText,
  untrustedText,
} from '@relay/core/agent/labelled-text';
import { toStorableText } from '@relay/core/messages/text';
import { joinTaints, type Taint } from '@relay/core/policy/facts';
import type { LinePhoto } from '@relay/core/ports/agent-turn';
import { sql } from 'kysely';
import {
  type AgentSession,
  type AgentStopReason,
  createAgentSession,
  readPhotos,
} from '../../models/agent/session.ts';
import type { AgentTool } from '../../models/agent/tools.ts';
import { loadApprovals } from '../../pipeline/gate/approval-store.ts';
import { findOrMakeOwnerChat } from '../../pipeline/gate/owner-notices.ts';
import { listPermittedChats, type PermittedChat } from '../../platform/db/grants.ts';
import { mayShowPhotos, readLineMedia } from '../../platform/db/message-text.ts';
import {
  beginRun,
  endRun,
  noteRunSpending,
  spentTodaySql,
  taintOfRuns,
} from '../../platform/db/runs.ts';
import type { SessionLine, SessionRow } from '../../platform/db/sessions.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import type { MessageHit } from '../search/search.ts';
import { FALLBACK_ANSWERS, UNEXPECTED_ERROR_SENTENCE } from './copy.ts';
import { type AssistantDeps, TurnStopped } from './deps.ts';
import {
  assistantInstructions,
  MAX_PERMISSIONS_SHOWN,
  type PastMessage,
  quoteUntrusted,
  withPastMessages,
} from './prompt.ts';
import {
  addLine,
  findInterruptedTurns,
  hasResults,
  readAskedOwner,
  readEffects,
  readRememberedLines,
} from './sql.ts';
import { digestTools, resultTools } from './tools/lookup-tools.ts';
import {
  CONFIRM_TIMEOUT_MS,
  type OwnersAnswer,
  recordOutsideRead,
  ToolRun,
} from './tools/tool-run.ts';
import { assistantTools } from './tools/tools.ts';

interface HistoryLine extends AssistantHistoryLine, Pick<SessionLine, 'untrusted'> {
  /** The owner said it in a voice message; the text is its transcript. */
  readonly isSpoken?: boolean;
  readonly photo?: LinePhoto;
}

export interface BegunAssistantTurn {
  readonly session: SessionRow;
  readonly run: RunId;
  readonly question: SessionLine;
  /** The question is last. */
  readonly history: readonly HistoryLine[];
  /** The taint of the history. */
  readonly taint: Taint;
}

export async function beginAssistantTurn(
  deps: AssistantDeps,
  work: UnitOfWork,
  session: SessionRow,
  question: SessionLine,
): Promise<BegunAssistantTurn> {
  const { account } = deps.lease;
  // "Remind me" needs the owner's own chat, even if they never wrote to themselves.
  await findOrMakeOwnerChat(work.tx, account);
  const lines = await readRememberedLines(work.tx, session, question);
  const runs = lines.map(({ run_id }) => run_id).filter((run) => run !== null);
  const asked = await readAskedOwner(work.tx, account, runs);
  const { chat_id: chat } = session;
  const withMedia = await readOwnersMedia(work, session, lines);
  const history = lines.map((line): HistoryLine => {
    const decided = asked.filter(({ run }) => run === line.run_id).map(({ state }) => state);
    return line.role === 'user'
      ? withMedia(line)
      : { ...line, content: withDecisions(line.content, decided) };
  });
  const answers = await taintOfRuns(work.tx, account, runs);
  const isOthers = ({ untrusted, isSpoken, photo }: HistoryLine) =>
    untrusted || isSpoken === true || photo !== undefined;
  const taint = history.some(isOthers)
    ? joinTaints(answers, { chats: chat === null ? [] : [chat], outside: chat === null })
    : answers;
  const run = await beginRun(work.tx, {
    account,
    actor: 'assistant',
    owner: { session: session.id },
    epoch: null,
    readUpTo: question.id,
    taint,
  });
  return { session, run, question, history, taint };
}

/** The owner's lines with what was understood of their voice messages and documents, and with their photos. */
async function readOwnersMedia(
  { tx }: UnitOfWork,
  { account_id: account, chat_id: chat }: SessionRow,
  lines: readonly SessionLine[],
): Promise<(line: SessionLine & AssistantHistoryLine) => HistoryLine> {
  if (chat === null) return (line) => line;
  const ids = lines.map(({ message_id }) => message_id);
  const mediaOf = await readLineMedia(tx, account, chat, ids);
  const isShown = await mayShowPhotos(tx, account, chat, true);
  return (line) => {
    const { message_id: message } = line;
    // In the chat of the linked number the owner writes as `fromMe`, from their other numbers not.
    const media =
      message === null
        ? null
        : (mediaOf({ message, fromMe: true }) ?? mediaOf({ message, fromMe: false }));
    if (media === null) return line;
    const { text, photo, isSpoken } = media;
    return {
      ...line,
      content: text,
      ...(isSpoken && !line.untrusted ? { isSpoken } : {}),
      // Words in a file are its author's, unless it is a voice message.
      untrusted: line.untrusted || (!isSpoken && text !== line.content),
      ...(photo === null || !isShown ? {} : { photo }),
    };
  };
}

/** An answer that asked the owner keeps saying so: their decision is added for the next turn. */
function withDecisions(answer: string, states: readonly ApprovalState[]): string {
  const decided = states.filter((state) => state !== 'pending');
  if (decided.length === 0) return answer;
  const notes = decided.map((state) => DECISION_NOTES[state]);
  return `${answer}\n\n[Relay, later: ${[...new Set(notes)].join(' ')}]`;
}

const DECISION_NOTES: Readonly<Record<Exclude<ApprovalState, 'pending'>, string>> = {
  approved: 'Your owner approved what you had asked for here; it no longer waits.',
  rejected: 'Your owner declined what you had asked for here; it no longer waits and was not done.',
  expired: 'Nobody answered what you had asked for here in time; it was not done.',
};

/** Adds a line about each interrupted turn after its question, so that the next turn knows what it did. */
export async function noteInterruptedTurns(
  work: UnitOfWork,
  session: SessionRow,
  except: number | null,
): Promise<void> {
  for (const { run, line, deeds } of await findInterruptedTurns(work.tx, session, 'left running')) {
    if (line === except) continue;
    const content = FALLBACK_ANSWERS.interrupted(deeds);
    await addLine(work.tx, session, { role: 'assistant', content, run, answers: line });
  }
}

/** Null while the daily budget is not used up. */
export async function assistantBudgetError(
  deps: Pick<AssistantDeps, 'lease' | 'now' | 'zone' | 'settings'>,
  work: UnitOfWork,
): Promise<RelayError | null> {
  const { rows } = await sql<{ day: DayUse }>`
    SELECT ${spentTodaySql(deps.lease.account, deps)} AS day`.execute(work.tx);
  return dayBudgetError(deps.settings.agent, rows[0]?.day ?? ZERO_DAY_USE);
}

// The turn itself, between its two transactions: past messages are retrieved, then the model answers with at most five
// rounds of tools. It always gives an answer, unless the turn is ended from outside.

const MAX_TOOL_ROUNDS = 5;
const MAX_ANSWER_LENGTH = 20_000;
const MAX_QUESTION_LENGTH = 12_000;

/** Where the owner is, and who receives events while the turn runs. */
type AssistantChannel =
  | { readonly kind: 'whatsapp' }
  | { readonly kind: 'chat'; readonly sink: AssistantSink };

export interface AssistantTurnResult {
  readonly state: 'done' | 'failed';
  readonly text: string;
  /** The error code and sentence of a failed turn. */
  readonly failure: { readonly code: string; readonly message: string } | null;
}

/** Rejects with the signal's reason when the turn is ended from outside. */
export async function runAssistantTurn(
  deps: AssistantDeps,
  begun: BegunAssistantTurn,
  channel: AssistantChannel,
  signal: AbortSignal,
): Promise<AssistantTurnResult> {
  const { db, lease } = deps;
  const deeds = () => readEffects(db, lease.account, begun.run);
  try {
    const rest = await runSession(deps, begun, channel, signal);
    signal.throwIfAborted();
    return { state: 'done', text: toStorableAnswer(await textOf(rest, deeds)), failure: null };
  } catch (error) {
    // A tool may still be running: ending the run stops it from writing, and its effects so far are read afterwards.
    await transaction(deps, ({ tx }) => endRun(tx, lease.account, begun.run, 'discarded'));
    if (signal.reason instanceof TurnStopped)
      return { state: 'done', text: FALLBACK_ANSWERS.stopped(await deeds()), failure: null };
    signal.throwIfAborted();
    const isRelayError = error instanceof RelayError;
    if (!isRelayError) deps.log.error('assistant turn failed', { run: begun.run, error });
    const message = isRelayError ? error.message : UNEXPECTED_ERROR_SENTENCE;
    const text = FALLBACK_ANSWERS.failed(message, await deeds());
    return {
      state: 'failed',
      text,
      failure: { code: isRelayError ? error.code : 'internal', message },
    };
  }
}

async function textOf(
  rest: AgentStopReason,
  deeds: () => Promise<readonly string[]>,
): Promise<string> {
  switch (rest.kind) {
    case 'text':
      return rest.text;
    case 'nothing':
      return FALLBACK_ANSWERS.nothing(await deeds());
    case 'stopped':
    case 'too_many_steps':
      return FALLBACK_ANSWERS.tooManyRounds(await deeds());
  }
}

const toStorableAnswer = (text: string): string =>
  toStorableText(shortenMiddle(text, MAX_ANSWER_LENGTH));

async function runSession(
  deps: AssistantDeps,
  begun: BegunAssistantTurn,
  channel: AssistantChannel,
  signal: AbortSignal,
): Promise<AgentStopReason> {
  const { settings, clock, log, zone } = deps;
  const { run, taint } = begun;
  const connected = deps.connected();
  const rounds = { asked: 0, beside: 0 };
  let session: AgentSession | null = null;
  const toolRun = new ToolRun({
    deps: assistantToolDeps(deps),
    id: run,
    taint,
    confirm: channel.kind === 'chat' ? confirmInChat(deps, channel.sink) : null,
    askIn: channel.kind === 'whatsapp' ? begun.session.chat_id : null,
    ask: async (instructions, text) => {
      rounds.beside += 1;
      try {
        return (await session?.ask(instructions, text)) ?? trustedText('');
      } finally {
        rounds.beside -= 1;
      }
    },
  });
  const offered = [
    ...(connected ? assistantTools(toolRun) : []),
    ...((await deps.digests.hasGroups()) ? digestTools(toolRun) : []),
    ...((await hasResults(deps.db, deps.lease.account)) ? resultTools(toolRun) : []),
    ...(await deps.webSearch.tools(recordOutsideRead(toolRun))),
  ];
  const tools = offered.map((tool) => limitRounds(rounds, tool));
  const permitted = await listPermittedChats(
    deps.db,
    deps.lease.account,
    settings.admin_phone_numbers,
    MAX_PERMISSIONS_SHOWN + 10,
  );
  const found = await retrievePastMessages(
    deps,
    begun.question,
    begun.history.at(-1)?.content ?? '',
    permitted,
  );
  const model = await deps.models.open();
  session = createAgentSession({
    model,
    instructions: assistantInstructions({
      run,
      now: deps.now(),
      zone,
      channel: channel.kind,
      askedAt: begun.question.at,
      connected,
      tools,
      permitted,
      own: ownAddress(permitted, begun),
      ownersWords: settings.agent.instructions,
    }),
    tools,
    limits: { ...settings.agent, max_steps: MAX_TOOL_ROUNDS + 1 },
    clock,
    hooks: {
      signal,
      alreadyRead: taint,
      beforeReading: (seen) => toolRun.reads(seen),
      onUsage: async (spent) => {
        if (rounds.beside === 0) rounds.asked += 1;
        const usedBefore = sql<number>`0`;
        const { day } = await noteRunSpending(
          deps.db,
          deps.lease,
          { run, clock: deps, usedBefore },
          spent,
        );
        const fault = dayBudgetError(settings.agent, day);
        if (fault !== null) throw fault;
      },
      onToolFailed: (event, error) => log.warn('tool failed', { run, event, error }),
      ...streamHooks(channel),
    },
  });
  const last = begun.history.length - 1;
  const photos = new Map(
    begun.history.flatMap((line) =>
      model.vision && line.photo !== undefined ? [[line, line.photo] as const] : [],
    ),
  );
  const { chat_id: chat } = begun.session;
  const images =
    chat === null
      ? new Map<HistoryLine, LabelledImage>()
      : await readPhotos(photos, chat, deps.readPhoto);
  return session.act(
    begun.history.map((line, at) => {
      const { role, untrusted: isByOthers, isSpoken = false } = line;
      const said = shortenMiddle(line.content, MAX_QUESTION_LENGTH);
      // An answer may repeat what its run had read; a question is the owner's, unless they forwarded it. A transcript of
      // their voice message is marked like the text of others, because other people may be heard in it.
      const isOwners = role === 'user' && !isByOthers && !isSpoken;
      const text = isOwners ? trustedText(said) : untrustedText(said, taint);
      const shown = isByOthers ? quoteUntrusted(text, run) : text;
      const image = images.get(line);
      return {
        role,
        content: at === last ? withPastMessages(shown, found, { run, zone }) : shown,
        ...(image === undefined ? {} : { images: [image] }),
      };
    }),
  );
}

/** A round above the limit is not run and ends the turn. */
const limitRounds = (rounds: { readonly asked: number }, tool: AgentTool): AgentTool => ({
  ...tool,
  run: (input, signal, call) =>
    rounds.asked > MAX_TOOL_ROUNDS
      ? { text: prompt`Error: no more tools for this message.`, stop: true }
      : tool.run(input, signal, call),
});

function streamHooks(channel: AssistantChannel) {
  if (channel.kind !== 'chat') return {};
  const { sink } = channel;
  return {
    onText: (delta: string) => sink({ type: 'text', delta }),
    onTextReset: () => sink({ type: 'text_reset' }),
    onToolCall: ({
      id,
      name,
      arguments: given,
    }: {
      id: string;
      name: string;
      arguments: unknown;
    }) => sink({ type: 'tool_call', id, name, arguments: given }),
    onToolResult: ({ id, result }: { id: string; result: string }) =>
      sink({ type: 'tool_result', id, result }),
  };
}

function assistantToolDeps(deps: AssistantDeps): ToolRun['deps'] {
  const { db, lease, gate, schedules, settings, search, digests, events } = deps;
  return {
    db,
    lease,
    gate,
    schedules,
    digests: (query) => digests.digests(query),
    admins: settings.admin_phone_numbers,
    searchMessages: async (query, options) =>
      (await search.search({ kind: 'assistant' }, query, options)).map((hit) => ({
        ...toPastMessage(hit),
        isSure: hit.isSure ?? true,
      })),
    afterCommit: () => events.hint(),
  };
}

/** The chat in which the question was asked; in a chat on the computer, the linked number's own chat. */
function ownAddress(
  permitted: readonly PermittedChat[],
  { session }: BegunAssistantTurn,
): string | null {
  const own = permitted.filter(({ kind }) => kind === 'own');
  return (own.find(({ chat }) => chat === session.chat_id) ?? own[0])?.address ?? null;
}

// In a chat on the computer the owner is shown what would be sent, and the tool call waits for their decision. Without
// an answer in time, the approval stays pending and the tool says so.

/** Polling interval in case a hint is lost. */
const POLL_MS = 1_000;

const confirmInChat =
  (deps: Pick<AssistantDeps, 'db' | 'lease' | 'events' | 'clock'>, sink: AssistantSink) =>
  async (asked: ApprovalId, signal: AbortSignal): Promise<OwnersAnswer> => {
    const { db, lease, events, clock } = deps;
    const end = clock.now() + CONFIRM_TIMEOUT_MS;
    let id = asked;
    let wake = () => {};
    const unsubscribe = events.subscribe(() => wake());
    try {
      for (let shown = false; ; shown = true) {
        const [approval] = await loadApprovals(db, lease.account, { id });
        if (approval === undefined || clock.now() >= end) return { kind: 'waiting' };
        if (approval.replaced_by !== null) {
          // The owner edited the text: the new approval is pending now and is shown.
          id = approvalId(approval.replaced_by);
          shown = false;
          continue;
        }
        if (approval.state === 'approved') return { kind: 'approved' };
        if (approval.state !== 'pending') return { kind: 'rejected', why: approval.answer };
        if (!shown) sink({ type: 'approval', approval });
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await Promise.race([woken, clock.wait(POLL_MS, signal)]);
      }
    } finally {
      unsubscribe();
    }
  };

// Steps 4 and 5: waits until everything stored is indexed, then retrieves messages similar to the question, as far as
// the grants allow reading them.

async function retrievePastMessages(
  { search }: AssistantDeps,
  question: SessionLine,
  /** Its text, or what was understood of it. */
  asked: string,
  permitted: readonly PermittedChat[],
): Promise<readonly PastMessage[]> {
  await search.caughtUp();
  const except = question.message_id === null ? {} : { except: question.message_id };
  const hits = await search.retrieve({ kind: 'assistant' }, asked, except);
  // Messages to the assistant itself are already in its memory.
  const own = new Set(permitted.filter(({ kind }) => kind === 'own').map(({ chat }) => chat));
  return hits.map(toPastMessage).filter(({ chat }) => !own.has(chat));
}

const toPastMessage = ({ chat, at, senderName, text }: MessageHit): PastMessage => ({
  chat,
  at,
  sender: senderName,
  text,
});
