// What a digest is made of: of an hour its messages as lines, masked; of a day the digests of its hours. What
// media was sent is told by us, so that no model can pretend to have seen it.
import { bufferLines } from '@relay/core/observer/buffer';
import { hoursOf } from '@relay/core/observer/digest/clock';
import type { DigestFact } from '@relay/core/observer/digest/facts';
import { mediaOfDay, mediaOfHour } from '@relay/core/observer/digest/media';
import type { Cut, Period } from '@relay/core/observer/digest/periods';
import { maskPrivate, mentionedIn, nameToTell } from '@relay/core/observer/mask/mask';
import type { Judged } from '@relay/core/observer/verdict';
import { findDigests, findFailures, type StoredDigest } from '../../../store/observer/digests.ts';
import type { ObservedGroup } from '../../../store/observer/groups.ts';
import { mentionNames } from '../../../store/observer/mentions.ts';
import { messagesBetween } from '../../../store/observer/messages.ts';
import type { DigestWorld } from './world.ts';

/** An answer stands beside what it answers, and a talk is known by how it began. */
const BEFORE_MS = 3 * 3_600_000;
const MOST_TOKENS = 20_000;
const MOST_NAMES = 40;

export interface HourMaterial {
  readonly lines: readonly string[];
  /** Empty when none was sent. */
  readonly media: string;
  /** Nothing but media: no model is needed to say so. */
  readonly onlyMedia: boolean;
}

export async function hourMaterial(
  world: DigestWorld,
  group: ObservedGroup,
  { zone }: Cut,
  { start, end }: Period,
): Promise<HourMaterial> {
  const judged = await judgedBetween(world, group, {
    start: new Date(start.getTime() - BEFORE_MS),
    end,
  });
  const names = await mentionNames(world.db, world.lease.account, mentionedIn(judged));
  const bounds = { from: start, to: end, zone, tokens: Number.POSITIVE_INFINITY };
  const all = bufferLines(maskPrivate(judged, names), bounds);
  const media = new Set(
    judged.flatMap(({ message, verdict }) => (verdict.category === 'media_only' ? message.id : [])),
  );
  const isMedia = ({ ids }: { readonly ids: readonly string[] }) =>
    ids.every((id) => media.has(id));
  const lines = fitting(all);
  return {
    lines,
    media: mediaOfHour(all.filter(isMedia).map(({ text }) => text)),
    onlyMedia: all.every(isMedia),
  };
}

/** All of them, or the newest with a word about the rest. */
function fitting(all: readonly { readonly text: string; readonly tokens: number }[]): string[] {
  let left = MOST_TOKENS;
  const first = all.findLastIndex(({ tokens }) => {
    left -= tokens;
    return left < 0;
  });
  const kept = all.slice(first + 1).map(({ text }) => text);
  return first < 0
    ? kept
    : [`(${first + 1} earlier messages of this hour were too many to read)`, ...kept];
}

export interface DayMaterial {
  readonly lines: readonly string[];
  readonly hours: readonly StoredDigest[];
  readonly media: string;
  readonly participants: readonly DigestFact[];
}

export async function dayMaterial(
  world: DigestWorld,
  group: ObservedGroup,
  { zone }: Cut,
  day: Period,
): Promise<DayMaterial> {
  const { db, lease } = world;
  const which = { chat: group.chat, from: day.start, to: day.end };
  const [hours, failures, judged] = await Promise.all([
    findDigests(db, lease.account, { ...which, kind: 'hourly' }),
    findFailures(db, lease.account, which),
    judgedBetween(world, group, day),
  ]);
  const failed = failures
    .filter(({ kind, start }) => kind === 'hourly' && !hours.some((hour) => +hour.start === +start))
    .map((hour) => ({
      start: hour.start,
      text: `${hoursOf(hour, zone)}: (this hour has no digest)`,
    }));
  const told = hours.map(({ start, body }) => ({ start, text: body }));
  const lines = [...told, ...failed].sort((a, b) => a.start.getTime() - b.start.getTime());
  return {
    lines: lines.map(({ text }) => text),
    hours,
    media: mediaOfDay(
      judged.flatMap(({ message, verdict }) =>
        verdict.category === 'media_only' ? message.kind : [],
      ),
    ),
    participants: participantsOf(judged, day.start),
  };
}

/** Who wrote something worth telling. A name and nothing else: no profile of anybody. */
function participantsOf(judged: readonly Judged[], saidAt: Date): readonly DigestFact[] {
  const names = judged.flatMap(({ message, verdict }) =>
    verdict.noise || message.fromAssistant ? [] : nameToTell(message),
  );
  const all = [...new Set(names)];
  const more = all.length - MOST_NAMES;
  const shown = more > 0 ? [...all.slice(0, MOST_NAMES), `and ${more} more`] : all;
  return shown.map((text) => ({
    kind: 'participant',
    text,
    who: null,
    when: null,
    saidAt,
  }));
}

async function judgedBetween(
  { db, lease, settings }: DigestWorld,
  { chat }: ObservedGroup,
  { start, end }: Period,
): Promise<Judged[]> {
  const reader = { account: lease.account, admins: settings.admin_phone_numbers };
  const messages = await messagesBetween(db, reader, { chat, from: start, to: end });
  return messages.flatMap(({ message, verdict }) => (verdict === null ? [] : { message, verdict }));
}
