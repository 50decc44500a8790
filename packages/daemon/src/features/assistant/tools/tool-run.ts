// State of one assistant turn for its tools: the actor, the taint so far, and whether the owner is asked before each
// send; and the functions that run and record tool calls.

import type { DigestService } from '@relay/contract/api/digests';
import { RelayError } from '@relay/contract/errors';
import type { ApprovalId, ChatId, PermitId, RunId } from '@relay/contract/ids';
import {
  type LabelledText,
  type TrustedText,
  untrustedText,
} from '@relay/core/agent/labelled-text';
import { toStorableText } from '@relay/core/messages/text';
import type { AssistantRun as Actor } from '@relay/core/policy/actors';
import { type Taint, UNTAINTED } from '@relay/core/policy/facts';
import { type Decision, reasonText } from '@relay/core/policy/reasons';
import type { ToolResult } from '../../../models/agent/tools.ts';
import type { SubmitContext } from '../../../pipeline/gate/evaluate.ts';
import type { Gate } from '../../../pipeline/gate/gate.ts';
import type { Db, Transaction } from '../../../platform/db/database.ts';
import type { Lease } from '../../../platform/db/lease.ts';
import { saveRunTaint } from '../../../platform/db/runs.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import type { AssistantSchedules, FindMessages } from './ports.ts';

/** The result of asking the owner; `waiting` when they did not answer in time. */
export type OwnersAnswer =
  | { readonly kind: 'approved' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'rejected'; readonly why: string | null };

interface AssistantToolDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly gate: Gate;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
  readonly searchMessages: FindMessages;
  readonly schedules: AssistantSchedules;
  readonly digests: DigestService['digests'];
  /** Called after a commit: the outbox or the streams may have something new. */
  afterCommit(): void;
}

interface ToolRunOptions {
  readonly deps: AssistantToolDeps;
  readonly id: RunId;
  /** The taint of the history that the turn is shown. */
  readonly taint: Taint;
  /** Asks before each send and waits for the answer. Null when nobody watches. */
  readonly confirm: ((approval: ApprovalId, signal: AbortSignal) => Promise<OwnersAnswer>) | null;
  /** The owner's WhatsApp chat that the turn answers, if any. */
  readonly askIn: ChatId | null;
  /** Asks the model outside of the turn, without tools. */
  ask(instructions: TrustedText, text: LabelledText): Promise<LabelledText>;
}

export class ToolRun {
  readonly deps: AssistantToolDeps;
  readonly id: RunId;
  readonly confirm: ToolRunOptions['confirm'];
  readonly ask: ToolRunOptions['ask'];
  readonly askIn: ChatId | null;
  #taint: Taint;

  constructor({ deps, id, taint, confirm, ask, askIn }: ToolRunOptions) {
    this.deps = deps;
    this.id = id;
    this.confirm = confirm;
    this.ask = ask;
    this.askIn = askIn;
    this.#taint = taint;
  }

  get account() {
    return this.deps.lease.account;
  }

  get actor(): Actor {
    return { kind: 'assistant', run: this.id };
  }

  get taint(): Taint {
    return this.#taint;
  }

  /**
   * Writes only while the turn runs and, with a signal, only while the call is awaited: if the model reads that
   * something did not happen, it must not happen.
   */
  write<T>(work: (tx: Transaction) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { lease } = this.deps;
    return transaction(this.deps, async ({ tx }) => {
      const run = await tx
        .selectFrom('runs')
        .select('state')
        .where('account_id', '=', lease.account)
        .where('id', '=', this.id)
        .forUpdate()
        .executeTakeFirst();
      if (run?.state !== 'running') throw new Error('the turn is over');
      const done = await work(tx);
      signal?.throwIfAborted();
      return done;
    });
  }

  /** Must be called before the model sees text of others. */
  async reads(taint: Taint): Promise<void> {
    await this.write((tx) => saveRunTaint(tx, this.account, this.id, taint));
    this.#taint = taint;
  }
}

