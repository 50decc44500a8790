// `npm run torture -- week`: an owner's first week. A household writes 200 messages a day, replies to three contacts are
// drafts, and each day the assistant is asked to write to somebody new. Every approval reaches the owner's own chat and
// their phone, and is answered with a reaction or in the notification; what was approved is sent once, and nothing else.
import { type PushService, startPushService } from '@relay/testing/push-service';
import { thenClose } from '@relay/testing/then-close';
import { randomFrom } from './random.ts';
import { SilenceHarness } from './silence/harness.ts';
import { type Household, type Line, linesOfDay, moveIn } from './week/household.ts';
import { helps } from './week/model.ts';
import { type Asked, Owner, tapsFor } from './week/owner.ts';
import { Phone } from './week/phone.ts';
import { openMornings } from './week/pictures.ts';

export interface WeekTorture {
  readonly days: number;
  /** Per day. */
  readonly messages: number;
  readonly seed: number;
  /** Where to put a picture of Home for each morning, and the folder of the built console. */
  readonly pictures?: { readonly folder: string; readonly console: string } | null;
}

interface Answers {
  readonly taps: number;
  readonly waitMedianMinutes: number;
  readonly waitLongestMinutes: number;
}

interface DayFigures extends Answers {
  readonly day: string;
  readonly messages: number;
  readonly repliedAlone: number;
  readonly approvals: number;
  readonly approved: number;
  readonly declined: number;
  /** A newer draft took their place before the owner saw them. */
  readonly replaced: number;
  readonly pending: number;
}

