// A world for merges: one person whom Relay knows by a number and by a LID, with the real outbox, router, schedules and
// auto-reply over one database. Agents and people say what the test wants, each text once.
import { randomUUID } from 'node:crypto';
import type { Grant } from '@relay/core/contacts/grants';
import type { InstanceState } from '@relay/core/conversation/states';
import {
  approvalId,
  type InstanceId,
  instanceId,
  type MessageId,
  runId,
  tokenId,
} from '@relay/core/ids';
import { pacingSchema, settingsSchema } from '@relay/core/settings';
import { ScriptedTransport } from '@relay/testing/scripted-transport';
import { eventually, freshStore } from '@relay/testing/store';
import { openWorld } from '@relay/testing/world';
import { afterAll } from 'vitest';
import { findOrMakeChat } from '../../gate/recipient.ts';
import { sendAsOwner } from '../../gate/send.ts';
import { takeIn } from '../../inbox/take-in.ts';
import { incoming, openPlain, readJson, receive } from '../../inbox/testing/inbox.ts';
import { inOneTransaction } from '../../jobs/work.ts';
import { onRoute } from '../../router/router.ts';
import { schedule } from '../../schedule/create.ts';
import { fenced } from '../../store/fenced.ts';
import { type KnownTwice, knownTwice } from '../../store/testing/people.ts';
import { openAutoReply } from '../auto-reply/open.ts';
import { create } from '../conversation/create.ts';

export type Side = 'phone' | 'lid';
/** What a person writes: anything, the end of a conversation, or what makes the agent say something private. */
export type Words = 'hm' | 'yes' | 'secret';
export type First = 'one' | 'two' | 'secret';

const ENDED: readonly InstanceState[] = ['COMPLETED', 'ABANDONED', 'FAILED'];
const MINUTE = 60_000;
const INTERVAL = 5 * MINUTE;

export interface Written {
  readonly id: MessageId;
  readonly body: string;
  /** A conversation was open with whom it came from, so it must reach one. */
  readonly isAwaited: boolean;
  /** Messages under both addresses that wait while the two are merged may be routed in either order. */
  readonly group: number;
}

