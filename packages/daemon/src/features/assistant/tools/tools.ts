// The eleven tools of the owner's assistant: seed 001's seven and seed 000's four. They are created for one turn, and
// only while WhatsApp is connected; no session of a contact ever has one of them.

import { boundedText } from '@relay/contract/api/common';
import {
  contentFields,
  contentProblem,
  type OutgoingContent,
  readContentFields,
} from '@relay/contract/api/outgoing';
import { type ApprovalId, type ChatId, scheduleId } from '@relay/contract/ids';
import { WEEKDAYS } from '@relay/contract/schedule/names';
import { phoneAlias } from '@relay/core/contacts/alias';
import type { Grant } from '@relay/core/contacts/grants';
import { withContent } from '@relay/core/messages/outgoing';
import { signText } from '@relay/core/messages/text';
import { UNTAINTED } from '@relay/core/policy/facts';
import { z } from 'zod';
import { type AgentTool, defineAgentTool } from '../../../models/agent/tools.ts';
import { resolveContent } from '../../../pipeline/gate/outgoing-request.ts';
import { resolveSightings } from '../../../platform/db/contacts.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import {
  findPermittedChat,
  listPermittedChats,
  type PermittedChat,
} from '../../../platform/db/grants.ts';
import type { MediaRow } from '../../../platform/db/media.ts';
import { taintOfAuthors } from '../../../platform/db/runs.ts';
import { lookupTools } from './lookup-tools.ts';
import { findOrMakeRecipientChat, resolveToolRecipient } from './recipients.ts';
import {
  CONFIRM_TIMEOUT_MS,
  type GatedAction,
  performGatedAction,
  type RefusedAction,
  recordToolCall,
  type ToolOutput,
  type ToolRun,
  toolError,
  toShortId,
  toToolResult,
} from './tool-run.ts';

export const assistantTools = (run: ToolRun): AgentTool[] => [
  ...lookupTools(run),
  ...sendTools(run),
  ...scheduleTools(run),
  ...permissionTools(run),
];

// Send tools: seed 001's `send_message` and seed 000's `whatsapp_send_message`. Both send plain text through the gate
// to one recipient with a permission record.

const MAX_MESSAGE_CHARACTERS = 4_096;
const MOST_NAMES = 1_000;
/** Leaves time for the owner's answer. */
const confirmTimeout = (run: ToolRun) =>
  run.confirm === null ? {} : { timeoutMs: CONFIRM_TIMEOUT_MS + 15_000 };

const { media, reaction, edit, delete: deleted, poll, location } = contentFields;
const CONTENT_INPUT = {
  media: media.describe(
    'Instead of a message: a file, by the id of the media of a message that you have seen, or that your owner gave.',
  ),
  reaction: reaction.describe('Instead of a message: an emoji on a message; empty takes it back.'),
  edit: edit.describe('The message replaces the text of this one, which you sent.'),
  delete: deleted.describe('Instead of a message: deletes one that you sent, for everyone.'),
  poll: poll.describe('Instead of a message: a poll.'),
  location: location.describe('Instead of a message: a place.'),
};

/** The assistant may send what its owner uploaded, and files of chats that it may read. */
function contentLookup(run: ToolRun, tx: Transaction, chat: ChatId) {
  const { account } = run;
  const sees = async ({ chat_id, token_id }: Pick<MediaRow, 'chat_id' | 'token_id'>) => {
    if (chat_id === null) return token_id === null;
    const known = await listPermittedChats(tx, account, run.deps.admins, MOST_NAMES);
    return known.some((one) => one.chat === chat_id && (one.canRead || one.kind === 'own'));
  };
  return { account, chat, sees };
}

