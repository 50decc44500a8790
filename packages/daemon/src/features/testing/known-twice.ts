// Test fixture for merges: contacts whom Relay knows by a number and by a LID, with the real outbox, router, schedules
// and auto-reply on one database. Agents and contacts write what the test wants; every text is unique.
import { randomUUID } from 'node:crypto';
import type { InstanceState } from '@relay/contract/conversation/states';
import {
  approvalId,
  type InstanceId,
  instanceId,
  type MessageId,
  runId,
  tokenId,
} from '@relay/contract/ids';
import { pacingSchema, settingsSchema } from '@relay/contract/settings';
import type { Grant } from '@relay/core/contacts/grants';
import { openDaemonHarness } from '@relay/testing/daemon-harness';
import { ScriptedTransport } from '@relay/testing/scripted-transport';
import { eventually, freshStore } from '@relay/testing/store';
import { afterAll } from 'vitest';
import { findOrMakeChat, sendAsOwner } from '../../pipeline/gate/send-as-owner.ts';
import { Intake } from '../../pipeline/intake/intake.ts';
import { incoming, openPlain, readJson, receive } from '../../pipeline/intake/testing/inbox.ts';
import { onRoute } from '../../pipeline/router/router.ts';
import { type KnownTwice, knownTwice } from '../../platform/db/testing/people.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { openAutoReply } from '../auto-reply/feature.ts';
import { startConversation } from '../conversations/create.ts';
import { submitSchedule } from '../schedules/service.ts';

export type Side = 'phone' | 'lid';
export const otherSide = (side: Side): Side => (side === 'phone' ? 'lid' : 'phone');
/**
 * What a contact writes: anything, a text that ends the conversation, or one that makes the agent say something
 * private.
 */
export type Words = 'hm' | 'yes' | 'secret';
/** What the agent sends first: one message, two, or one that needs an approval. */
export type First = 'one' | 'two' | 'secret';
/**
 * When something happens: while a message is routed, during an agent's turn, an automatic answer or a send, or after a
 * statement that returned one of the contact's rows.
 */
export type Middle = 'route' | 'turn' | 'answer' | 'send' | 'statement';

const ENDED: readonly InstanceState[] = ['COMPLETED', 'ABANDONED', 'FAILED'];
const MINUTE = 60_000;
const INTERVAL = 5 * MINUTE;
/** In minutes. */
export const DAY = 24 * 60;

export interface Person extends KnownTwice {
  /** Ids of the contacts. */
  readonly kept: string;
  readonly gone: string;
  isMerged: boolean;
  /** What they wrote, in order. */
  readonly written: {
    readonly id: MessageId;
    readonly body: string;
    readonly side: Side;
    readonly isAfterMerge: boolean;
    /** It arrived under both addresses. */
    isCopied: boolean;
    /** The sender had an open conversation, so the message must reach one. */
    readonly isAwaited: boolean;
  }[];
  readonly conversations: InstanceId[];
  /** Texts that the owner wants to send or will approve. */
  readonly wanted: string[];
  /** Whether `during` runs after statements about them. */
  isMidway: boolean;
  /** Called in the middle of an operation that concerns them. */
  during: (moment: Middle) => Promise<void>;
}

