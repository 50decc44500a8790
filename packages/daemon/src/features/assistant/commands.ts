// Runs the owner's slash commands with the services that the `relay` command uses, and returns the answer as text. No
// model is involved and nothing waits for one; a refusal is also returned as an answer.
import type { Approval } from '@relay/contract/api/approvals';
import { RelayError } from '@relay/contract/errors';
import {
  type ApprovalId,
  approvalId,
  type ChatId,
  type InstanceId,
  instanceId,
  type SessionId,
} from '@relay/contract/ids';
import {
  parseSlashCommand,
  type SLASH_COMMANDS,
  type SlashCommand,
  slashCommandList,
  splitFirstWord,
} from '@relay/core/assistant/commands';
import { revealHidden } from '@relay/core/messages/text';
import { groupDayText } from '@relay/core/observer/digest/format';
import { isDayName } from '@relay/core/observer/digest/parse-day';
import { sql } from 'kysely';
import { listShownNotices, showNotice } from '../../pipeline/gate/owner-notices.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { FALLBACK_ANSWERS, isLate, UNEXPECTED_ERROR_SENTENCE } from './copy.ts';
import type { AssistantDeps } from './deps.ts';
import { appendSessionEvent } from './sql.ts';
import { toShortId } from './tools/tool-run.ts';

/** Where a command was given: the session, and on WhatsApp also the chat and the time. */
interface CommandSource {
  readonly session: SessionId;
  readonly chat: ChatId | null;
  readonly at: Date;
}

type CommandHandler = (
  deps: AssistantDeps,
  argument: string,
  said: CommandSource,
) => Promise<string>;

export async function runSlashCommand(
  deps: AssistantDeps,
  text: string,
  said: CommandSource,
): Promise<string> {
  const { name, word, argument }: SlashCommand = parseSlashCommand(text) ?? {
    name: null,
    word: '',
    argument: '',
  };
  if (name === null) return `There is no command /${word.slice(0, 30)}.\n${slashCommandList()}`;
  if (NOT_WHEN_LATE.has(name) && isLate(said.at, deps.now())) return FALLBACK_ANSWERS.saidLongAgo;
  try {
    return await COMMAND_HANDLERS[name](deps, argument, said);
  } catch (error) {
    if (error instanceof RelayError) return error.message;
    deps.log.error('command failed', { event: name, error });
    return UNEXPECTED_ERROR_SENTENCE;
  }
}

/**
 * Commands that let something happen. They are not run late, because the owner gave them without knowing what has
 * changed since.
 */
const NOT_WHEN_LATE: ReadonlySet<keyof typeof SLASH_COMMANDS> = new Set([
  'approve',
  'release',
  'resume',
  'schedule',
]);

const COMMAND_HANDLERS: Readonly<Record<keyof typeof SLASH_COMMANDS, CommandHandler>> = {
  help: async () => slashCommandList(),
  status,
  approve,
  reject: (deps, argument, said) =>
    answerQuestion(deps, argument, said, async ({ id }, why) => {
      const done = await deps.services.approvals.reject(approvalId(id), why || null);
      return `Declined: ${questionLine(done, said)}`;
    }),
  schedule,
  pause: (deps, argument) => withConversation(deps, argument, 'pause'),
  resume: (deps, argument) => withConversation(deps, argument, 'resume'),
  digest,
  stop: async (deps, _argument, { session }) =>
    deps.turns.stop(session) ? 'Stopping.' : 'Nothing is running.',
  hold: async ({ services }) => {
    await services.hold.hold('/hold');
    return 'Sending is on hold. End the hold with /release.';
  },
  release: async ({ services }) => {
    await services.hold.release();
    return 'Sending resumed.';
  },
  new: async (deps, _argument, { session }) => {
    await resetSession(deps, session);
    return 'New session. Earlier messages are not remembered.';
  },
};

