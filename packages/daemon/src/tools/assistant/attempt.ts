// A tool that would change the world: prepared, asked of the gate and written down in one transaction. What
// waits for the owner is waited for while they look on; the model is told what happened and nothing else.
import { RelayError } from '@relay/core/errors';
import type { ApprovalId, PermitId } from '@relay/core/ids';
import { UNTAINTED } from '@relay/core/policy/facts';
import { type Decision, reasonSentence } from '@relay/core/policy/reasons';
import type { ToolAnswer } from '../../agent/tool.ts';
import type { Circumstances } from '../../gate/consider.ts';
import type { Transaction } from '../../store/database.ts';
import { answer, type Result, refusal } from './answers.ts';
import { type Call, earlierResult, type Recorded, record } from './calls.ts';
import type { ToolRun } from './run.ts';

/** What the gate said, and what came of it. */
export interface Went {
  readonly decision: Decision;
  readonly approval: ApprovalId | null;
  readonly permit?: PermitId | null;
}

export interface Attempt {
  /** As the owner reads of it afterwards: `sent "…" to Mum`; and before: `send "…" to Mum`. */
  readonly did: string;
  readonly would: string;
  submit(tx: Transaction, circumstances: Circumstances): Promise<Went>;
  /** For the model: it has happened. With an approval where the owner was asked first. */
  done(approval: ApprovalId | null): Result | Promise<Result>;
  /** For the model: it has not happened, and waits for the owner. */
  waits(approval: ApprovalId, why: string): Result;
}

/** Nothing to ask the gate: why it cannot be, for the model. */
export interface Unprepared {
  readonly refused: Result;
}

export type Prepare = (tx: Transaction) => Promise<Attempt | Unprepared>;

/** How long the tools wait for the owner's answer; then the question stays where it is. */
export const ANSWER_WITHIN_MS = 120_000;

export async function attempt(
  run: ToolRun,
  call: Call,
  signal: AbortSignal,
  prepare: Prepare,
): Promise<ToolAnswer> {
  let asked: { readonly attempt: Attempt; readonly approval: ApprovalId } | null = null;
  const first = await run.world.gate.checkingNumbers((check) =>
    effecting(run, call, signal, async (tx) => {
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
async function effecting(
  run: ToolRun,
  call: Call,
  signal: AbortSignal,
  work: (tx: Transaction) => Promise<Recorded>,
): Promise<ToolAnswer> {
  const done = (tx: Transaction, recorded: Recorded): Promise<Result> =>
    record(tx, run, call, recorded).then(() => recorded.result);
  try {
    const result = await run.write(
      async (tx) => (await earlierResult(tx, run, call)) ?? done(tx, await work(tx)),
      signal,
    );
    return answer(result, UNTAINTED);
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    const refused = { result: refusal(error.message), effect: null };
    return answer(await run.write((tx) => done(tx, refused)), UNTAINTED);
  }
}

/** Null when nobody answered: what was told first stands. */
async function askOwner(
  run: ToolRun,
  call: Call,
  signal: AbortSignal,
  { attempt, approval }: { readonly attempt: Attempt; readonly approval: ApprovalId },
): Promise<ToolAnswer | null> {
  const said = run.confirm === null ? null : await run.confirm(approval, signal);
  if (said === null || said.kind === 'waiting') return null;
  const settled =
    said.kind === 'approved'
      ? { result: await attempt.done(approval), effect: `${attempt.did}, with your yes` }
      : { result: rejected(said.why), effect: null };
  await run.write((tx) => record(tx, run, call, settled));
  return answer(settled.result, UNTAINTED);
}

async function outcomeOf(
  attempt: Attempt,
  { decision, approval }: Went,
): Promise<{ result: Result; effect: string | null }> {
  const why = reasonSentence(decision.reason);
  if (decision.outcome === 'allow')
    return { result: await attempt.done(null), effect: attempt.did };
  if (decision.outcome === 'deny' || approval === null)
    return { result: refusal(why), effect: null };
  const effect = `asked for your yes to ${attempt.would} (/approve ${short(approval)})`;
  return { result: attempt.waits(approval, why), effect };
}

const rejected = (why: string | null): Result =>
  refusal(`Your owner said no${why ? `: ${why}` : '.'} Do not try it again.`);

/** As much of an id as people type. */
export const short = (id: string): string => id.slice(0, 8);
