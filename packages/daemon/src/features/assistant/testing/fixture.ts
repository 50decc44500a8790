// Test fixture: the assistant on a real database with the scripted model. Router, gate, jobs and schedules are those of
// the daemon.
import { randomUUID } from 'node:crypto';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { AssistantEvent } from '@relay/contract/api/assistant';
import type { ChatId, ContactId, MessageId, SessionId } from '@relay/contract/ids';
import { type Settings, settingsSchema } from '@relay/contract/settings';
import { phoneAlias } from '@relay/core/contacts/alias';
import type { Grant } from '@relay/core/contacts/grants';
import type { RuleInput } from '@relay/simulator/model/schemas';
import { startModelServer } from '@relay/simulator/model/server';
import { freshDaemonHarness, newPhone } from '@relay/testing/daemon-harness';
import type { ScriptedTransport } from '@relay/testing/scripted-transport';
import { eventually } from '@relay/testing/store';
import { afterAll } from 'vitest';
import { fastClock } from '../../../models/agent/testing/scripted.ts';
import { combineOnRelease } from '../../../pipeline/gate/approvals.ts';
import { createHoldService } from '../../../pipeline/gate/hold.ts';
import { findOrMakeOwnerChat } from '../../../pipeline/gate/owner-notices.ts';
import { onRoute } from '../../../pipeline/router/router.ts';
import { findOrMakeChats } from '../../../platform/db/chats.ts';
import { resolveSightings } from '../../../platform/db/contacts.ts';
import { createDigestService } from '../../observer/digest/service.ts';
import { openSchedules } from '../../schedules/feature.ts';
import { cancelSchedule, scheduleForAgent } from '../../schedules/service.ts';
import type { MessageHit } from '../../search/search.ts';
import type { AssistantDeps } from '../deps.ts';
import { openAssistant } from '../feature.ts';

export const OWN = '15550000000';
export const OWN_ID = `${OWN}@s.whatsapp.net`;

export const ALL: Grant = { canRead: true, canReply: true, replyMode: 'auto', canInitiate: false };
export const READ: Grant = { ...ALL, canReply: false };
export const WRITE: Grant = { ...ALL, canRead: false };

export interface Contact {
  readonly chat: ChatId;
  readonly contact: ContactId;
  /** Digits. */
  readonly phone: string;
  /** As get_chats returns it. */
  readonly id: string;
  readonly name: string;
}

/** Properties of a message besides its text. */
interface Content {
  readonly kind?: string;
  readonly forwarded?: boolean;
  /** The emoji of a reaction, and the message it is on. */
  readonly reaction?: { readonly emoji: string; readonly on: string };
}

export type AssistantFixture = Awaited<ReturnType<typeof openAssistantFixture>>;

export interface AssistantFixtureOptions {
  /** False: only the test runs jobs, with `work`. */
  readonly work?: boolean;
  /** Checks whether numbers are registered; without it none is. */
  readonly network?: ScriptedTransport;
  readonly now?: () => Date;
  readonly readPhoto?: AssistantDeps['readPhoto'];
}

