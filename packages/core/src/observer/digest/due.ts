// Decides which periods of a group need a digest, and which digests have lost their source. Computed from scratch at
// every wake-up, so that missed or late messages are included.
import {
  type DayBoundary,
  type DigestKind,
  type DigestPeriod,
  dayContaining,
  hourContaining,
} from './periods.ts';

/** A message that belongs in a digest. */
export interface DigestibleMessage {
  readonly at: Date;
  readonly number: number;
}

/** What a digest was made from; any change in the period changes this. */
export interface DigestSource {
  readonly messages: number;
  readonly lastMessageNumber: number;
}

export interface ExistingDigest extends DigestSource, DigestPeriod {
  readonly kind: DigestKind;
}

export interface DueDigest extends ExistingDigest {
  /** Whether nothing of its source is left: the digest is deleted. */
  readonly isEmpty: boolean;
}

export interface DigestSituation {
  /** All messages since `from`, in any order. */
  readonly messages: readonly DigestibleMessage[];
  /** The digests that begin at `from` or later. */
  readonly digests: readonly ExistingDigest[];
  /** The start of a day. */
  readonly from: Date;
  /** The start of the current observation; earlier digests stay as they are. */
  readonly since: Date;
  readonly now: Date;
  readonly cut: DayBoundary;
}

/** A message written before the end of the hour may still be on its way. */
const SETTLE_MS = 60_000;

/** Oldest first; a day comes after its hours. */
export function dueDigests({
  messages,
  digests,
  from,
  since,
  now,
  cut,
}: DigestSituation): readonly DueDigest[] {
  const periods = new Map<string, DueDigest>();
  for (const { at, number } of messages) {
    if (at < from) continue;
    note(periods, { kind: 'hourly', ...hourContaining(at, cut) }, number);
    const { start, end } = dayContaining(at, cut);
    note(periods, { kind: 'daily', start, end }, number);
  }
  const known = new Map(digests.map((digest) => [keyOf(digest), digest]));
  const changed = [...periods.values()].filter(
    (due) => !isSameDigestSource(due, known.get(keyOf(due))),
  );
  const emptied = digests
    .filter(
      (digest) => digest.start >= from && digest.start >= since && !periods.has(keyOf(digest)),
    )
    .map((digest) => ({ ...digest, messages: 0, lastMessageNumber: 0, isEmpty: true }));
  return [...changed, ...emptied]
    .filter(({ end }) => end.getTime() + SETTLE_MS <= now.getTime())
    .sort(inOrder);
}

/** When to check again. */
export const nextDigestCheck = (now: Date, cut: DayBoundary): Date => {
  const { end } = hourContaining(new Date(now.getTime() - SETTLE_MS), cut);
  return new Date(end.getTime() + SETTLE_MS);
};

/** After an absence all messages arrive at once; they are collected before the digest. */
const GATHER_MS = 60_000;

/** When to check a message's period: after its hour, or soon if that is over. */
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
    lastMessageNumber: Math.max(before?.lastMessageNumber ?? 0, number),
    isEmpty: false,
  });
}

const keyOf = ({ kind, start }: { readonly kind: DigestKind; readonly start: Date }): string =>
  `${kind} ${start.getTime()}`;

export const isSameDigestSource = (due: DigestSource, made: DigestSource | undefined): boolean =>
  made?.messages === due.messages && made.lastMessageNumber === due.lastMessageNumber;

const inOrder = (a: DueDigest, b: DueDigest): number =>
  a.end.getTime() - b.end.getTime() || (a.kind === b.kind ? 0 : a.kind === 'hourly' ? -1 : 1);
