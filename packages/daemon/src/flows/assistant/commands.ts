// What the owner says to Relay itself: a slash command, carried out by the same verbs as the `relay` command
// and answered in words. No model, and nothing that waits for one; a refusal is an answer too.
import type { Approval } from '@relay/core/api/approvals';
import {
  type COMMANDS,
  type Command,
  commandList,
  firstWord,
  parseCommand,
} from '@relay/core/assistant/commands';
import { RelayError } from '@relay/core/errors';
import type { ApprovalId, InstanceId, SessionId } from '@relay/core/ids';
import { approvalId, instanceId } from '@relay/core/ids';
import { isDay } from '@relay/core/observer/digest/day-named';
import { dayWords } from '@relay/core/observer/digest/show';
import { sql } from 'kysely';
import { inOneTransaction } from '../../jobs/work.ts';
import { fence } from '../../store/lease.ts';
import { short } from '../../tools/assistant/attempt.ts';
import { tellSession } from './lines.ts';
import { isLate, SENTENCES, UNEXPECTED } from './sentences.ts';
import type { AssistantWorld } from './world.ts';

type Obey = (world: AssistantWorld, argument: string, session: SessionId) => Promise<string>;

export async function carryOut(
  world: AssistantWorld,
  session: SessionId,
  text: string,
  saidAt: Date,
): Promise<string> {
  const { name, word, argument }: Command = parseCommand(text) ?? {
    name: null,
    word: '',
    argument: '',
  };
  if (name === null) return `There is no command /${word.slice(0, 30)}.\n${commandList()}`;
  if (OPENS.has(name) && isLate(saidAt, world.now())) return SENTENCES.saidLongAgo;
  try {
    return await OBEY[name](world, argument, session);
  } catch (error) {
    if (error instanceof RelayError) return error.message;
    world.log.error('a command failed', { event: name, error });
    return UNEXPECTED;
  }
}

/** What lets something happen: not on a word that was said before the owner knew what is now. */
const OPENS: ReadonlySet<keyof typeof COMMANDS> = new Set([
  'approve',
  'release',
  'resume',
  'schedule',
]);

const OBEY: Readonly<Record<keyof typeof COMMANDS, Obey>> = {
  help: async () => commandList(),
  status,
  approve: (world, argument) =>
    answerQuestion(world, argument, async ({ id }) => {
      const done = await world.verbs.approvals.approve(id);
      return `Yes to: ${questionLine(done)}`;
    }),
  reject: (world, argument) =>
    answerQuestion(world, argument, async ({ id }, why) => {
      const done = await world.verbs.approvals.reject(id, why || null);
      return `No to: ${questionLine(done)}`;
    }),
  schedule,
  pause: (world, argument) => withConversation(world, argument, 'pause'),
  resume: (world, argument) => withConversation(world, argument, 'resume'),
  digest,
  stop: async (world, _argument, session) =>
    world.turns.stop(session) ? 'Stopping.' : 'Nothing is running.',
  hold: async ({ verbs }) => {
    await verbs.hold.hold('/hold');
    return 'Nothing leaves any more, until /release.';
  },
  release: async ({ verbs }) => {
    await verbs.hold.release();
    return 'The hold is over.';
  },
  new: async (world, _argument, session) => {
    await forget(world, session);
    return 'A new session: nothing that was said before is remembered.';
  },
};

/** What was said so far is kept and no longer remembered, nor is what it was made of. */
export function forget(world: AssistantWorld, session: SessionId): Promise<void> {
  const { account } = world.lease;
  return inOneTransaction(world, async ({ tx }) => {
    await fence(tx, world.lease);
    await sql`UPDATE sessions SET begins_after = coalesce((SELECT max(id) FROM session_messages
        WHERE account_id = ${account} AND session_id = ${session}), 0)
      WHERE account_id = ${account} AND id = ${session}`.execute(tx);
    await tellSession(tx, { account_id: account, id: session });
  });
}

/** `/digest`, `/digest holliday`, `/digest holliday friday`, `/digest yesterday`. */
async function digest({ digests }: AssistantWorld, argument: string): Promise<string> {
  const words = argument.split(/\s+/).filter((word) => word !== '');
  const last = words.at(-1) ?? '';
  const day = isDay(last) ? last : undefined;
  const group = (day === undefined ? words : words.slice(0, -1)).join(' ');
  const found = await digests.digests({
    ...(group === '' ? {} : { group }),
    ...(day === undefined ? {} : { day }),
  });
  return found.digests.map((each) => dayWords(each, { hours: false })).join('\n\n');
}