const SEND_SCHEMAS = {
  send_message: z.strictObject({
    phone_number: z
      .string()
      .max(128)
      .describe('The id of the chat as get_chats gives it, or a number in international format.'),
    message: boundedText(MAX_MESSAGE_CHARACTERS)
      .optional()
      .describe('The text, exactly as it will be read.'),
    ...CONTENT_INPUT,
  }),
  whatsapp_send_message: z.strictObject({
    phone: z.string().max(64).describe('International format, digits only, such as "14155551234".'),
    message: boundedText(MAX_MESSAGE_CHARACTERS).describe('The text to send.'),
  }),
};

const sendTools = (run: ToolRun): AgentTool[] => [
  defineAgentTool({
    name: 'send_message',
    description:
      'Sends a WhatsApp message to one chat at once: a text, or a file, reaction, poll or place instead. Look the chat up with get_chats first; never guess a number.',
    schema: SEND_SCHEMAS.send_message,
    ...confirmTimeout(run),
    run: (input, signal, id) =>
      performGatedAction(
        run,
        { id, name: 'send_message', arguments: input },
        signal,
        async (tx) => {
          const { phone_number, message: given, ...fields } = input;
          const problem = contentProblem({ text: given, ...fields });
          if (problem !== null) return { output: toolError(problem) };
          const to = await resolveToolRecipient(run, tx, phone_number);
          if ('refused' in to) return { output: to.refused };
          const chat = await findOrMakeRecipientChat(run, tx, to);
          const { text, content } = readContentFields({ text: given, ...fields });
          return sendAction(run, to, {
            chat,
            text,
            ...(await resolveContent(tx, contentLookup(run, tx, chat), content)),
            resultWhenDone: () => ({ status: 'sent', to: to.address }),
            resultWhenPending: (approval, why) => ({
              status: 'waiting_for_approval',
              to: to.address,
              approval_id: approval,
              note: notSentSentence(approval, why),
            }),
          });
        },
      ),
  }),
  defineAgentTool({
    name: 'whatsapp_send_message',
    description:
      'Sends a WhatsApp message to a contact with canReply. Always confirm with the user before sending.',
    schema: SEND_SCHEMAS.whatsapp_send_message,
    ...confirmTimeout(run),
    run: (input, signal, id) =>
      performGatedAction(
        run,
        { id, name: 'whatsapp_send_message', arguments: input },
        signal,
        async (tx) => {
          const to = await resolveToolRecipient(run, tx, input.phone);
          if ('refused' in to) return { output: to.refused };
          return sendAction(run, to, {
            chat: await findOrMakeRecipientChat(run, tx, to),
            text: input.message,
            resultWhenDone: () => ({ success: true, jid: to.address }),
            resultWhenPending: (approval, why) =>
              toolError(notSentSentence(approval, why), { approval_id: approval }),
          });
        },
      ),
  }),
];

const notSentSentence = (approval: string, why: string): string =>
  `Not sent: it waits for your owner's yes, who says it with /approve ${toShortId(approval)}. ${why}`;

interface MessageToSubmit {
  readonly chat: NonNullable<PermittedChat['chat']>;
  readonly text: string;
  readonly content?: OutgoingContent;
  resultWhenDone(): ToolOutput;
  resultWhenPending: GatedAction['resultWhenPending'];
}

function sendAction(
  run: ToolRun,
  to: PermittedChat,
  { chat, text, content, resultWhenDone, resultWhenPending }: MessageToSubmit,
): GatedAction {
  const { gate } = run.deps;
  const said = withContent(text, content);
  const quoted = `"${said.length > 80 ? `${said.slice(0, 79)}…` : said}" to ${to.name}`;
  // In the owner's own chat the text is signed, so that it is never taken for the owner's words, even after a restore.
  const words = to.kind === 'own' && text !== '' ? signText(text) : text;
  const what = content === undefined ? {} : { content };
  return {
    doneText: `sent ${quoted}`,
    proposedText: `send ${quoted}`,
    submit: (tx, context) =>
      gate.submit(tx, run.actor, { kind: 'send_message', chat, text: words, ...what }, context),
    resultWhenDone,
    resultWhenPending,
  };
}