export async function freshMergeWorld() {
  const store = await freshStore();
  const { account, sql } = store;
  let time = Date.parse('2026-05-04T08:00:00Z');
  const now = () => new Date(time);
  const minuteIn = (minutes: number) =>
    new Date(time + minutes * MINUTE).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
  const transport = new ScriptedTransport();
  const pacing = pacingSchema.parse({ enabled: false });
  const people = new Set<Person>();
  const kysely = store.database.kysely.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      const awaiting = [...people].filter(({ isMidway }) => isMidway);
      const found = awaiting.length > 0 ? JSON.stringify(result.rows) : '';
      const theirs = awaiting.filter(
        ({ kept, gone }) => found.includes(kept) || found.includes(gone),
      );
      for (const one of theirs) await one.during('statement');
      return result;
    },
  });
  const harness = await openDaemonHarness(
    { ...store, database: { ...store.database, kysely } },
    { now, zone: 'UTC', sendsOver: { transport, pacing } },
  );
  afterAll(() => harness.close());
  const { conversations, jobs } = harness;
  const { db, lease } = conversations;
  const pauses = new Set<Promise<void>>();
  jobs.work('route', 4, async (job) => {
    await Promise.all(pauses);
    const [stored] = await sql<{ chat_id: string }>('SELECT chat_id FROM messages WHERE id = $1', [
      job.data.message,
    ]);
    if (stored !== undefined) await inChat(stored.chat_id, 'route');
    await onRoute(conversations)(job);
  });
  const reads = { unseal: openPlain, read: readJson };
  const intake = new Intake({ db, lease, jobs, ...reads, log: conversations.log });
  intake.start();
  afterAll(() => intake.stop());
  const settings = settingsSchema.parse({
    // The contacts in the test write faster than people do.
    auto_reply: { rapid_exchanges: 1_000, similar_exchanges: 1_000 },
  });
  const autoReply = openAutoReply({ ...conversations, settings });

  const inChat = async (chat: string, moment: Middle) => {
    const [of] = await sql<{ id: string }>('SELECT contact_id AS id FROM chats WHERE id = $1', [
      chat,
    ]);
    for (const one of people) {
      if (of?.id === one.kept || of?.id === one.gone) await one.during(moment);
    }
  };
  let texts = 0;
  const newText = (what: string) => `${what} ${++texts}.`;
  const firsts = new Map<string, First>();
  harness.agent(async ({ chat, objective, purpose, transcript }) => {
    await inChat(chat, 'turn');
    const heard = transcript.findLast(({ role }) => role === 'contact')?.content ?? '';
    const isOpening = purpose === 'first_message';
    const cue = isOpening ? firsts.get(objective) : purpose === 'reply' && heard.split(' ')[0];
    if (cue === 'yes') return { messages: [newText('Bye')], endReason: 'answered' };
    if (cue === 'two') return { messages: [newText('One'), newText('Two')] };
    const key = cue === 'secret' ? /KEY-\S+/.exec(objective)?.[0] : undefined;
    return { messages: [newText(key === undefined ? purpose : `The key is ${key}`)] };
  });
  await autoReply.start(async ({ chat }) => {
    await inChat(chat, 'answer');
    return newText('Answer');
  });

  let isHeld = false;
  /** Acknowledged by an answer or a receipt. */
  const acknowledged = new Set<MessageId>();
  const sentAgain: MessageId[] = [];
  let breaks: 'left and cut' | 'lost and cut' | null = null;
  transport.answer = ({ id }) => {
    if (acknowledged.has(id)) sentAgain.push(id);
    if (transport.link.state !== 'connected') return 'lost and cut';
    if (breaks === null) {
      acknowledged.add(id);
      return 'ack';
    }
    const answer = breaks;
    breaks = null;
    transport.become({ state: 'disconnected' });
    return answer;
  };
  const send = transport.send.bind(transport);
  transport.send = async (message) => {
    try {
      await send(message);
    } finally {
      for (const one of people) {
        if (message.chat === one.phone || message.chat === one.lid) await one.during('send');
      }
    }
  };

  const [{ id: token } = { id: '' }] = await sql<{ id: string }>(
    `INSERT INTO tokens (account_id, name, hash, scopes) VALUES ($1, 'a client', $2, $3) RETURNING id`,
    [account, Buffer.from(randomUUID()), ['conversations:write']],
  );
  const client = { kind: 'token', token: tokenId(token), scopes: [], contacts: null } as const;

  return {
    ...harness,
    transport,
    sentAgain,

    async meetPerson(keeps: Side, grant: Grant | null): Promise<Person> {
      const known = await knownTwice(store, lease, keeps);
      const contacts = await sql<{ id: string; kind: Side }>(
        'SELECT contact_id AS id, kind FROM contact_aliases WHERE value = ANY($1)',
        [[known.phone, known.lid].map((jid) => jid.split('@')[0])],
      );
      const { canRead, canReply, replyMode, canInitiate } = grant ?? {};
      await sql(
        `INSERT INTO grants (account_id, contact_id, display_name, can_read, can_reply, reply_mode, can_initiate)
         SELECT $1, id, 'Mom', $3, $4, $5, $6 FROM unnest($2::uuid[]) id WHERE $3::boolean IS NOT NULL`,
        [account, contacts.map(({ id }) => id), canRead, canReply, replyMode, canInitiate],
      );
      const idOf = (side: Side) => contacts.find(({ kind }) => kind === side)?.id ?? '';
      const person: Person = {
        ...known,
        kept: idOf(keeps),
        gone: idOf(otherSide(keeps)),
        isMerged: false,
        written: [],
        conversations: [],
        wanted: [],
        isMidway: false,
        during: async () => {},
      };
      people.add(person);
      return person;
    },
    /** Forgets all contacts and everything that was sent. */
    forgetPeople: () => {
      people.clear();
      transport.wire.length = 0;
      transport.asked.length = 0;
    },

    /** Starts a conversation: as the owner with the number, or as a client with the LID. */
    async converse(person: Person, side: Side, first: First): Promise<void> {
      const objective = `Sell the bicycle. The lock has the key KEY-${randomUUID()}`;
      firsts.set(objective, first);
      const request = {
        objective,
        target_contact: side === 'phone' ? `+${person.phone.split('@')[0]}` : person.lid,
        todos: [],
        heartbeat_config: { interval_ms: INTERVAL, max_followups: 1 },
      };
      const { conversation } = await transaction(conversations, (work) =>
        startConversation(
          conversations,
          work,
          request,
          side === 'phone' ? { kind: 'owner' } : client,
        ),
      );
      if (conversation !== null) person.conversations.push(instanceId(conversation.id));
    },
    async sendByHand(person: Person, side: Side): Promise<void> {
      const text = newText('Mine');
      const sending = sendAsOwner(conversations, { to: person[side], text });
      // Refused during a hold.
      if (await sending.catch(() => false)) person.wanted.push(text);
    },
    async scheduleByHand(person: Person, side: Side, minutes: number): Promise<void> {
      const text = newText('Later');
      const rule = { kind: 'once', at: minuteIn(minutes) } as const;
      const { service } = harness.schedules;
      await service.create({ to: person[side], text, rule, zone: 'UTC', catch_up: 'once' });
      person.wanted.push(text);
    },
    /** The assistant proposes a message, now or later, and asks the owner. */
    async propose(person: Person, side: Side, what: 'send' | 'schedule'): Promise<void> {
      const actor = { kind: 'assistant', run: runId(randomUUID()) } as const;
      const text = newText('Proposed');
      const { approval } = await transaction(conversations, async ({ tx }) => {
        const chat = await findOrMakeChat(tx, account, person[side]);
        const context = { needsConfirmation: true };
        if (what === 'send') {
          const message = { kind: 'send_message', chat, text } as const;
          return conversations.gate.submit(tx, actor, message, context);
        }
        // Late enough to be approved first.
        const rule = { kind: 'once', at: minuteIn(DAY) } as const;
        const later = { chat, text, rule, zone: 'UTC', catchUp: 'once' } as const;
        return submitSchedule(conversations, tx, actor, later, context);
      });
      if (approval !== null) person.wanted.push(text);
    },
    /** Approves everything pending; what a hold or a merge refuses at that moment is approved later. */
    async approveAll({ kept, gone }: Person): Promise<void> {
      const waiting = await sql<{ id: string }>(
        `SELECT a.id FROM approvals a JOIN chats c ON c.id::text = a.intent->>'chat'
         WHERE a.state = 'pending' AND c.contact_id IN ($1, $2) ORDER BY a.created_at`,
        [kept, gone],
      );
      for (const { id } of waiting) await harness.approvals.approve(approvalId(id)).catch(() => {});
    },
    /** `reveals`: the message shows that both addresses are one contact. */
    async receive(person: Person, side: Side, words: Words, reveals = false): Promise<void> {
      const body = `${words} ${++texts}`;
      const alsoKnownAs = reveals ? [person[otherSide(side)]] : [];
      const message = incoming({ chat: person[side], body, sentAt: now(), alsoKnownAs });
      const awaiting = await sql(
        `SELECT FROM instances i JOIN contact_aliases a USING (account_id, contact_id)
         WHERE a.kind = $1 AND a.value = $2 AND i.state <> ALL($3) AND i.state <> 'QUEUED'
           AND i.previous_state IS DISTINCT FROM 'QUEUED'`,
        [side, person[side].split('@')[0], ENDED],
      );
      const isAwaited = awaiting.length > 0;
      const { isMerged: isAfterMerge } = person;
      person.written.push({
        id: message.id,
        body,
        side,
        isAfterMerge,
        isCopied: false,
        isAwaited,
      });
      await receive(store, account, [message]);
      await intake.waitUntilEmpty();
    },
    /** Messages are stored but not routed until the returned function is called. */
    pauseRouting: (): (() => void) => {
      const pause = Promise.withResolvers<void>();
      pauses.add(pause.promise);
      return () => {
        pauses.delete(pause.promise);
        pause.resolve();
      };
    },
    /** Their last message arrives again, under the other address. */
    async receiveCopy(person: Person): Promise<void> {
      const last = person.written.at(-1);
      if (last === undefined) return;
      last.isCopied = true;
      const { id, body, side } = last;
      const chat = person[otherSide(side)];
      await receive(store, account, [incoming({ id, chat, body, sentAt: now() })]);
      await intake.waitUntilEmpty();
    },

    pass: (minutes: number) => {
      time += minutes * MINUTE;
    },
    /** Sending the next message breaks the connection. */
    break: (answer: 'left and cut' | 'lost and cut') => {
      breaks = answer;
    },
    offline: () => transport.become({ state: 'disconnected' }),
    /** `receipts`: messages sent before the connection broke turn out to be delivered. */
    async online(receipts: boolean): Promise<void> {
      breaks = null;
      const ids = transport.wire.map(({ id }) => id).filter((id) => !acknowledged.has(id));
      if (receipts && ids.length > 0) {
        for (const id of ids) transport.receipt(id, 'delivered');
        const open = "SELECT FROM outbox WHERE message_id = ANY($1) AND state <> 'delivered'";
        await eventually(async () => (await sql(open, [ids])).length === 0);
        for (const id of ids) acknowledged.add(id);
      }
      transport.become({ state: 'connected' });
    },
    async hold(): Promise<void> {
      isHeld = true;
      await harness.hold();
    },
    async release(): Promise<void> {
      if (!isHeld) return;
      isHeld = false;
      await harness.release();
      await autoReply.enqueueForgotten();
    },

    /** Waits until nothing runs or is due, except for the network, the owner or a contact. */
    quiet: () => harness.quiet('route', 'auto_reply'),
    /** The open conversations; null when nothing at all is pending. */
    async underWay({ kept, gone }: Person) {
      const open = await sql<{ id: InstanceId; state: InstanceState }>(
        `SELECT id, state FROM instances
         WHERE contact_id IN ($1, $2) AND state <> ALL($3) ORDER BY queue_seq`,
        [kept, gone, ENDED],
      );
      const rest = await sql(
        `WITH theirs AS (SELECT id AS chat_id FROM chats WHERE contact_id IN ($1, $2))
         SELECT FROM outbox JOIN theirs USING (chat_id)
           WHERE state IN ('pending', 'unknown') AND told_at IS NULL
         UNION ALL SELECT FROM schedules JOIN theirs USING (chat_id) WHERE state = 'active'
         UNION ALL SELECT FROM approvals a JOIN theirs ON chat_id::text = a.intent->>'chat'
           LEFT JOIN instances i ON i.id = a.instance_id
           WHERE a.state = 'pending' AND coalesce(i.state, '') <> ALL($3) LIMIT 1`,
        [kept, gone, ENDED],
      );
      return open.length + rest.length === 0 ? null : open;
    },
  };
}

export type MergeWorld = Awaited<ReturnType<typeof freshMergeWorld>>;