async function status({ verbs }: AssistantWorld): Promise<string> {
  const now = await verbs.status();
  const waiting = await verbs.approvals.list('pending');
  return [
    now.whatsapp.sentence,
    now.hold ? 'Sending is on hold: /release ends it.' : now.sending.sentence,
    `${now.active_instance_count} of ${now.total_instance_count} conversations are open, ${now.needs_you_count} need you.`,
    ...(waiting.length === 0 ? ['Nothing waits for your yes.'] : waitingList(waiting)),
  ].join('\n');
}

const MOST_LISTED = 10;

const waitingList = (waiting: readonly Approval[]): string[] => [
  `Waiting for your yes (/approve id, /reject id):`,
  ...waiting.slice(0, MOST_LISTED).map((each) => `${short(each.id)}: ${questionLine(each)}`),
  ...(waiting.length > MOST_LISTED ? [`… and ${waiting.length - MOST_LISTED} more`] : []),
];

function questionLine({ kind, recipient, recipient_name, text, when }: Approval): string {
  const whom = [recipient_name, recipient && `(${recipient})`].filter(Boolean).join(' ');
  const words = text.length > 300 ? `${text.slice(0, 299)}…` : text;
  switch (kind) {
    case 'send_message':
      return `send to ${whom}: ${words}`;
    case 'schedule_message':
      return `schedule to ${whom}${when === null ? '' : `, ${when}`}: ${words}`;
    case 'create_conversation':
      return `begin a conversation with ${whom}: ${words}`;
    case 'manage_grant':
      return `change what ${whom} is allowed: ${words}`;
  }
}

/** The one that is named by the beginning of its id; unnamed, the only one there is. */
async function answerQuestion(
  { verbs }: AssistantWorld,
  argument: string,
  say: (question: { readonly id: ApprovalId }, rest: string) => Promise<string>,
): Promise<string> {
  const waiting = await verbs.approvals.list('pending');
  if (waiting.length === 0) return 'Nothing waits for your yes.';
  const { word, rest } = firstWord(argument);
  const meant = waiting.filter(({ id }) => id.startsWith(word.toLowerCase()));
  const [only] = meant;
  if (only === undefined)
    return [`Nothing that waits has an id like ${word}.`, ...waitingList(waiting)].join('\n');
  if (meant.length > 1) return waitingList(meant).join('\n');
  return say({ id: approvalId(only.id) }, rest);
}

async function withConversation(
  { verbs: { conversations } }: AssistantWorld,
  argument: string,
  verb: 'pause' | 'resume',
): Promise<string> {
  const { word } = firstWord(argument);
  const open = (await conversations.list({})).filter(({ state }) =>
    verb === 'pause' ? !OVER.includes(state) && state !== 'PAUSED' : RESUMABLE.includes(state),
  );
  const meant = open.filter(({ id }) => id.startsWith(word.toLowerCase()));
  const [only] = meant;
  if (only === undefined)
    return `There is no conversation to ${verb}${word && ` with an id like ${word}`}.`;
  if (meant.length > 1)
    return [
      `Which one? /${verb} id`,
      ...meant
        .slice(0, MOST_LISTED)
        .map(
          ({ id, objective, target_contact }) => `${short(id)}: ${objective} (${target_contact})`,
        ),
    ].join('\n');
  const id: InstanceId = instanceId(only.id);
  await conversations[verb](id);
  return `${verb === 'pause' ? 'Paused' : 'Resumed'}: ${only.objective} (${only.target_contact})`;
}

const OVER: readonly string[] = ['COMPLETED', 'ABANDONED', 'FAILED'];
const RESUMABLE: readonly string[] = ['PAUSED', 'NEEDS_HUMAN_INTERVENTION'];

/** `/schedule tomorrow 9:00: call the doctor`, to the owner; without an argument, what is scheduled. */
async function schedule(
  { verbs: { schedules } }: AssistantWorld,
  argument: string,
): Promise<string> {
  if (argument === '') {
    const all = await schedules.list('active');
    if (all.length === 0) return 'Nothing is scheduled.';
    return all
      .slice(0, MOST_LISTED)
      .map(
        ({ id, words, recipient_name, recipient, text }) =>
          `${short(id)}: ${words}, to ${recipient_name ?? recipient ?? 'you'}: ${text}`,
      )
      .join('\n');
  }
  const [, when, text] = /^(.*?):\s+([\s\S]+)$/.exec(argument) ?? [];
  if (when === undefined || text === undefined)
    return 'Say when and what, as in: /schedule every weekday 9:00: stand-up';
  const { words } = await schedules.create({ to: 'me', when, text });
  return `Scheduled, ${words}: ${text}`;
}