export async function freshMergeWorld() {
  const store = await freshStore();
  const { account, sql } = store;
  let time = Date.parse('2026-05-04T08:00:00Z');
  const now = () => new Date(time);
  const transport = new ScriptedTransport();
  const pacing = pacingSchema.parse({ enabled: false });
  const world = await openWorld(store, { now, zone: 'UTC', sendsOver: { transport, pacing } });
  afterAll(() => world.close());
  const { conversations, jobs } = world;
  const { db, lease } = conversations;
  jobs.work('route', 4, onRoute(conversations));
  const { auto_reply, agent, tell_owner_on_whatsapp } = settingsSchema.parse({
    auto_reply: { rapid_exchanges: 1_000, similar_exchanges: 1_000 },
  });
  const settings = { auto_reply, agent, tell_owner_on_whatsapp };
  const autoReply = openAutoReply({ ...conversations, settings });

  /** The merge, at the moment that the run has chosen for it. */
  let during: (moment: 'turn' | 'answer' | 'send') => Promise<void> = async () => {};
  let texts = 0;
  const newText = (what: string) => `${what} ${++texts}.`;
  const firsts = new Map<string, First>();

  world.agent(async ({ objective, purpose, transcript }) => {
    await during('turn');
    const heard = transcript.findLast(({ role }) => role === 'contact')?.content ?? '';
    const wanted = purpose === 'first_message' ? firsts.get(objective) : heard.split(' ')[0];
    if (purpose === 'reply' && wanted === 'yes') {
      return { messages: [newText('Bye')], end: 'answered' };
    }
    // Only an answer says it: a follow-up or a turn that is taken again goes on.
    const isSecret = wanted === 'secret' && (purpose === 'reply' || purpose === 'first_message');
    if (isSecret) return { messages: [newText(`The key is ${/KEY-\S+/.exec(objective)?.[0]}`)] };
    return { messages: wanted === 'two' ? [newText('One'), newText('Two')] : [newText(purpose)] };
  });
  await autoReply.start(async () => {
    await during('answer');
    return newText('Answer');
  });

  const isOnline = () => transport.link.state === 'connected';
  /** By an answer or a receipt. What is offered again after that is sent twice. */
  const acknowledged = new Set<MessageId>();
  const sentTwice: MessageId[] = [];
  let breaks: 'left and cut' | 'lost and cut' | null = null;
  transport.answer = ({ id }) => {
    if (acknowledged.has(id)) sentTwice.push(id);
    if (!isOnline()) return 'cut';
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
      await during('send');
    }
  };

  const [{ id: token } = { id: '' }] = await sql<{ id: string }>(
    `INSERT INTO tokens (account_id, name, hash, scopes) VALUES ($1, 'a client', $2, $3) RETURNING id`,
    [account, Buffer.from(randomUUID()), ['conversations:write', 'messages:send']],
  );
  const client = {
    kind: 'token',
    token: tokenId(token),
    scopes: ['conversations:write'],
    contacts: null,
  } as const;

  /** Nothing runs, is due, or waits for anything but the network, the owner or the contact. */
  async function quiet(): Promise<void> {
    const open = `SELECT FROM relay_jobs.job WHERE name IN ('route', 'auto_reply') AND state < 'completed'
      UNION ALL SELECT FROM timers WHERE kind = 'auto_reply' AND due_at <= $1 LIMIT 1`;
    await eventually(async () => {
      await world.quiet();
      if ((await sql(open, [now()])).length === 0) return true;
      for (const queue of ['route', 'auto_reply'] as const) jobs.hint(queue);
      return false;
    });
  }

  async function meetPerson(kept: Side, grant: Grant | null) {
    const known: KnownTwice = await knownTwice(store, lease, kept);
    const contacts = await sql<{ id: string; kind: Side }>(
      'SELECT contact_id AS id, kind FROM contact_aliases WHERE value = ANY($1)',
      [[known.phone, known.lid].map((jid) => jid.split('@')[0])],
    );
    const contactOf = (side: Side) => contacts.find(({ kind }) => kind === side)?.id ?? '';
    if (grant !== null) {
      await sql(
        `INSERT INTO grants (account_id, contact_id, display_name, can_read, can_reply, reply_mode, can_initiate)
         SELECT $1, id, 'Mom', $3, $4, $5, $6 FROM unnest($2::uuid[]) id`,
        [
          account,
          contacts.map(({ id }) => id),
          grant.canRead,
          grant.canReply,
          grant.replyMode,
          grant.canInitiate,
        ],
      );
    }
    return {
      ...known,
      contacts: { kept: contactOf(kept), gone: contactOf(kept === 'phone' ? 'lid' : 'phone') },
      /** Merged away. */
      goneChats: [] as string[],
      written: [] as Written[],
      conversations: [] as InstanceId[],
      /** Of the owner, who wants each of them sent. */
      sent: [] as string[],
    };
  }
  type Person = Awaited<ReturnType<typeof meetPerson>>;

  const takeInAll = async () => {
    const intake = { db, lease, jobs, open: openPlain, read: readJson };
    while ((await takeIn(intake, 200)).rows > 0);
    jobs.hint('route');
  };

  return {
    ...world,
    transport,
    now,
    quiet,
    sentTwice,
    meetPerson,
    takeInAll,
    during: (next: typeof during) => {
      during = next;
    },
    pass: (minutes: number) => {
      time += minutes * MINUTE;
    },

    /** The owner begins one with the number, a client one with the LID. */
    async converse(person: Person, side: Side, first: First): Promise<void> {
      const objective = `Sell the bicycle. The lock has the key KEY-${randomUUID()}`;
      firsts.set(objective, first);
      const request = {
        objective,
        target_contact: side === 'phone' ? `+${person.phone.split('@')[0]}` : person.lid,
        todos: [],
        heartbeat_config: { interval_ms: INTERVAL, max_followups: 1 },
      };
      const made =
        side === 'phone'
          ? await world.verbs.create(request)
          : (
              await inOneTransaction(conversations, (work) =>
                create(conversations, work, request, client),
              )
            ).made;
      if (made !== null && 'id' in made) person.conversations.push(instanceId(made.id));
    },

    async sendByHand(person: Person, side: Side): Promise<void> {
      const text = newText('Mine');
      // A hold refuses it.
      await sendAsOwner(conversations, { to: person[side], text }).then(
        () => person.sent.push(text),
        () => {},
      );
    },

    async scheduleByHand(person: Person, side: Side, minutes: number): Promise<void> {
      const at = new Date(time + minutes * MINUTE).toISOString().slice(0, 16);
      const text = newText('Later');
      await world.schedules.verbs.create({
        to: person[side],
        text,
        rule: { kind: 'once', at },
        zone: 'UTC',
        catch_up: 'once',
      } as never);
      person.sent.push(text);
    },

    /** The assistant wants to write, now or later, and asks its owner. */
    async propose(person: Person, side: Side, what: 'send' | 'schedule'): Promise<void> {
      const actor = { kind: 'assistant', run: runId(randomUUID()) } as const;
      const text = newText('Proposed');
      const approval = await fenced(db, lease, async (tx) => {
        const chat = await findOrMakeChat(tx, account, person[side]);
        const asking = { confirm: true };
        if (what === 'send') {
          const message = { kind: 'send_message', chat, text } as const;
          return (await conversations.gate.submit(tx, actor, message, asking)).approval;
        }
        const at = new Date(time + 3 * 24 * 60 * MINUTE).toISOString().slice(0, 16);
        const later = { chat, text, rule: { kind: 'once', at }, zone: 'UTC', catchUp: 'once' };
        return (await schedule(conversations, tx, actor, later as never, asking)).approval;
      });
      if (approval !== null) person.sent.push(text);
    },

    /** Approves all that waits; what a hold or the end of a conversation refuses stays as it is. */
    async approveAll(): Promise<void> {
      for (const { id } of await world.approvals.list('pending')) {
        await world.approvals.approve(approvalId(id)).catch(() => {});
      }
    },

    async receive(
      person: Person,
      side: Side,
      { words, group, alsoKnownAs = [] }: { words: Words; group: number; alsoKnownAs?: string[] },
    ): Promise<void> {
      const body = `${words} ${++texts}`;
      const message = incoming({ chat: person[side], body, sentAt: now(), alsoKnownAs });
      const awaiting = await sql(
        `SELECT FROM instances i JOIN contact_aliases a USING (account_id, contact_id)
         WHERE a.kind = $1 AND a.value = $2 AND i.previous_state IS DISTINCT FROM 'QUEUED'
           AND i.state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED', 'QUEUED')`,
        [side, person[side].split('@')[0]],
      );
      const { id } = message;
      person.written.push({ id, body, group, isAwaited: awaiting.length > 0 });
      await receive(store, account, [message]);
      await takeInAll();
    },

    chatsOf: async ({ contacts }: Person): Promise<string[]> =>
      (
        await sql<{ id: string }>('SELECT id FROM chats WHERE contact_id IN ($1, $2)', [
          contacts.kept,
          contacts.gone,
        ])
      ).map(({ id }) => id),

    /** The conversations that are open; null when nothing at all is under way. */
    async underWay({ contacts }: Person) {
      const open = await sql<{ id: InstanceId; state: InstanceState }>(
        'SELECT id, state FROM instances WHERE contact_id = $1 AND state <> ALL($2) ORDER BY queue_seq',
        [contacts.kept, ENDED],
      );
      const rest = await sql(
        `SELECT FROM outbox WHERE state IN ('pending', 'unknown') AND told_at IS NULL
         UNION ALL SELECT FROM schedules WHERE state = 'active'
         UNION ALL SELECT FROM approvals a LEFT JOIN instances i ON i.id = a.instance_id
           WHERE a.state = 'pending' AND coalesce(i.state, '') <> ALL($1) LIMIT 1`,
        [ENDED],
      );
      return open.length + rest.length === 0 ? null : open;
    },

    /** The next message that is sent breaks the connection. */
    break: (answer: 'left and cut' | 'lost and cut') => {
      breaks = answer;
    },
    offline: () => transport.become({ state: 'disconnected' }),
    /** `receipts`: WhatsApp says that what had left was delivered. */
    async online(receipts: boolean): Promise<void> {
      breaks = null;
      const left = transport.wire.filter(({ id }) => !acknowledged.has(id)).map(({ id }) => id);
      if (receipts && left.length > 0) {
        for (const id of left) transport.receipt(id, 'delivered');
        const open =
          "SELECT FROM outbox WHERE message_id = ANY($1) AND state IN ('pending', 'unknown')";
        await eventually(async () => (await sql(open, [left])).length === 0);
        for (const id of left) acknowledged.add(id);
      }
      transport.become({ state: 'connected' });
    },
    async release(): Promise<void> {
      await world.release().catch(() => {});
      await autoReply.lookAgain();
    },
  };
}

export type MergeWorld = Awaited<ReturnType<typeof freshMergeWorld>>;
export type Person = Awaited<ReturnType<MergeWorld['meetPerson']>>;
