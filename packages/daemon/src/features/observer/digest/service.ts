// Reads digests for the owner: finds groups and days by name, and explains missing digests with a sentence.
import type { Digest, DigestQuery, DigestService, GroupDay } from '@relay/contract/api/digests';
import { RelayError } from '@relay/contract/errors';
import type { AccountId } from '@relay/contract/ids';
import { chooseMatch, rankMatch } from '@relay/core/contacts/match';
import { parseGroupDay } from '@relay/core/observer/digest/parse-day';
import {
  type DayBoundary,
  dayBefore,
  dayContaining,
  formatZoneClock,
  type NamedDay,
} from '@relay/core/observer/digest/periods';
import { findZone } from '@relay/core/schedule/zone';
import type { Db } from '../../../platform/db/database.ts';
import {
  findDigestFailures,
  findDigests,
  type StoredDigest,
} from '../../../platform/db/observer/digests.ts';
import {
  type DigestedGroup,
  listDigestedGroups,
  readDayUsage,
} from '../../../platform/db/observer/groups.ts';

interface DigestReadDeps {
  readonly db: Db;
  readonly account: AccountId;
  readonly now: () => Date;
  /** The owner's time zone, for a group that is no longer observed. */
  readonly zone: string;
  readonly dailyAt: string;
}

export function createDigestService(deps: DigestReadDeps): DigestService {
  const all = () => listDigestedGroups(deps.db, deps.account);
  return {
    async digests(query, among) {
      const known = (await all()).filter(({ chat }) => among?.includes(chat) ?? true);
      const groups = groupsMeant(known, query.group);
      return { digests: await Promise.all(groups.map((group) => dayOfGroup(deps, group, query))) };
    },
    async hasGroups() {
      return (await all()).length > 0;
    },
  };
}

function groupsMeant(
  all: readonly DigestedGroup[],
  name: string | undefined,
): readonly DigestedGroup[] {
  if (all.length === 0) throw new RelayError('no_group_observed');
  if (name === undefined)
    return all.filter(({ observed }) => observed).length > 0
      ? all.filter(({ observed }) => observed)
      : all;
  const matches = all
    .flatMap((group) => {
      const rank = rankMatch(name, {
        id: group.chat,
        names: [group.name],
        addresses: [group.address],
      });
      return rank === null ? [] : [{ rank, of: group }];
    })
    .sort((a, b) => a.rank - b.rank);
  const choice = chooseMatch(matches);
  if ('found' in choice) return [choice.found];
  if ('ambiguous' in choice) return choice.ambiguous;
  // "The family group" means the only group there is.
  const [only] = all;
  if (only !== undefined && all.length === 1 && /\bgroup\b/i.test(name)) return [only];
  const groups = all.map((group) => group.name).join(', ');
  throw new RelayError('digest_group_unknown', { group: name, groups });
}

async function dayOfGroup(
  deps: DigestReadDeps,
  group: DigestedGroup,
  { day: said, kind }: DigestQuery,
): Promise<GroupDay> {
  const zone = findZone(group.zone ?? deps.zone);
  if (zone === null) throw new Error('a group without a zone');
  const cut: DayBoundary = { zone, dailyAt: deps.dailyAt };
  const now = deps.now();
  const today = dayContaining(now, cut);
  if (said === undefined) {
    const yesterday = await readDay(deps, group, dayBefore(today, cut), { now, cut });
    const empty = yesterday.daily === null && yesterday.hourly.length === 0;
    return only(empty ? await readDay(deps, group, today, { now, cut }) : yesterday, kind);
  }
  const day = parseGroupDay(said, now, cut);
  if (day === null) throw new RelayError('digest_unknown_day', { day: said });
  return only(await readDay(deps, group, day, { now, cut }), kind);
}

const only = (day: GroupDay, kind: DigestQuery['kind']): GroupDay => ({
  ...day,
  daily: kind === 'hourly' ? null : day.daily,
  hourly: kind === 'daily' ? [] : day.hourly,
});

async function readDay(
  { db, account }: DigestReadDeps,
  group: DigestedGroup,
  day: NamedDay,
  { now, cut }: { readonly now: Date; readonly cut: DayBoundary },
): Promise<GroupDay> {
  const which = { chat: group.chat, from: day.start, to: day.end };
  const [found, failures, usage] = await Promise.all([
    findDigests(db, account, which),
    findDigestFailures(db, account, which),
    readDayUsage(db, account, group.chat, day.name),
  ]);
  const daily = found.find(({ kind }) => kind === 'daily');
  const hourly = found.filter(({ kind }) => kind === 'hourly').map(toDigest);
  return {
    chat_id: group.chat,
    group: group.name,
    zone: cut.zone.name,
    observed: group.observed,
    day: day.name,
    from: day.start.toISOString(),
    to: day.end.toISOString(),
    daily: daily === undefined ? null : toDigest(daily),
    hourly,
    failures: failures.map(({ kind, start, end, reason }) => ({
      kind,
      from: start.toISOString(),
      to: end.toISOString(),
      sentence: reason,
    })),
    instead: daily === undefined ? insteadOf(day, hourly.length, { now, cut }) : null,
    ...usage,
  };
}

/** The sentence for a day without a digest. */
function insteadOf(
  { start, end }: NamedDay,
  hours: number,
  { now, cut: { zone } }: { readonly now: Date; readonly cut: DayBoundary },
): string {
  if (start > now) return 'This day has not started yet.';
  const made = `at ${formatZoneClock(end, zone)}`;
  if (end > now)
    return hours === 0
      ? `There are no digests yet today. The daily digest is written ${made}.`
      : `The day is not over. The daily digest is written ${made}. Hours so far:`;
  return hours === 0
    ? 'This day has no digest: no message was worth one, or Relay was offline.'
    : 'This day has no daily digest yet. Its hours:';
}

const toDigest = (digest: StoredDigest): Digest => ({
  id: digest.id,
  kind: digest.kind,
  from: digest.start.toISOString(),
  to: digest.end.toISOString(),
  text: digest.body,
  facts: digest.facts.map(({ kind, text, who, when, saidAt }) => ({
    kind,
    text,
    who,
    when,
    said_at: saidAt.toISOString(),
  })),
  messages: digest.messages,
  tokens: digest.tokens,
  cost_tokens: digest.cost,
  made_at: digest.madeAt.toISOString(),
});
