// Test fixture: auto-reply on a real database with a scripted model. Router, gate and jobs are those of the daemon.
import { randomUUID } from 'node:crypto';
import type { GrantOptions } from '@relay/contract/contacts/grant-options';
import type { ChatId, ContactId, MessageId, SessionId } from '@relay/contract/ids';
import { type Settings, settingsSchema } from '@relay/contract/settings';
import { phoneAlias } from '@relay/core/contacts/alias';
import type { Grant } from '@relay/core/contacts/grants';
import type { ComposeReply, ReplyContext, ReplyHooks } from '@relay/core/ports/agent-turn';
import {
  type DaemonHarnessOptions,
  freshDaemonHarness,
  newPhone,
} from '@relay/testing/daemon-harness';
import { eventually } from '@relay/testing/store';
import { createHoldService } from '../../../pipeline/gate/hold.ts';
import { onRoute } from '../../../pipeline/router/router.ts';
import { findOrMakeChats } from '../../../platform/db/chats.ts';
import { resolveSightings } from '../../../platform/db/contacts.ts';
import { openAutoReply } from '../feature.ts';
import type { AutoReplyDeps } from '../settle.ts';

type Model = (context: ReplyContext, hooks: ReplyHooks) => string | Promise<string>;

export interface Contact {
  readonly chat: ChatId;
  readonly contact: ContactId;
  readonly phone: string;
}

export const MAY: Grant = { canRead: true, canReply: true, replyMode: 'auto', canInitiate: false };

export async function openAutoReplyFixture(options: DaemonHarnessOptions = {}) {
  const harness = await freshDaemonHarness(undefined, options);
  const settings: { -readonly [Key in keyof Settings]: Settings[Key] } = settingsSchema.parse({});
  const engine: AutoReplyDeps = { ...harness.conversations, settings, zone: 'UTC' };
  const autoReply = openAutoReply(engine);
  const asked: ReplyContext[] = [];
  let act: Model = ({ lines }) => `Re: ${lines.at(-1)?.content ?? ''}`;
  const compose: ComposeReply = async (context, hooks) => {
    asked.push(context);
    return act(context, hooks);
  };
  await autoReply.start(compose);
  const { sql, account, database } = harness;
  const holding = createHoldService({
    ...engine,
    onRelease: autoReply.onRelease,
    onChange: () => engine.events.hint(),
  });

  async function contact(
    {
      grant = MAY,
      options: chosen = {},
      name = 'Mom',
    }: {
      grant?: Grant | null;
      options?: GrantOptions;
      name?: string;
    } = {},
    phone = newPhone(),
  ): Promise<Contact> {
    const alias = phoneAlias(phone);
    if (alias === null) throw new Error('not a number');
    const made = await database.kysely.transaction().execute(async (tx) => {
      const contacts = await resolveSightings(tx, account, [[alias]]);
      const { byContact } = await findOrMakeChats(tx, account, { contacts, groups: [] });
      const [entry] = byContact;
      if (entry === undefined) throw new Error('nobody');
      return { contact: entry[0] as ContactId, chat: entry[1], phone };
    });
    if (grant !== null) await granting(made, grant, chosen, name);
    return made;
  }

  async function granting(
    { contact: id }: Contact,
    grant: Grant,
    chosen: GrantOptions = {},
    name = 'Mom',
  ): Promise<void> {
    await sql('DELETE FROM grants WHERE contact_id = $1', [id]);
    await sql(
      `INSERT INTO grants (account_id, contact_id, display_name, can_read, can_reply, can_initiate, reply_mode, options)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        account,
        id,
        name,
        grant.canRead,
        grant.canReply,
        grant.canInitiate,
        grant.replyMode,
        JSON.stringify(chosen),
      ],
    );
  }

  /** Stores and routes a message; returns its id. */
  async function writes(
    { chat, contact: sender }: Contact,
    body: string,
    at: Date = harness.conversations.now(),
  ): Promise<MessageId> {
    const id = randomUUID() as unknown as MessageId;
    await sql('SELECT ensure_message_month($1)', [at]);
    const stored = await sql<{ id: number }>(
      `INSERT INTO messages (account_id, sent_at, chat_id, sender_id, from_me, message_id, kind, body)
       VALUES ($1, $2, $3, $4, false, $5, 'conversation', $6) RETURNING id`,
      [account, at, chat, sender, id, body],
    );
    await sql(
      `INSERT INTO message_keys (account_id, chat_id, sender, message_id, id, sent_at)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [account, chat, sender, id, stored[0]?.id, at],
    );
    await onRoute(harness.conversations)({
      data: { account, message: stored[0]?.id ?? 0, sentAt: at.toISOString() },
      complete: async () => {},
    });
    return id;
  }

  const session = async ({ contact: key }: Contact) =>
    (
      await sql<{ id: SessionId; title: string; resting_until: Date | null; rests: number }>(
        `SELECT id, title, resting_until, rests FROM sessions WHERE kind = 'auto_reply' AND key = $1`,
        [key],
      )
    )[0];

  return {
    ...harness,
    settings,
    hold: () => holding.hold('test'),
    release: () => holding.release(),
    engine,
    autoReply,
    compose,
    asked,
    contact,
    granting,
    writes,
    session,
    model: (next: Model) => {
      act = next;
    },
    /** As `role: content`, each answer after the line it answers. */
    said: async (of: Contact) =>
      (
        await sql<{ line: string }>(
          `SELECT role || ': ' || content AS line FROM session_messages m JOIN sessions s ON s.id = m.session_id
           WHERE s.key = $1 ORDER BY coalesce(answers, m.id), m.id`,
          [of.contact],
        )
      ).map(({ line }) => line),
    /** The messages that the gate allowed to this contact, in order. */
    sent: async ({ chat }: Contact) =>
      (
        await sql<{ body: string }>('SELECT body FROM outbox WHERE chat_id = $1 ORDER BY seq', [
          chat,
        ])
      ).map(({ body }) => body),
    /** The ledger's decisions on answering a message. */
    decided: async (id: MessageId) =>
      (
        await sql<{ said: string }>(
          `SELECT outcome || ': ' || reason AS said FROM ledger
           WHERE action = 'answer_message' AND subject_id = $1 ORDER BY seq`,
          [id],
        )
      ).map(({ said }) => said),
    /** Waits until nothing is due and nothing runs. */
    rest: () =>
      eventually(async () => {
        await sql("UPDATE relay_jobs.job SET start_after = now() WHERE state = 'retry'");
        harness.jobs.wake('auto_reply');
        const open = await sql(
          `SELECT 1 FROM relay_jobs.job WHERE name = 'auto_reply' AND state < 'completed'
           UNION ALL SELECT 1 FROM timers WHERE kind = 'auto_reply' AND due_at <= $1 LIMIT 1`,
          [harness.conversations.now()],
        );
        return open.length === 0;
      }),
  };
}