export async function openAssistantFixture(options: AssistantFixtureOptions = {}) {
  const { network, now, readPhoto } = options;
  const harness = await freshDaemonHarness(afterAll, {
    ...(network === undefined ? {} : { network }),
    ...(now === undefined ? {} : { now }),
  });
  const model = await startModelServer();
  afterAll(() => model.close());
  const { sql, account, database, conversations } = harness;
  await sql(`UPDATE accounts SET phone = $2, lid = '900000001' WHERE id = $1`, [account, OWN]);
  const settings: { -readonly [Key in keyof Settings]: Settings[Key] } = settingsSchema.parse({
    // More than a minute on the fast clock, so that a slow machine does not fail the test.
    agent: { tool_timeout_ms: 3_000_000, call_timeout_ms: 3_000_000, turn_timeout_ms: 9_000_000 },
  });
  const scheduling = { ...conversations, settings, zone: 'Africa/Cairo' };
  const schedules = openSchedules(scheduling);
  const found: MessageHit[] = [];
  let connected = true;
  let order: string[] = [];
  const gated = { ...conversations, onChange: () => conversations.events.hint() };
  const hold = createHoldService({
    ...gated,
    onRelease: combineOnRelease((tx) => assistant.onRelease(tx)),
  });
  const engine: Omit<AssistantDeps, 'turns'> = {
    ...conversations,
    settings,
    models: {
      open: async () => {
        order.push('model');
        const openai = createOpenAICompatible({
          name: 'scripted',
          baseURL: `${model.url}/v1`,
          includeUsage: true,
        });
        return { model: openai.chatModel('m'), provider: 'scripted', name: 'm', vision: true };
      },
    },
    clock: fastClock(),
    zone: 'Africa/Cairo',
    search: {
      caughtUp: async () => void order.push('indexed'),
      retrieve: async () => {
        order.push('retrieved');
        return found;
      },
      search: async () => found,
    },
    schedules: {
      add: (...asked) => scheduleForAgent(scheduling, ...asked),
      list: () => schedules.service.list('active'),
      cancel: (...asked) => cancelSchedule(scheduling, ...asked),
    },
    digests: createDigestService({
      db: database.kysely,
      account,
      now: conversations.now,
      zone: 'Africa/Cairo',
      dailyAt: '04:00',
    }),
    webSearch: { tools: async () => [] },
    services: {
      approvals: harness.approvals,
      hold,
      conversations: harness.service,
      schedules: schedules.service,
      status: () => Promise.reject(new Error('nobody asks')),
    },
    connected: () => connected,
    ...(readPhoto === undefined ? {} : { readPhoto }),
  };
  const assistant = openAssistant(engine);
  if (options.work !== false) harness.jobs.work('assistant', 4, assistant.onQuestion);

  const inTransaction = database.kysely.transaction();
  const own = await inTransaction.execute((tx) => findOrMakeOwnerChat(tx, account));
  if (own === null) throw new Error('no phone is linked');

  async function contact(name: string, grant: Grant | null = ALL): Promise<Contact> {
    const alias = phoneAlias(newPhone());
    if (alias === null) throw new Error('not a number');
    const made = await database.kysely.transaction().execute(async (tx) => {
      const contacts = await resolveSightings(tx, account, [[alias]]);
      const { byContact } = await findOrMakeChats(tx, account, { contacts, groups: [] });
      const [entry] = byContact;
      if (entry === undefined) throw new Error('nobody');
      return { contact: entry[0] as ContactId, chat: entry[1] };
    });
    if (grant !== null) await granting(made.contact, grant, name);
    return { ...made, name, phone: alias.value, id: `${alias.value}@s.whatsapp.net` };
  }

  async function granting(id: ContactId, grant: Grant, name: string): Promise<void> {
    await sql('DELETE FROM grants WHERE contact_id = $1', [id]);
    await sql(
      `INSERT INTO grants (account_id, contact_id, display_name, can_read, can_reply, can_initiate, reply_mode)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [account, id, name, grant.canRead, grant.canReply, grant.canInitiate, grant.replyMode],
    );
  }

  /** Stores a message as intake does; returns the data of its route job. */
  async function store(
    chat: ChatId,
    sender: ContactId | null,
    body: string,
    at = new Date(),
    { reaction, forwarded = false, ...content }: Content = {},
  ) {
    const kind = content.kind ?? (reaction === undefined ? 'conversation' : 'reactionMessage');
    const details = {
      ...(forwarded ? { forwarded } : {}),
      ...(reaction === undefined ? {} : { words: reaction.emoji }),
    };
    const id = randomUUID() as unknown as MessageId;
    await sql('SELECT ensure_message_month($1)', [at]);
    const [stored] = await sql<{ id: number }>(
      `INSERT INTO messages (account_id, sent_at, chat_id, sender_id, from_me, message_id, kind, body, details, quoted_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`,
      [
        account,
        at,
        chat,
        sender,
        sender === null,
        id,
        kind,
        body,
        Object.keys(details).length === 0 ? null : details,
        reaction?.on ?? null,
      ],
    );
    await sql(
      `INSERT INTO message_keys (account_id, chat_id, sender, message_id, id, sent_at)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [account, chat, sender ?? OWN, id, stored?.id, at],
    );
    await sql('UPDATE chats SET last_message_at = $2 WHERE id = $1', [chat, at]);
    return { account, message: stored?.id ?? 0, sentAt: at.toISOString() };
  }

  /** Marks the pending messages to the owner's chat as sent. */
  const arrived = () =>
    sql(
      `UPDATE outbox SET state = 'sent', sent_at = now() WHERE state = 'pending' AND chat_id = $1`,
      [own],
    );

  /** The owner types in their own chat. Without a time: after all messages to them have arrived. */
  async function types(text: string, at?: Date, content: Content = {}): Promise<void> {
    await arrived();
    const data = await store(own as ChatId, null, text, at, content);
    await onRoute(conversations)({ data, complete: async () => {} });
  }

  const lines = () =>
    sql<{ id: number; role: string; content: string; waiting: boolean; command: boolean }>(
      `SELECT m.id, m.role, m.content, m.waiting, m.command FROM session_messages m JOIN sessions s ON s.id = m.session_id
       WHERE s.kind = 'assistant' ORDER BY m.id`,
    );

  /** Types, and returns the answer. */
  async function asks(text: string, at?: Date, content: Content = {}): Promise<string> {
    const before = (await lines()).filter(({ role }) => role === 'assistant').length;
    await types(text, at, content);
    const answers = async () => (await lines()).filter(({ role }) => role === 'assistant');
    await eventually(async () => (await answers()).length > before);
    return (await answers()).at(-1)?.content ?? '';
  }

  /** Asks in a chat on the computer; returns all events. */
  async function chats(text: string, signal = new AbortController().signal) {
    const events: AssistantEvent[] = [];
    const heard = (event: AssistantEvent) => void events.push(event);
    const over = assistant.service.ask({ session: 'owner', channel: 'chat', text }, heard, signal);
    return { events, over };
  }

  /** Runs the job of the oldest waiting line; true when it was completed. */
  async function work(signal = new AbortController().signal): Promise<boolean> {
    const [line] = await sql<{ id: number; session_id: SessionId }>(
      'SELECT id, session_id FROM session_messages WHERE waiting ORDER BY id LIMIT 1',
    );
    if (line === undefined) throw new Error('nothing waits');
    let settled = false;
    const data = { account, subject: line.session_id, line: Number(line.id) };
    const complete = async () => {
      settled = true;
    };
    await assistant.onQuestion({ id: 'job', attempt: 1, data, complete }, signal);
    return settled;
  }

  const calls = () =>
    model
      .calls()
      .filter(({ path }) => path === '/v1/chat/completions')
      .map(({ body }) => body as WireRequest);

  return {
    ...harness,
    settings,
    schedules,
    found,
    order: () => order.splice(0),
    model,
    assistant,
    engine,
    own,
    contact,
    granting,
    store,
    types,
    asks,
    chats,
    work,
    lines,
    connect: (on: boolean) => {
      connected = on;
    },
    /** The newest matching rule wins. */
    script: (...rules: RuleInput[]) => model.rules(rules),
    /** Forgets the model's calls so far. */
    forgetCalls: async () => {
      await fetch(`${model.url}/control/calls`, { method: 'DELETE' });
      order = [];
    },
    calls,
    lastCall: () => calls().at(-1),
    /** The tool results in the last request, parsed. */
    results: () =>
      (calls().at(-1)?.messages ?? [])
        .filter(({ role }) => role === 'tool')
        .map(({ content }) => JSON.parse(String(content)) as Record<string, unknown>),
    grantOf: async ({ contact }: Contact) =>
      (
        await sql<{ can_read: boolean; can_reply: boolean; display_name: string }>(
          'SELECT can_read, can_reply, display_name FROM grants WHERE contact_id = $1',
          [contact],
        )
      )[0],
    /** The outbox in order: chat and text. */
    sent: async () =>
      (
        await sql<{ chat_id: string; body: string }>(
          'SELECT chat_id, body FROM outbox ORDER BY seq',
        )
      ).map(({ chat_id, body }) => ({ chat: chat_id, body })),
  };
}

export interface WireRequest {
  readonly messages: readonly { role: string; content?: unknown }[];
  readonly tools?: readonly {
    function: { name: string; description: string; parameters: object };
  }[];
}

export const calling = (name: string, args: object = {}): RuleInput['reply'] => ({
  tool_calls: [{ name, arguments: args as Record<string, unknown> }],
});