export interface WeekReport extends Answers {
  readonly days: readonly DayFigures[];
  readonly approvals: number;
  /** Approvals whose notice is in the owner's own chat. */
  readonly reachedChat: number;
  /** Approvals that a push showed on the owner's phone. */
  readonly reachedPhone: number;
  readonly seconds: number;
  readonly faults: readonly string[];
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ASKS_AT = 10 * HOUR;

const settingsFor = (pushService: string) => ({
  tell_owner_on_whatsapp: true,
  notifications: { allow: [pushService], show_text: true },
  // The clock stands still meanwhile, so a message that is given up on would never be tried again.
  delivery: { answer_within_ms: 60_000, grace_ms: 60_000 },
});

export async function tortureWeek(torture: WeekTorture): Promise<WeekReport> {
  const push = await startPushService();
  return thenClose({ close: async () => push.close() }, () => passWeek(torture, push));
}

async function passWeek(torture: WeekTorture, push: PushService): Promise<WeekReport> {
  const began = performance.now();
  const random = randomFrom(torture.seed);
  // It ends today: a message from the future would be taken for one of today, by the machine's clock.
  const first = (Math.floor(Date.now() / DAY) - torture.days) * DAY;
  const stage = await SilenceHarness.open(
    new Date(first),
    {},
    { settings: settingsFor(push.place), console: torture.pictures?.console ?? null },
  );
  return thenClose(stage, async () => {
    stage.model.play(helps);
    const household = moveIn(stage.simulator.network, stage.owner);
    await allow(stage, household);
    const owner = new Owner(stage, await Phone.open(stage, push), random);
    const mornings = await openMornings(stage, torture.pictures?.folder ?? null);
    return thenClose(mornings, async () => {
      const days: DayFigures[] = [];
      for (let n = 0; n < torture.days; n += 1) {
        const day = new Date(first + n * DAY);
        await owner.answerUntil(new Date(day.getTime() + 7 * HOUR));
        stage.clock.set(new Date(day.getTime() + 7 * HOUR));
        await mornings.picture(n + 1);
        await passDay(stage, household, owner, day, torture, random);
        days.push(await figuresOf(stage, owner, day, torture.messages));
        console.log(JSON.stringify(days.at(-1)));
      }
      await owner.answerUntil(new Date(first + (torture.days + 1) * DAY));
      await stage.quiet();
      const asked = [...owner.asked.values()];
      const { faults, ...reached } = await judge(stage, asked, household);
      const refused = [...stage.simulator.network.failures, ...push.refused].map(String);
      return {
        days,
        approvals: asked.length,
        ...reached,
        ...answersOf(asked),
        seconds: Math.round((performance.now() - began) / 1_000),
        faults: [...faults, ...refused],
      };
    });
  });
}

async function allow(stage: SilenceHarness, { people, group, members }: Household): Promise<void> {
  for (const { name, kind, account } of people) {
    if (kind === 'stranger') continue;
    await stage.relay.ok('POST', '/api/whatsapp/permissions', {
      phoneNumber: account.phone,
      displayName: name,
      canRead: true,
      canReply: true,
      replyMode: kind === 'draft' ? 'draft' : 'auto',
    });
  }
  const [first] = members;
  await first?.send(group, 'Hello all', { at: stage.clock.now(), addressing: group.addressing });
  await stage.quiet();
  await stage.relay.ok('POST', '/api/observed-groups', {
    ...{ group: group.jid, zone: 'Europe/London', announced: true, may_answer: false },
  });
}

async function passDay(
  stage: SilenceHarness,
  household: Household,
  owner: Owner,
  day: Date,
  { messages }: WeekTorture,
  random: () => number,
): Promise<void> {
  const lines = linesOfDay(household, day, messages, random);
  const asksAt = new Date(day.getTime() + ASKS_AT);
  let hasAsked = false;
  const askIfDue = async (now: Date) => {
    if (hasAsked || now < asksAt) return;
    hasAsked = true;
    await passTo(stage, owner, asksAt);
    await askAssistant(stage, household, day);
    await settle(stage, owner);
  };
  for (const line of lines) {
    await askIfDue(line.at);
    await passTo(stage, owner, line.at);
    await send(stage, household, line);
    // The group's messages lead to no approval, so nothing waits for them.
    if (line.by !== null) await settle(stage, owner);
  }
  const end = new Date(day.getTime() + DAY);
  await askIfDue(end);
  await passTo(stage, owner, end);
}

async function passTo({ clock }: SilenceHarness, owner: Owner, at: Date): Promise<void> {
  await owner.answerUntil(at);
  clock.set(at);
}

async function settle(stage: SilenceHarness, owner: Owner): Promise<void> {
  await stage.quiet();
  await owner.notice();
}

async function send(
  { owner }: SilenceHarness,
  { group }: Household,
  { by, author, text, at }: Line,
): Promise<void> {
  if (by === null) await author.send(group, text, { at, addressing: group.addressing });
  else await author.send(owner, text, { at });
}

/** Each day the next of those who were never written to. */
async function askAssistant(
  stage: SilenceHarness,
  { people }: Household,
  day: Date,
): Promise<void> {
  const strangers = people.filter(({ kind }) => kind === 'never_written');
  const person = strangers[Math.round(day.getTime() / DAY) % strangers.length];
  if (person === undefined) return;
  const { owner, clock } = stage;
  const date = day.toISOString().slice(0, 10);
  await owner.send(owner, `Tell +${person.account.phone} this: we have to cancel on ${date}.`, {
    at: clock.now(),
  });
}

async function figuresOf(
  stage: SilenceHarness,
  { asked }: Owner,
  day: Date,
  messages: number,
): Promise<DayFigures> {
  const end = day.getTime() + DAY;
  const mine = [...asked.values()].filter(({ at }) => at >= day && at.getTime() < end);
  const states = await statesOf(stage, mine);
  const count = (state: string) => [...states.values()].filter((each) => each === state).length;
  const [row] = await stage.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM relay.outbox o JOIN relay.permits p ON p.account_id = o.account_id AND p.id = o.permit_id
     WHERE p.approval_id IS NULL AND p.actor LIKE 'auto_reply%' AND o.attempted_at >= $1 AND o.attempted_at < $2`,
    [day, new Date(end)],
  );
  return {
    day: day.toISOString().slice(0, 10),
    messages,
    repliedAlone: row?.n ?? 0,
    approvals: mine.length,
    approved: count('approved'),
    declined: count('rejected'),
    replaced: count('expired'),
    pending: count('pending'),
    ...answersOf(mine),
  };
}

/** Taps and waiting times of those that were answered. */
function answersOf(asked: readonly Asked[]): Answers {
  const waits = asked
    .flatMap(({ at, answeredAt }) =>
      answeredAt === null ? [] : answeredAt.getTime() - at.getTime(),
    )
    .toSorted((a, b) => a - b);
  return {
    taps: tapsFor(asked),
    waitMedianMinutes: Math.round((waits[Math.floor(waits.length / 2)] ?? 0) / MINUTE),
    waitLongestMinutes: Math.round((waits.at(-1) ?? 0) / MINUTE),
  };
}

async function statesOf(
  stage: SilenceHarness,
  asked: readonly Asked[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await stage.query<{ id: string; state: string }>(
    'SELECT id, state FROM relay.approvals WHERE id = ANY($1::uuid[])',
    [asked.map(({ id }) => id)],
  );
  return new Map(rows.map(({ id, state }) => [id, state]));
}

async function judge(
  stage: SilenceHarness,
  all: readonly Asked[],
  { people }: Household,
): Promise<Pick<WeekReport, 'faults' | 'reachedChat' | 'reachedPhone'>> {
  const { owner } = stage;
  const shown = new Set(owner.messages({ with: owner }).map(({ id }) => id));
  const isInChat = ({ notice }: Asked) => notice !== null && shown.has(notice);
  const rows = await stage.query<{ id: string; state: string; sent: number }>(
    `SELECT a.id, a.state, (SELECT count(*)::int FROM relay.permits p JOIN relay.outbox o
        ON o.account_id = p.account_id AND o.permit_id = p.id AND o.state IN ('sent', 'delivered', 'read')
        WHERE p.account_id = a.account_id AND p.approval_id = a.id) AS sent
     FROM relay.approvals a`,
  );
  const drafts = people.filter(({ kind }) => kind === 'draft').map(({ account }) => account.phone);
  const [unapproved] = await stage.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM relay.outbox o
       JOIN relay.permits p ON p.account_id = o.account_id AND p.id = o.permit_id
       JOIN relay.chats c ON c.account_id = o.account_id AND c.id = o.chat_id
       JOIN relay.contact_aliases s ON s.account_id = c.account_id AND s.contact_id = c.contact_id
     WHERE s.value = ANY($1::text[]) AND p.approval_id IS NULL`,
    [drafts],
  );
  return {
    reachedChat: all.filter(isInChat).length,
    reachedPhone: all.filter(({ push }) => push !== null).length,
    faults: [
      ...(rows.length === all.length
        ? []
        : [`${rows.length} approvals, of which ${all.length} were seen`]),
      ...all.flatMap((one) => (isInChat(one) ? [] : [`${one.id} has no notice in the chat`])),
      ...all.flatMap(({ id, push }) => (push === null ? [`${id} was not pushed`] : [])),
      ...rows.flatMap(({ id, state, sent }) =>
        sent === (state === 'approved' ? 1 : 0)
          ? []
          : [`${id} is ${state} and was sent ${sent} times`],
      ),
      ...rows.flatMap(({ id, state }) => (state === 'pending' ? [`${id} still waits`] : [])),
      ...((unapproved?.n ?? 0) === 0
        ? []
        : [`${unapproved?.n} messages were sent without an approval`]),
    ],
  };
}