// Schedule tools: seed 001's three, on the schedules provided at composition.

const SCHEDULE_SCHEMAS = {
  schedule_message: z.strictObject({
    phone_number: z
      .string()
      .max(128)
      .describe(
        "The id of the chat as get_chats gives it; for a reminder, the id of your owner's own chat.",
      ),
    message: boundedText(4_096).describe('The text, exactly as it will be read then.'),
    time: z.string().max(5).describe('HH:MM on the clock of your owner, such as "09:00".'),
    pattern: z
      .enum(['once', 'daily', 'weekly', 'cron'])
      .default('once')
      .describe('How it repeats (default: "once").'),
    date: z
      .string()
      .max(10)
      .optional()
      .describe(
        'With "once": YYYY-MM-DD. Without it, the next time that the clock shows the time.',
      ),
    days: z
      .array(z.enum(WEEKDAYS))
      .optional()
      .describe('With "weekly": on which days. Without it, the day on which the time comes next.'),
    cron: z.string().max(120).optional().describe('With "cron": the five fields.'),
  }),
  list_scheduled_tasks: z.strictObject({}),
  cancel_scheduled_task: z.strictObject({
    task_id: z.guid().describe('As list_scheduled_tasks gives it.'),
  }),
};

const scheduleTools = (run: ToolRun): AgentTool[] => [
  defineAgentTool({
    name: 'schedule_message',
    description:
      'Schedules a WhatsApp message, once or repeating. "Remind me" means your owner\'s own chat.',
    schema: SCHEDULE_SCHEMAS.schedule_message,
    ...confirmTimeout(run),
    run: (input, signal, id) =>
      performGatedAction(
        run,
        { id, name: 'schedule_message', arguments: input },
        signal,
        async (tx) => {
          const { phone_number, message: text, time, pattern, date, days, cron } = input;
          const to = await resolveToolRecipient(run, tx, phone_number);
          if ('refused' in to) return { output: to.refused };
          const chat = await findOrMakeRecipientChat(run, tx, to);
          const wanted = {
            chat,
            text,
            time,
            pattern,
            ...(date && { date }),
            ...(days && { days }),
            ...(cron && { cron }),
          };
          const what = `a message to ${to.name} (${pattern} ${time})`;
          let when = {};
          let task: string | null = null;
          return {
            doneText: `scheduled ${what}`,
            proposedText: `schedule ${what}`,
            submit: async (tx, context) => {
              const { schedules } = run.deps;
              const added = await schedules.add(tx, run.actor, wanted, context);
              task = added.id;
              when = { to: to.address, when: added.words, next: added.next.toISOString() };
              return added;
            },
            resultWhenDone: async (approval) => ({
              status: 'scheduled',
              task_id: approval === null ? task : await findApprovedTask(run, approval),
              ...when,
            }),
            resultWhenPending: (approval, why) => ({
              status: 'waiting_for_approval',
              approval_id: approval,
              ...when,
              note: `Not scheduled: it waits for your owner's yes, who says it with /approve ${toShortId(approval)}. ${why}`,
            }),
          };
        },
      ),
  }),
  defineAgentTool({
    name: 'list_scheduled_tasks',
    description: 'Lists the messages that are scheduled.',
    schema: SCHEDULE_SCHEMAS.list_scheduled_tasks,
    run: async (input, _signal, id) => {
      const tasks = await run.deps.schedules.list();
      const call = { id, name: 'list_scheduled_tasks', arguments: input };
      const kept = { result: { tasks: tasks.length }, effect: null };
      const authors = tasks.map(({ created_by }) => created_by);
      const { names, from } = await run.write(async (tx) => {
        await recordToolCall(tx, run, call, kept);
        const from = await taintOfAuthors(tx, run.account, authors);
        const known = await listPermittedChats(tx, run.account, run.deps.admins, MOST_NAMES);
        const names = new Map(
          known.map(({ phone, address, name }) => [phone ? `+${phone}` : address, name]),
        );
        return { names, from };
      });
      const shown = tasks.map((task) => ({
        task_id: task.id,
        to: task.recipient,
        name: names.get(task.recipient ?? '') ?? null,
        message: task.text,
        when: task.words,
        next: task.next[0] ?? null,
      }));
      return toToolResult({ tasks: shown }, from);
    },
  }),
  defineAgentTool({
    name: 'cancel_scheduled_task',
    description: 'Cancels a scheduled message for good.',
    schema: SCHEDULE_SCHEMAS.cancel_scheduled_task,
    run: (input, signal, id) => {
      const { task_id } = input;
      const task = `the scheduled task ${toShortId(task_id)}`;
      return performGatedAction(
        run,
        { id, name: 'cancel_scheduled_task', arguments: input },
        signal,
        async () => ({
          doneText: `cancelled ${task}`,
          proposedText: `cancel ${task}`,
          submit: (tx, context) =>
            run.deps.schedules.cancel(tx, run.actor, scheduleId(task_id), context),
          resultWhenDone: () => ({ status: 'cancelled', task_id }),
          resultWhenPending: (approval, why) => ({
            status: 'waiting_for_approval',
            approval_id: approval,
            note: `Not cancelled: it waits for your owner's yes, who says it with /approve ${toShortId(approval)}. ${why}`,
          }),
        }),
      );
    },
  }),
];