// Tools with effects: prepared, submitted to the gate and recorded in one transaction. If the owner watches, the call
// waits for their approval; the model learns only what really happened.

/** The gate's decision, and the approval or permit it created. */
interface GatedActionResult {
  readonly decision: Decision;
  readonly approval: ApprovalId | null;
  readonly permit?: PermitId | null;
}

export interface GatedAction {
  /** For the owner: `doneText` afterwards (`sent "…" to Mum`), `proposedText` before (`send "…" to Mum`). */
  readonly doneText: string;
  readonly proposedText: string;
  submit(tx: Transaction, context: SubmitContext): Promise<GatedActionResult>;
  /** For the model: it has happened. With the approval if the owner was asked first. */
  resultWhenDone(approval: ApprovalId | null): ToolOutput | Promise<ToolOutput>;
  /** For the model: it has not happened and waits for the owner. */
  resultWhenPending(approval: ApprovalId, why: string): ToolOutput;
}

/** Refused without asking the gate, with the reason for the model. */
export interface RefusedAction {
  readonly output: ToolOutput;
}

type PrepareGatedAction = (tx: Transaction) => Promise<GatedAction | RefusedAction>;

/** How long tools wait for the owner's answer; after that the approval stays pending. */
export const CONFIRM_TIMEOUT_MS = 120_000;

export async function performGatedAction(
  run: ToolRun,
  call: AssistantToolCall,
  signal: AbortSignal,
  prepare: PrepareGatedAction,
): Promise<ToolResult> {
  let asked: { readonly attempt: GatedAction; readonly approval: ApprovalId } | null = null;
  const first = await run.deps.gate.withNumberCheck((check) =>
    performOnce(run, call, signal, async (tx) => {
      const prepared = await prepare(tx);
      if ('output' in prepared) return { result: prepared.output, effect: null };
      const { taint, id, confirm, askIn } = run;
      const went = await prepared.submit(tx, {
        taint,
        run: id,
        needsConfirmation: confirm !== null,
        ...(askIn === null ? {} : { noticeChat: askIn }),
        ...check,
      });
      asked = went.approval === null ? null : { attempt: prepared, approval: went.approval };
      return { ...(await outcomeOf(prepared, went)), permit: went.permit ?? null };
    }),
  );
  run.deps.afterCommit();
  return asked === null ? first : ((await askOwner(run, call, signal, asked)) ?? first);
}

/** Runs a call at most once and records it in the transaction of its effect. */
async function performOnce(
  run: ToolRun,
  call: AssistantToolCall,
  signal: AbortSignal,
  work: (tx: Transaction) => Promise<AssistantCallOutcome>,
): Promise<ToolResult> {
  const done = (tx: Transaction, recorded: AssistantCallOutcome): Promise<ToolOutput> =>
    recordToolCall(tx, run, call, recorded).then(() => recorded.result);
  try {
    const result = await run.write(
      async (tx) => (await findEarlierResult(tx, run, call)) ?? done(tx, await work(tx)),
      signal,
    );
    return toToolResult(result, UNTAINTED);
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    const refused = { result: toolError(error.message), effect: null };
    return toToolResult(await run.write((tx) => done(tx, refused)), UNTAINTED);
  }
}

/** Null when nobody answered: the first result stands. */
async function askOwner(
  run: ToolRun,
  call: AssistantToolCall,
  signal: AbortSignal,
  { attempt, approval }: { readonly attempt: GatedAction; readonly approval: ApprovalId },
): Promise<ToolResult | null> {
  const said = run.confirm === null ? null : await run.confirm(approval, signal);
  if (said === null || said.kind === 'waiting') return null;
  const settled =
    said.kind === 'approved'
      ? {
          result: await attempt.resultWhenDone(approval),
          effect: `${attempt.doneText}, with your approval`,
        }
      : { result: rejectedByOwner(said.why), effect: null };
  await run.write((tx) => recordToolCall(tx, run, call, settled));
  return toToolResult(settled.result, UNTAINTED);
}

