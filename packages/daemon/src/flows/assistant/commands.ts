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
import type { ApprovalId, ChatId, InstanceId, SessionId } from '@relay/core/ids';
import { approvalId, instanceId } from '@relay/core/ids';
import { visible } from '@relay/core/messages/visible';
import { isDay } from '@relay/core/observer/digest/day-named';
import { dayWords } from '@relay/core/observer/digest/show';
import { sql } from 'kysely';
import { noticesShown, showNotice } from '../../gate/notices.ts';
import { inOneTransaction } from '../../jobs/work.ts';
import { fence } from '../../store/lease.ts';
import { short } from '../../tools/assistant/attempt.ts';
import { tellSession } from './lines.ts';
import { isLate, SENTENCES, UNEXPECTED } from './sentences.ts';
import type { AssistantWorld } from './world.ts';

/** Where it was said: the session, and on WhatsApp the chat and when. */
export interface Said {
  readonly session: SessionId;
  readonly chat: ChatId | null;
  readonly at: Date;
}

type Obey = (world: AssistantWorld, argument: string, said: Said) => Promise<string>;

export async function carryOut(world: AssistantWorld, text: string, said: Said): Promise<string> {
  const { name, word, argument }: Command = parseCommand(text) ?? {
    name: null,
    word: '',
    argument: '',
  };
  if (name === null) return `There is no command /${word.slice(0, 30)}.\n${commandList()}`;
  if (OPENS.has(name) && isLate(said.at, world.now())) return SENTENCES.saidLongAgo;
  try {
    return await OBEY[name](world, argument, said);
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
  approve,
  reject: (world, argument, said) =>
    answerQuestion(world, argument, said, async ({ id }, why) => {
      const done = await world.verbs.approvals.reject(approvalId(id), why || null);
      return `No to: ${questionLine(done, said)}`;
    }),
  schedule,
  pause: (world, argument) => withConversation(world, argument, 'pause'),
  resume: (world, argument) => withConversation(world, argument, 'resume'),
  digest,
  stop: async (world, _argument, { session }) =>
    world.turns.stop(session) ? 'Stopping.' : 'Nothing is running.',
  hold: async ({ verbs }) => {
    await verbs.hold.hold('/hold');
    return 'Nothing leaves any more, until /release.';
  },
  release: async ({ verbs }) => {
    await verbs.hold.release();
    return 'The hold is over.';
  },
  new: async (world, _argument, { session }) => {
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

/**
 * On WhatsApp only what Relay has shown there in full is approved; what was not is shown now. Without an id, only the
 * one notice that is open is meant.
 */
async function approve(world: AssistantWorld, argument: string, said: Said): Promise<string> {
  const { account } = world.lease;
  const shown =
    said.chat === null ? null : await noticesShown(world.db, account, said.chat, said.at);
  if (argument === '' && shown?.size !== 1) {
    const waiting = await world.verbs.approvals.list('pending');
    return waiting.length === 0 ? NOTHING_WAITS : waitingList(waiting, said).join('\n');
  }
  const [only] = shown ?? [];
  return answerQuestion(world, argument || (only ?? ''), said, async ({ id }) => {
    const question = approvalId(id);
    if (said.chat !== null && shown?.has(question) !== true) {
      return showFirst(world, question, said.chat);
    }
    const done = await world.verbs.approvals.approve(question);
    return `Yes to: ${questionLine(done, said)}`;
  });
}

async function showFirst(world: AssistantWorld, id: ApprovalId, chat: ChatId): Promise<string> {
  const { gate, lease } = world;
  const isShown = await inOneTransaction(world, async ({ tx, told }) => {
    await fence(tx, lease);
    told.push(() => gate.hint());
    return showNotice(tx, { gate, account: lease.account }, id, chat);
  });
  return isShown
    ? `I had not shown you all of it here. Read it, then say /approve ${short(id)}.`
    : 'It cannot be shown here in full, so it cannot be approved here. Read and answer it in the console, or with `relay approvals`.';
}

const NOTHING_WAITS = 'Nothing waits for your yes.';

async function status({ verbs }: AssistantWorld, _argument: string, said: Said): Promise<string> {
  const now = await verbs.status();
  const waiting = await verbs.approvals.list('pending');
  return [
    now.whatsapp.sentence,
    now.hold ? 'Sending is on hold: /release ends it.' : now.sending.sentence,
    `${now.active_instance_count} of ${now.total_instance_count} conversations are open, ${now.needs_you_count} need you.`,
    ...(waiting.length === 0 ? [NOTHING_WAITS] : waitingList(waiting, said)),
  ].join('\n');
}

const MOST_LISTED = 10;

const waitingList = (waiting: readonly Approval[], said: Said): string[] => [
  `Waiting for your yes (/approve id, /reject id):`,
  ...waiting.slice(0, MOST_LISTED).map((each) => `${short(each.id)}: ${questionLine(each, said)}`),
  ...(waiting.length > MOST_LISTED ? [`… and ${waiting.length - MOST_LISTED} more`] : []),
];

/** On WhatsApp, a long text is counted instead of cut: what is cut looks complete. */
const MOST_SHOWN = 300;

function questionLine(
  { kind, recipient, recipient_name, text, when }: Approval,
  { chat }: Said,
): string {
  const name = recipient_name === null ? null : visible(recipient_name.replace(/\s+/g, ' '));
  const whom = [name, recipient && `(${recipient})`].filter(Boolean).join(' ');
  const words =
    chat !== null && text.length > MOST_SHOWN
      ? `(${text.length} characters, which /approve with its id shows first)`
      : visible(text);
  switch (kind) {
    case 'send_message':
      return `send to ${whom}: ${words}`;
    case 'schedule_message':
      return `schedule to ${whom}${when === null ? '' : `, ${when}`}: ${words}`;
    case 'cancel_schedule':
      return `cancel the scheduled message to ${whom}${when === null ? '' : `, ${when}`}: ${words}`;
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
  said: Said,
  say: (question: Approval, rest: string) => Promise<string>,
): Promise<string> {
  const waiting = await verbs.approvals.list('pending');
  if (waiting.length === 0) return NOTHING_WAITS;
  const { word, rest } = firstWord(argument);
  const meant = waiting.filter(({ id }) => id.startsWith(word.toLowerCase()));
  const [only] = meant;
  if (only === undefined)
    return [`Nothing that waits has an id like ${word}.`, ...waitingList(waiting, said)].join('\n');
  if (meant.length > 1) return waitingList(meant, said).join('\n');
  return say(only, rest);
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