/** The schedule that was created from an approval. */
async function findApprovedTask(
  { deps, account }: ToolRun,
  approval: ApprovalId,
): Promise<string | null> {
  const row = await deps.db
    .selectFrom('schedules')
    .select('id')
    .where('account_id', '=', account)
    .where('approval_id', '=', approval)
    .executeTakeFirst();
  return row?.id ?? null;
}

// Permission tools: seed 000's two. The model proposes a change; the gate allows a narrowing change at once and asks
// the owner about a widening one.

const ALL_PERMISSIONS = 100_000;

const PERMISSION_SCHEMAS = {
  whatsapp_manage_permission: z.strictObject({
    action: z.enum(['grant', 'update', 'revoke', 'remove']),
    phoneNumber: z.string().max(64).describe('Digits only.'),
    displayName: z
      .string()
      .trim()
      .max(100)
      .optional()
      .describe('Human label; required when action is "grant".'),
    canRead: z.boolean().optional().describe('Defaults to true on "grant".'),
    canReply: z.boolean().optional().describe('Defaults to false on "grant".'),
  }),
  whatsapp_list_permissions: z.strictObject({}),
};

type PermissionInput = z.output<typeof PERMISSION_SCHEMAS.whatsapp_manage_permission>;

const permissionTools = (run: ToolRun): AgentTool[] => [
  defineAgentTool({
    name: 'whatsapp_manage_permission',
    description:
      'Manages whom you may read and write to: "grant" creates a record, "update" changes one, "revoke" sets canRead and canReply to false, "remove" deletes it. What widens a permission waits for your owner\'s yes, and so does what narrows one after you have read the words of others.',
    schema: PERMISSION_SCHEMAS.whatsapp_manage_permission,
    ...confirmTimeout(run),
    run: (input, signal, id) =>
      performGatedAction(
        run,
        { id, name: 'whatsapp_manage_permission', arguments: input },
        signal,
        (tx) => preparePermissionChange(run, tx, input),
      ),
  }),
  defineAgentTool({
    name: 'whatsapp_list_permissions',
    description: 'Lists all permission records: phone number, name, canRead and canReply.',
    schema: PERMISSION_SCHEMAS.whatsapp_list_permissions,
    run: async (input, _signal, id) => {
      const permissions = await run.write(async (tx) => {
        const records = await permissionRecords(tx, run);
        const call = { id, name: 'whatsapp_list_permissions', arguments: input };
        await recordToolCall(tx, run, call, {
          result: { permissions: records.length },
          effect: null,
        });
        return records;
      });
      const shown = permissions.map(({ phone, name, canRead, canReply }) => ({
        phoneNumber: phone,
        displayName: name,
        canRead,
        canReply,
      }));
      return toToolResult({ permissions: shown }, UNTAINTED);
    },
  }),
];

