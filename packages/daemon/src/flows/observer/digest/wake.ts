// A wake-up for one group: what is due is digested, oldest first, a few at a time so that groups take turns.
// Whatever ends it, the next look has its timer in the transaction that ends the job.
import { RelayError } from '@relay/core/errors';
import type { RunId } from '@relay/core/ids';
import { nextLook } from '@relay/core/observer/digest/due';
import { dayOf } from '@relay/core/observer/digest/periods';
import { inOneTransaction } from '../../../jobs/work.ts';
import type { Handler, Job } from '../../../jobs/worker.ts';
import { putDigestDocuments } from '../../../search/digests.ts';
import type { Transaction } from '../../../store/database.ts';
import { appendEvent } from '../../../store/events.ts';
import { fence } from '../../../store/lease.ts';
import { dropDigest, noteFailure, putDigest } from '../../../store/observer/digests.ts';
import { observedGroup } from '../../../store/observer/groups.ts';
import { endRun } from '../../../store/runs.ts';
import { beginDigest, isObserved } from './begin.ts';
import { cutOf, lookForDue } from './look.ts';
import { compose, type Task, type Written } from './make.ts';
import { lookBy } from './watch.ts';
import type { DigestWorld } from './world.ts';

const AT_A_TIME = 4;
const LOOK_AGAIN_MS = 10 * 60_000;

export function onDigest(world: DigestWorld): Handler<'digest'> {
  return async (job, signal) => {
    const { db, lease } = world;
    const group = await observedGroup(db, lease.account, job.data.subject);
    if (group === null) return inOneTransaction(world, (work) => job.complete(work.tx));
    const cut = cutOf(world, group);
    // Before the look: an hour that ends while a model writes is due right after, not an hour later.
    const now = world.now();
    const due = await lookForDue(world, group);
    for (const period of due.slice(0, AT_A_TIME)) {
      const cameOf = await digest(world, { group, cut, due: period }, signal);
      if (cameOf === 'later') return rest(world, job, soon(world, { group, cut, due: period }));
    }
    return rest(world, job, due.length > AT_A_TIME ? now : nextLook(now, cut));
  };
}

/** `later`: nothing can be digested now, this period or another. */
async function digest(
  world: DigestWorld,
  task: Task,
  signal: AbortSignal,
): Promise<'done' | 'later'> {
  if (task.due.gone) {
    await inOneTransaction(world, async ({ tx }) => {
      await fence(tx, world.lease);
      await dropDigest(tx, world.lease.account, { chat: task.group.chat, ...task.due });
      await told(world, tx, task);
    });
    return 'done';
  }
  let run: RunId | null = null;
  try {
    const begin = async () => {
      run = await beginDigest(world, task.group);
      return run;
    };
    const written = await compose(world, task, begin, signal);
    await write(world, task, run, written);
    return 'done';
  } catch (error) {
    return failed(world, task, { run, error: signal.aborted ? signal.reason : error });
  }
}

function write(
  world: DigestWorld,
  task: Task,
  run: RunId | null,
  { body, tokens, facts }: Written,
): Promise<void> {
  const { account } = world.lease;
  const { chat } = task.group;
  const { kind, start, end, messages, readUpTo } = task.due;
  return inOneTransaction(world, async (work) => {
    await fence(work.tx, world.lease);
    if (run !== null) await endRun(work.tx, account, run, 'done');
    // Nobody wants to know any more, and what was read is to be forgotten.
    if (!(await isObserved(work.tx, account, chat))) return;
    const id = await putDigest(
      work.tx,
      account,
      { chat, kind, start, end, messages, readUpTo, body, tokens, run, facts },
      world.now(),
    );
    await putDigestDocuments(work.tx, account, id);
    await told(world, work.tx, task);
    await world.onDigest?.(work, id, kind);
  });
}

/** The streams: which group's day reads differently now. */
const told = (world: DigestWorld, tx: Transaction, { group, cut, due }: Task): Promise<void> =>
  appendEvent(tx, world.lease.account, {
    kind: 'digest',
    subject: group.chat,
    data: { kind: due.kind, day: dayOf(due.start, cut).name },
  });

interface Failure {
  readonly run: RunId | null;
  readonly error: unknown;
}

/** What a model could not do is written down with its sentence; anything else is the job's to try again. */
async function failed(
  world: DigestWorld,
  { group: { chat }, due }: Task,
  { run, error }: Failure,
): Promise<'done' | 'later'> {
  const { account } = world.lease;
  const told = error instanceof RelayError && error.code !== 'lease_lost' ? error : null;
  const ofTheAnswer = told?.code === 'digest_unreadable' || told?.code === 'digest_without_hours';
  await inOneTransaction(world, async (work) => {
    await fence(work.tx, world.lease);
    const ended = told === null ? 'discarded' : 'failed';
    if (run !== null) await endRun(work.tx, account, run, ended, told?.message ?? null);
    if (told === null || !(await isObserved(work.tx, account, chat))) return;
    const { kind, start, end, messages, readUpTo, tries } = due;
    await noteFailure(work.tx, account, {
      chat,
      kind,
      start,
      end,
      messages,
      readUpTo,
      reason: told.message,
      tries: ofTheAnswer ? tries + 1 : tries,
      at: world.now(),
    });
    work.told.push(() =>
      world.log.warn('a digest was not made', { chat, event: kind, reason: told.code }),
    );
  });
  if (told === null) throw error;
  return ofTheAnswer ? 'done' : 'later';
}

const soon = (world: DigestWorld, { cut }: Task): Date => {
  const now = world.now();
  return new Date(Math.min(now.getTime() + LOOK_AGAIN_MS, nextLook(now, cut).getTime()));
};

function rest(world: DigestWorld, job: Job<'digest'>, until: Date): Promise<void> {
  return inOneTransaction(world, async (work) => {
    await fence(work.tx, world.lease);
    await lookBy(work, world.lease.account, job.data.subject, until);
    await job.complete(work.tx);
  });
}
