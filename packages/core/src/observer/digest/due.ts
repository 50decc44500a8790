// Which periods of a group are to be digested, and which digests have lost what they were made of. Pure:
// looked at anew at every wake-up, so that whatever was missed or came late is made up for.
import {
  type DayBoundary,
  type DigestKind,
  type DigestPeriod,
  dayContaining,
  hourContaining,
} from './periods.ts';

/** A message that is worth telling. */
export interface DigestibleMessage {
  readonly at: Date;
  readonly number: number;
}

/** What a digest was made of: nothing changes in a period without changing this. */
export interface DigestSource {
  readonly messages: number;
  readonly readUpTo: number;
}

export interface ExistingDigest extends DigestSource, DigestPeriod {
  readonly kind: DigestKind;
}

export interface DueDigest extends ExistingDigest {
  /** Nothing is left of it: its digest goes. */
  readonly gone: boolean;
}

export interface DigestSituation {
  /** All since `from`, in any order. */
  readonly heard: readonly DigestibleMessage[];
  /** Those that begin at `from` or later. */
  readonly made: readonly ExistingDigest[];
  /** The beginning of a day. */
  readonly from: Date;
  /** What was digested before nobody listened to any more; it stays as it is. */
  readonly since: Date;
  readonly now: Date;
  readonly cut: DayBoundary;
}

/** A message that was written before the hour was over may still be on its way. */
const SETTLE_MS = 60_000;

/** Oldest first; a day comes after its hours. */
export function dueDigests({
  heard,
  made,
  from,
  since,
  now,
  cut,
}: DigestSituation): readonly DueDigest[] {
  const periods = new Map<string, DueDigest>();
  for (const { at, number } of heard) {
    if (at < from) continue;
    note(periods, { kind: 'hourly', ...hourContaining(at, cut) }, number);
    const { start, end } = dayContaining(at, cut);
    note(periods, { kind: 'daily', start, end }, number);
  }
  const known = new Map(made.map((digest) => [keyOf(digest), digest]));
  const changed = [...periods.values()].filter(
    (due) => !isSameDigestSource(due, known.get(keyOf(due))),
  );
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
export const nextDigestCheck = (now: Date, cut: DayBoundary): Date => {
  const { end } = hourContaining(new Date(now.getTime() - SETTLE_MS), cut);
  return new Date(end.getTime() + SETTLE_MS);
};

/** Where a whole absence is told at once, it is gathered before it is digested. */
const GATHER_MS = 60_000;

/** When to look for what was said then: after its hour, or soon where that is over. */
export function digestCheckAfter(saidAt: Date, now: Date, cut: DayBoundary): Date {
  const after = hourContaining(saidAt, cut).end.getTime() + SETTLE_MS;
  return new Date(after > now.getTime() ? after : now.getTime() + GATHER_MS);
}

function note(
  periods: Map<string, DueDigest>,
  period: DigestPeriod & { readonly kind: DigestKind },
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

export const isSameDigestSource = (due: DigestSource, made: DigestSource | undefined): boolean =>
  made?.messages === due.messages && made.readUpTo === due.readUpTo;

const inOrder = (a: DueDigest, b: DueDigest): number =>
  a.end.getTime() - b.end.getTime() || (a.kind === b.kind ? 0 : a.kind === 'hourly' ? -1 : 1);
