// One turn of the owner's assistant, as its tools see it: who acts, what was read so far, and whether
// somebody looks on who is asked before anything is sent.

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
import { type Decision, reasonSentence } from '@relay/core/policy/reasons';
import type { ToolResult } from '../../../models/agent/tools.ts';
import type { SubmitContext } from '../../../pipeline/gate/evaluate.ts';
import type { Gate } from '../../../pipeline/gate/gate.ts';
import type { Db, Transaction } from '../../../platform/db/database.ts';
import type { Lease } from '../../../platform/db/lease.ts';
import { saveRunTaint } from '../../../platform/db/runs.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import type { AssistantSchedules, FindMessages } from './ports.ts';

/** What became of a question to the owner; `waiting` when nobody answered in time. */
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
  readonly find: FindMessages;
  readonly schedules: AssistantSchedules;
  readonly digests: DigestService['digests'];
  /** After a commit: something may wait in the outbox, and streams have something to show. */
  changed(): void;
}

interface ToolRunOptions {
  readonly world: AssistantToolDeps;
  readonly id: RunId;
  /** What the history that it is shown was made of. */
  readonly taint: Taint;
  /** Asks before each send, and waits for the answer. Null: nobody looks on. */
  readonly confirm: ((approval: ApprovalId, signal: AbortSignal) => Promise<OwnersAnswer>) | null;
  /** The owner's chat on WhatsApp that the turn answers, if it does. */
  readonly askIn: ChatId | null;
  /** A question to the model beside the turn, without tools. */
  ask(instructions: TrustedText, text: LabelledText): Promise<LabelledText>;
}

export class ToolRun {
  readonly world: AssistantToolDeps;
  readonly id: RunId;
  readonly confirm: ToolRunOptions['confirm'];
  readonly ask: ToolRunOptions['ask'];
  readonly askIn: ChatId | null;
  #taint: Taint;

  constructor({ world: deps, id, taint, confirm, ask, askIn }: ToolRunOptions) {
    this.world = deps;
    this.id = id;
    this.confirm = confirm;
    this.ask = ask;
    this.askIn = askIn;
    this.#taint = taint;
  }

  get account() {
    return this.world.lease.account;
  }

  get actor(): Actor {
    return { kind: 'assistant', run: this.id };
  }

  get taint(): Taint {
    return this.#taint;
  }

  /**
   * A write of this turn, and of no turn that is over; with a signal, of none that nobody waits for any
   * more: what the model is told did not happen has not happened.
   */
  write<T>(work: (tx: Transaction) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { lease } = this.world;
    return transaction(this.world, async ({ tx }) => {
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

  /** Before the model sees text of others. */
  async reads(taint: Taint): Promise<void> {
    await this.write((tx) => saveRunTaint(tx, this.account, this.id, taint));
    this.#taint = taint;
  }
}

// A tool that would change the world: prepared, asked of the gate and written down in one transaction. What
// waits for the owner is waited for while they look on; the model is told what happened and nothing else.

/** What the gate said, and what came of it. */
interface GatedActionResult {
  readonly decision: Decision;
  readonly approval: ApprovalId | null;
  readonly permit?: PermitId | null;
}

export interface GatedAction {
  /** As the owner reads of it afterwards: `sent "…" to Mum`; and before: `send "…" to Mum`. */
  readonly did: string;
  readonly would: string;
  submit(tx: Transaction, circumstances: SubmitContext): Promise<GatedActionResult>;
  /** For the model: it has happened. With an approval where the owner was asked first. */
  done(approval: ApprovalId | null): ToolOutput | Promise<ToolOutput>;
  /** For the model: it has not happened, and waits for the owner. */
  waits(approval: ApprovalId, why: string): ToolOutput;
}

/** Nothing to ask the gate: why it cannot be, for the model. */
export interface RefusedAction {
  readonly refused: ToolOutput;
}

type PrepareGatedAction = (tx: Transaction) => Promise<GatedAction | RefusedAction>;

/** How long the tools wait for the owner's answer; then the question stays where it is. */
export const CONFIRM_TIMEOUT_MS = 120_000;

export async function performGatedAction(
  run: ToolRun,
  call: AssistantToolCall,
  signal: AbortSignal,
  prepare: PrepareGatedAction,
): Promise<ToolResult> {
  let asked: { readonly attempt: GatedAction; readonly approval: ApprovalId } | null = null;
  const first = await run.world.gate.checkingNumbers((check) =>
    performOnce(run, call, signal, async (tx) => {
      const prepared = await prepare(tx);
      if ('refused' in prepared) return { result: prepared.refused, effect: null };
      const { taint, id, confirm, askIn } = run;
      const went = await prepared.submit(tx, {
        taint,
        run: id,
        confirm: confirm !== null,
        ...(askIn === null ? {} : { askIn }),
        ...check,
      });
      asked = went.approval === null ? null : { attempt: prepared, approval: went.approval };
      return { ...(await outcomeOf(prepared, went)), permit: went.permit ?? null };
    }),
  );
  run.world.changed();
  return asked === null ? first : ((await askOwner(run, call, signal, asked)) ?? first);
}

/** What a call does, once, written down in the transaction in which it does it. */
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

/** Null when nobody answered: what was told first stands. */
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
      ? { result: await attempt.done(approval), effect: `${attempt.did}, with your yes` }
      : { result: rejectedByOwner(said.why), effect: null };
  await run.write((tx) => recordToolCall(tx, run, call, settled));
  return toToolResult(settled.result, UNTAINTED);
}

async function outcomeOf(
  attempt: GatedAction,
  { decision, approval }: GatedActionResult,
): Promise<{ result: ToolOutput; effect: string | null }> {
  const why = reasonSentence(decision.reason);
  if (decision.outcome === 'allow')
    return { result: await attempt.done(null), effect: attempt.did };
  if (decision.outcome === 'deny' || approval === null)
    return { result: toolError(why), effect: null };
  const effect = `asked for your yes to ${attempt.would} (/approve ${toShortId(approval)})`;
  return { result: attempt.waits(approval, why), effect };
}

const rejectedByOwner = (why: string | null): ToolOutput =>
  toolError(`Your owner said no${why ? `: ${why}` : '.'} Do not try it again.`);

/** As much of an id as people type. */
export const toShortId = (id: string): string => id.slice(0, 8);

// A call of the assistant, written down with what it did, in the transaction in which it did it: a call
// that comes again, whoever repeats it, has no second effect.

export interface AssistantToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

interface AssistantCallOutcome {
  readonly result: ToolOutput;
  /** What it did, as the end of a sentence for the owner; null when it did nothing. */
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

/** Of what others wrote only how much there was is kept. */
export const countLists = (result: ToolOutput): ToolOutput =>
  Object.fromEntries(
    Object.entries(result).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.length : value,
    ]),
  );

// What a tool answers the model: JSON, as text. What it says of an effect is what happened.

export type ToolOutput = Readonly<Record<string, unknown>>;

/** `from` is whose text is in it; UNTAINTED where all of it is Relay's and the owner's. */
export const toToolResult = (result: ToolOutput, from: Taint): ToolResult => ({
  text: untrustedText(JSON.stringify(result), from),
});

export const toolError = (error: string, more: ToolOutput = {}): ToolOutput => ({ error, ...more });

// What a run reads outside of WhatsApp, such as a web page: the call is written down with how much it was.

export const recordOutsideRead =
  (run: ToolRun) =>
  (call: AssistantToolCall, result: ToolOutput): Promise<void> =>
    run.write((tx) => recordToolCall(tx, run, call, { result: countLists(result), effect: null }));