/** Keeps the earlier lines but starts a new memory, without them and without their taint. */
export function resetSession(deps: AssistantDeps, session: SessionId): Promise<void> {
  const { account } = deps.lease;
  return transaction(deps, async ({ tx }) => {
    await sql`UPDATE sessions SET begins_after = coalesce((SELECT max(id) FROM session_messages
        WHERE account_id = ${account} AND session_id = ${session}), 0)
      WHERE account_id = ${account} AND id = ${session}`.execute(tx);
    await appendSessionEvent(tx, { account_id: account, id: session });
  });
}

/** `/digest`, `/digest holliday`, `/digest holliday friday`, `/digest yesterday`. */
async function digest({ digests }: AssistantDeps, argument: string): Promise<string> {
  const words = argument.split(/\s+/).filter((word) => word !== '');
  const last = words.at(-1) ?? '';
  const day = isDayName(last) ? last : undefined;
  const group = (day === undefined ? words : words.slice(0, -1)).join(' ');
  const found = await digests.digests({
    ...(group === '' ? {} : { group }),
    ...(day === undefined ? {} : { day }),
  });
  return found.digests.map((each) => groupDayText(each, { hours: false })).join('\n\n');
}

/**
 * On WhatsApp only an approval that Relay has shown there in full can be approved; otherwise it is shown now. Without
 * an id, the command applies only if exactly one notice is open.
 */
async function approve(
  deps: AssistantDeps,
  argument: string,
  said: CommandSource,
): Promise<string> {
  const { account } = deps.lease;
  const shown =
    said.chat === null ? null : await listShownNotices(deps.db, account, said.chat, said.at);
  if (argument === '' && shown?.size !== 1) {
    const waiting = await deps.services.approvals.list('pending');
    return waiting.length === 0 ? NO_APPROVALS : waitingList(waiting, said).join('\n');
  }
  const [only] = shown ?? [];
  return answerQuestion(deps, argument || (only ?? ''), said, async ({ id }) => {
    const question = approvalId(id);
    if (said.chat !== null && shown?.has(question) !== true) {
      return showFirst(deps, question, said.chat);
    }
    const done = await deps.services.approvals.approve(question);
    return `Approved: ${questionLine(done, said)}`;
  });
}

async function showFirst(deps: AssistantDeps, id: ApprovalId, chat: ChatId): Promise<string> {
  const { gate, lease } = deps;
  const isShown = await transaction(deps, ({ tx }) =>
    showNotice(tx, { gate, account: lease.account }, id, chat),
  );
  return isShown
    ? `You have not seen all of it here yet. Read it, then send /approve ${toShortId(id)}.`
    : 'It is too long to show here, so it cannot be approved here. Read and answer it in the console, or with `relay approvals`.';
}

const NO_APPROVALS = 'No pending approvals.';

async function status(
  { services }: AssistantDeps,
  _argument: string,
  said: CommandSource,
): Promise<string> {
  const now = await services.status();
  const waiting = await services.approvals.list('pending');
  return [
    now.whatsapp.sentence,
    now.hold ? 'Sending is on hold. End the hold with /release.' : now.sending.sentence,
    `Conversations: ${now.active_instance_count} of ${now.total_instance_count} open, ${now.needs_you_count} waiting for you.`,
    ...(waiting.length === 0 ? [NO_APPROVALS] : waitingList(waiting, said)),
  ].join('\n');
}

const MAX_LISTED = 10;

const waitingList = (waiting: readonly Approval[], said: CommandSource): string[] => [
  `Pending approvals (/approve id, /reject id):`,
  ...waiting
    .slice(0, MAX_LISTED)
    .map((each) => `${toShortId(each.id)}: ${questionLine(each, said)}`),
  ...(waiting.length > MAX_LISTED ? [`… and ${waiting.length - MAX_LISTED} more`] : []),
];

/**
 * On WhatsApp, the length of a long text is given instead of a shortened text, because a shortened text looks complete.
 */
const MAX_SHOWN_CHARACTERS = 300;