/** Records of people, not groups, sorted by name. */
async function permissionRecords(tx: Transaction, run: ToolRun): Promise<PermittedChat[]> {
  const all = await listPermittedChats(tx, run.account, run.deps.admins, ALL_PERMISSIONS);
  return all.filter(({ kind }) => kind === 'direct').sort((a, b) => a.name.localeCompare(b.name));
}

async function preparePermissionChange(
  run: ToolRun,
  tx: Transaction,
  wanted: PermissionInput,
): Promise<GatedAction | RefusedAction> {
  const refuse = (error: string): RefusedAction => ({ output: toolError(error) });
  const alias = phoneAlias(wanted.phoneNumber);
  if (alias === null) return refuse('Invalid phone number');
  const before = await findPermittedChat(tx, run.account, run.deps.admins, { alias });
  if (before?.kind === 'own') return refuse('This is the own number of your owner.');
  if (before === null && wanted.action !== 'grant') return refuse('Permission not found');
  if (wanted.action === 'grant' && !wanted.displayName)
    return refuse('displayName is required to grant a permission');
  const named = wanted.displayName || null;
  const contact = before?.contact ?? (await resolveSightings(tx, run.account, [[alias]]))[0];
  if (contact === undefined) throw new Error('a number without a contact');
  return permissionAction(run, wanted, {
    of: { kind: 'contact', contact },
    displayName: named,
    grant: grantAfter(before, wanted),
    shown: `${named ?? before?.name ?? ''} (+${alias.value})`,
    phoneNumber: alias.value,
  });
}

interface PermissionChange {
  readonly of: {
    readonly kind: 'contact';
    readonly contact: NonNullable<PermittedChat['contact']>;
  };
  readonly displayName: string | null;
  readonly grant: Grant | null;
  readonly shown: string;
  readonly phoneNumber: string;
}

function permissionAction(
  run: ToolRun,
  { action }: PermissionInput,
  { of, displayName, grant, shown, phoneNumber }: PermissionChange,
): GatedAction {
  const [did, would] = PERMISSION_VERBS[action];
  return {
    doneText: `${did} ${shown}`,
    proposedText: `${would} ${shown}`,
    submit: (tx, context) =>
      run.deps.gate.submit(
        tx,
        run.actor,
        { kind: 'manage_grant', of, displayName, grant },
        context,
      ),
    resultWhenDone: () => ({ success: true, action, phoneNumber }),
    resultWhenPending: (approval, why) =>
      toolError(
        `Not done: it waits for your owner's yes, who says it with /approve ${toShortId(approval)}. ${why}`,
        { approval_id: approval },
      ),
  };
}

const PERMISSION_VERBS: Readonly<
  Record<PermissionInput['action'], readonly [did: string, would: string]>
> = {
  grant: ['granted a permission to', 'grant a permission to'],
  update: ['changed the permission of', 'change the permission of'],
  revoke: ['revoked the permission of', 'revoke the permission of'],
  remove: ['removed the permission of', 'remove the permission of'],
};

function grantAfter(
  before: PermittedChat | null,
  { action, canRead, canReply }: PermissionInput,
): Grant | null {
  const { replyMode = 'auto', canInitiate = false } = before ?? {};
  switch (action) {
    case 'grant':
      return { canRead: canRead ?? true, canReply: canReply ?? false, replyMode, canInitiate };
    case 'update':
      return {
        canRead: canRead ?? before?.canRead ?? false,
        canReply: canReply ?? before?.canReply ?? false,
        replyMode,
        canInitiate,
      };
    case 'revoke':
      return { canRead: false, canReply: false, replyMode, canInitiate: false };
    case 'remove':
      return null;
  }
}