async function outcomeOf(
  attempt: GatedAction,
  { decision, approval }: GatedActionResult,
): Promise<{ result: ToolOutput; effect: string | null }> {
  const why = reasonText(decision.reason);
  if (decision.outcome === 'allow')
    return { result: await attempt.resultWhenDone(null), effect: attempt.doneText };
  if (decision.outcome === 'deny' || approval === null)
    return { result: toolError(why), effect: null };
  const effect = `asked for your approval to ${attempt.proposedText} (/approve ${toShortId(approval)})`;
  return { result: attempt.resultWhenPending(approval, why), effect };
}

const rejectedByOwner = (why: string | null): ToolOutput =>
  toolError(`Your owner said no${why ? `: ${why}` : '.'} Do not try it again.`);

/** The part of an id that people type. */
export const toShortId = (id: string): string => id.slice(0, 8);

// Tool calls are recorded in the transaction of their effect, so that a repeated call has no second effect.

export interface AssistantToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

interface AssistantCallOutcome {
  readonly result: ToolOutput;
  /** What it did, as the end of a sentence for the owner; null without an effect. */
  readonly effect: string | null;
  readonly permit?: PermitId | null;
}

const MAX_STORED_ARGUMENTS = 10_000;

async function findEarlierResult(
  tx: Transaction,
  run: ToolRun,
  call: AssistantToolCall,
): Promise<ToolOutput | null> {
  const row = await tx
    .selectFrom('tool_calls')
    .select('result')
    .where('account_id', '=', run.account)
    .where('run_id', '=', run.id)
    .where('call_id', '=', storedCallId(call))
    .executeTakeFirst();
  return (row?.result as ToolOutput | undefined) ?? null;
}

export async function recordToolCall(
  tx: Transaction,
  run: ToolRun,
  call: AssistantToolCall,
  { result, effect, permit = null }: AssistantCallOutcome,
): Promise<void> {
  const values = { result: toStorableText(JSON.stringify(result)), effect, permit_id: permit };
  await tx
    .insertInto('tool_calls')
    .values({
      account_id: run.account,
      run_id: run.id,
      call_id: storedCallId(call),
      name: call.name,
      arguments: storedArguments(call),
      ...values,
    })
    .onConflict((on) => on.columns(['account_id', 'run_id', 'call_id']).doUpdateSet(values))
    .execute();
}

const storedCallId = ({ id }: AssistantToolCall): string => toStorableText(id.slice(0, 200));

function storedArguments({ arguments: input }: AssistantToolCall): string {
  const text = toStorableText(JSON.stringify(input) ?? 'null');
  return text.length > MAX_STORED_ARGUMENTS ? '{"left_out":"too long"}' : text;
}

/** Of other people's text only the count is stored. */
export const countLists = (result: ToolOutput): ToolOutput =>
  Object.fromEntries(
    Object.entries(result).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.length : value,
    ]),
  );

// The result of a tool for the model: JSON as text. It reports an effect only if it happened.

export type ToolOutput = Readonly<Record<string, unknown>>;

/** `from` is whose text is in it; UNTAINTED when all of it is Relay's or the owner's. */
export const toToolResult = (result: ToolOutput, from: Taint): ToolResult => ({
  text: untrustedText(JSON.stringify(result), from),
});

export const toolError = (error: string, more: ToolOutput = {}): ToolOutput => ({ error, ...more });

// Records a read outside of WhatsApp, such as a web page, with the count of results only.

export const recordOutsideRead =
  (run: ToolRun) =>
  (call: AssistantToolCall, result: ToolOutput): Promise<void> =>
    run.write((tx) => recordToolCall(tx, run, call, { result: countLists(result), effect: null }));