function questionLine(
  { kind, recipient, recipient_name, text, when }: Approval,
  { chat }: CommandSource,
): string {
  const name = recipient_name === null ? null : revealHidden(recipient_name.replace(/\s+/g, ' '));
  const whom = [name, recipient && `(${recipient})`].filter(Boolean).join(' ');
  const words =
    chat !== null && text.length > MAX_SHOWN_CHARACTERS
      ? `(${text.length} characters; send /approve with the id to read it)`
      : revealHidden(text);
  switch (kind) {
    case 'send_message':
      return `send to ${whom}: ${words}`;
    case 'schedule_message':
      return `schedule a message to ${whom}${when === null ? '' : `, ${when}`}: ${words}`;
    case 'cancel_schedule':
      return `cancel the scheduled message to ${whom}${when === null ? '' : `, ${when}`}: ${words}`;
    case 'create_conversation':
      return `start a conversation with ${whom}: ${words}`;
    case 'manage_grant':
      return `change the grant of ${whom}: ${words}`;
  }
}

/** Finds the approval by a prefix of its id; without one, the only pending approval. */
async function answerQuestion(
  { services }: AssistantDeps,
  argument: string,
  said: CommandSource,
  say: (question: Approval, rest: string) => Promise<string>,
): Promise<string> {
  const waiting = await services.approvals.list('pending');
  if (waiting.length === 0) return NO_APPROVALS;
  const { word, rest } = splitFirstWord(argument);
  const meant = waiting.filter(({ id }) => id.startsWith(word.toLowerCase()));
  const [only] = meant;
  if (only === undefined)
    return [`No approval id starts with ${word}.`, ...waitingList(waiting, said)].join('\n');
  if (meant.length > 1) return waitingList(meant, said).join('\n');
  return say(only, rest);
}

async function withConversation(
  { services: { conversations } }: AssistantDeps,
  argument: string,
  verb: 'pause' | 'resume',
): Promise<string> {
  const { word } = splitFirstWord(argument);
  const open = (await conversations.list({})).filter(({ state }) =>
    verb === 'pause' ? !OVER.includes(state) && state !== 'PAUSED' : RESUMABLE.includes(state),
  );
  const meant = open.filter(({ id }) => id.startsWith(word.toLowerCase()));
  const [only] = meant;
  if (only === undefined)
    return `There is no conversation to ${verb}${word && ` whose id starts with ${word}`}.`;
  if (meant.length > 1)
    return [
      `Several conversations match. Send /${verb} with one of these ids:`,
      ...meant
        .slice(0, MAX_LISTED)
        .map(
          ({ id, objective, target_contact }) =>
            `${toShortId(id)}: ${objective} (${target_contact})`,
        ),
    ].join('\n');
  const id: InstanceId = instanceId(only.id);
  await conversations[verb](id);
  return `${verb === 'pause' ? 'Paused' : 'Resumed'}: ${only.objective} (${only.target_contact})`;
}

const OVER: readonly string[] = ['COMPLETED', 'ABANDONED', 'FAILED'];
const RESUMABLE: readonly string[] = ['PAUSED', 'NEEDS_HUMAN_INTERVENTION'];

/**
 * `/schedule tomorrow 9:00: call the doctor` schedules a message to the owner; without an argument, lists the
 * schedules.
 */
async function schedule(
  { services: { schedules } }: AssistantDeps,
  argument: string,
): Promise<string> {
  if (argument === '') {
    const all = await schedules.list('active');
    if (all.length === 0) return 'No schedules.';
    return all
      .slice(0, MAX_LISTED)
      .map(
        ({ id, words, recipient_name, recipient, text }) =>
          `${toShortId(id)}: ${words}, to ${recipient_name ?? recipient ?? 'you'}: ${text}`,
      )
      .join('\n');
  }
  const [, when, text] = /^(.*?):\s+([\s\S]+)$/.exec(argument) ?? [];
  if (when === undefined || text === undefined)
    return 'Give the time and the text, such as: /schedule every weekday 9:00: stand-up';
  const { words } = await schedules.create({ to: 'me', when, text });
  return `Scheduled, ${words}: ${text}`;
}
