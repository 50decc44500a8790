// Which periods of a group are to be digested, and which digests have lost what they were made of. Pure:
// looked at anew at every wake-up, so that whatever was missed or came late is made up for.
import { type Cut, type DigestKind, dayOf, hourOf, type Period } from './periods.ts';

/** A message that is worth telling. */
export interface Heard {
  readonly at: Date;
  readonly number: number;
}

/** What a digest was made of: nothing changes in a period without changing this. */
export interface MadeOf {
  readonly messages: number;
  readonly readUpTo: number;
}

export interface Made extends MadeOf, Period {
  readonly kind: DigestKind;
}

export interface Due extends Made {
  /** Nothing is left of it: its digest goes. */
  readonly gone: boolean;
}

export interface Situation {
  /** All since `from`, in any order. */
  readonly heard: readonly Heard[];
  /** Those that begin at `from` or later. */
  readonly made: readonly Made[];
  /** The beginning of a day. */
  readonly from: Date;
  /** What was digested before nobody listened to any more; it stays as it is. */
  readonly since: Date;
  readonly now: Date;
  readonly cut: Cut;
}

/** A message that was written before the hour was over may still be on its way. */
export const SETTLE_MS = 60_000;

/** Oldest first; a day comes after its hours. */
export function dueDigests({ heard, made, from, since, now, cut }: Situation): readonly Due[] {
  const periods = new Map<string, Due>();
  for (const { at, number } of heard) {
    if (at < from) continue;
    note(periods, { kind: 'hourly', ...hourOf(at, cut) }, number);
    const { start, end } = dayOf(at, cut);
    note(periods, { kind: 'daily', start, end }, number);
  }
  const known = new Map(made.map((digest) => [keyOf(digest), digest]));
  const changed = [...periods.values()].filter((due) => !isSame(due, known.get(keyOf(due))));
  const gone = made
    .filter(
      (digest) => digest.start >= from && digest.start >= since && !periods.has(keyOf(digest)),
    )
    .map((digest) => ({ ...digest, messages: 0, readUpTo: 0, gone: true }));
  return [...changed, ...gone]
    .filter(({ end }) => end.getTime() + SETTLE_MS <= now.getTime())
    .sort(inOrder);
}

/** When there will be something to look at again. */
export const nextLook = (now: Date, cut: Cut): Date => {
  const { end } = hourOf(new Date(now.getTime() - SETTLE_MS), cut);
  return new Date(end.getTime() + SETTLE_MS);
};

/** Where a whole absence is told at once, it is gathered before it is digested. */
const GATHER_MS = 60_000;

/** When to look for what was said then: after its hour, or soon where that is over. */
export function lookAfter(saidAt: Date, now: Date, cut: Cut): Date {
  const after = hourOf(saidAt, cut).end.getTime() + SETTLE_MS;
  return new Date(after > now.getTime() ? after : now.getTime() + GATHER_MS);
}

function note(
  periods: Map<string, Due>,
  period: Period & { readonly kind: DigestKind },
  number: number,
): void {
  const key = keyOf(period);
  const before = periods.get(key);
  periods.set(key, {
    kind: period.kind,
    start: period.start,
    end: period.end,
    messages: (before?.messages ?? 0) + 1,
    readUpTo: Math.max(before?.readUpTo ?? 0, number),
    gone: false,
  });
}

const keyOf = ({ kind, start }: { readonly kind: DigestKind; readonly start: Date }): string =>
  `${kind} ${start.getTime()}`;

export const isSame = (due: MadeOf, made: MadeOf | undefined): boolean =>
  made?.messages === due.messages && made.readUpTo === due.readUpTo;

const inOrder = (a: Due, b: Due): number =>
  a.end.getTime() - b.end.getTime() || (a.kind === b.kind ? 0 : a.kind === 'hourly' ? -1 : 1);
