// `send_message` of seed 002: one message to one chat, through the gate as the token. It is told to be sent
// when WhatsApp has acknowledged it; nothing is submitted while WhatsApp cannot be reached.
import { connectionSentence } from '@relay/core/connection/states';
import { RelayError } from '@relay/core/errors';
import type { ChatId, OutboxId } from '@relay/core/ids';
import { kindOfFailure } from '@relay/core/outbox/failures';
import { because } from '@relay/core/policy/reasons';
import { z } from 'zod';
import { earlierByKey, keyOf } from '../../gate/by-key.ts';
import { queuedSentence } from '../../gate/queued.ts';
import type { Submitted } from '../../gate/submit.ts';
import type { Reader, Transaction } from '../../store/database.ts';
import { fenced } from '../../store/fenced.ts';
import { untilAcknowledged } from '../acknowledged.ts';
import { reachOf, untilReachable } from '../reach.ts';
import { SeedError } from '../seed-error.ts';
import { type Act, submit, WAITING, type Went } from '../submit.ts';
import type { Call } from '../tool.ts';
import { programTool } from '../tool.ts';
import { tellUnexpected } from '../unexpected.ts';
import { chatOf, type Reached, someone, whoItIs } from '../who.ts';

const MOST_CHARACTERS = 5_000;
/** A little less than the minute that programs wait by themselves. */
const ANSWER_WITHIN_MS = 55_000;

const input = z.strictObject({
  chat_id: z.string().describe('Contact name or chat ID (as shown in WhatsApp Web)'),
  message: z
    .string()
    .regex(/\S/, 'It is empty')
    .refine(
      (text) => [...text].length <= MOST_CHARACTERS,
      `It has more than ${MOST_CHARACTERS} characters`,
    )
    .refine((text) => text.isWellFormed() && !text.includes('\0'), 'It cannot be kept as text')
    .meta({ maxLength: MOST_CHARACTERS, description: 'Message text' }),
});

const output = z.object({
  message_id: z.string().optional().describe('The id that the message is known by in the outbox'),
  sent_at: z.iso.datetime().optional().describe('When WhatsApp acknowledged it'),
  status: z.enum(['sent', 'queued', 'waiting_for_approval']).optional(),
  ...WAITING,
});

type Input = z.output<typeof input>;
type PutMessage = NonNullable<Submitted['message']>;

export const sendMessage = programTool({
  name: 'send_message',
  title: 'Send a message',
  description: 'Send a WhatsApp message to a contact/chat',
  scope: 'messages:send',
  hints: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: true,
  },
  input,
  output,
  limitMs: ANSWER_WITHIN_MS + 3_000,
  async run(call, wish) {
    const by = new Date(call.world.now().getTime() + ANSWER_WITHIN_MS);
    if (!(await wasSubmitted(call, wish))) await untilReachable(call);
    const outcome = await submit(call, (tx) => prepared(call, tx, wish));
    if (outcome.status !== 'done') return outcome;
    const { id, messageId: message_id } = outcome.done;
    const fate = await untilAcknowledged(call, id, by);
    switch (fate.kind) {
      case 'sent':
        return { message_id, sent_at: fate.at.toISOString(), status: 'sent' as const };
      case 'queued':
        return { message_id, status: 'queued' as const, reason: await whyLater(call, id) };
      case 'failed':
        throw await whyNot(call, id, fate.failure);
    }
  },
});

/** Looked at before anything is waited for; nobody by that name is told at once. */
async function wasSubmitted(call: Call, wish: Input): Promise<boolean> {
  const { db, lease } = call.world;
  const to = await recipient(call, db, wish);
  if (call.key === null || to.chat === null) return false;
  const { chat } = to;
  return fenced(db, lease, async (tx) => (await earlier(call, tx, chat, wish)) !== null);
}

async function prepared(call: Call, tx: Transaction, wish: Input): Promise<Act<PutMessage>> {
  const { gate } = call.world;
  const to = await recipient(call, tx, wish);
  const chat = await chatOf(call, tx, to);
  const known = await earlier(call, tx, chat, wish);
  const key = call.key === null ? {} : { key: keyOf(call.actor, call.key) };
  const message = { kind: 'send_message', chat, text: wish.message, ...key } as const;
  return {
    question: `Send this message to ${whoItIs(to)}?\n\n${wish.message}`,
    async submit(tx, circumstances) {
      if (known !== null) return known;
      const went = await gate.submit(tx, call.actor, message, circumstances);
      return { decision: went.decision, approval: went.approval, done: went.message };
    },
  };
}

async function recipient(call: Call, db: Reader, { chat_id }: Input): Promise<Reached> {
  try {
    return await someone(call, chat_id, db);
  } catch (error) {
    const nobody = error instanceof RelayError && error.code === 'chat_unknown';
    throw nobody ? new SeedError('CHAT_NOT_FOUND', error.message) : error;
  }
}

/** What became of it under the program's own name for it. */
async function earlier(
  { world, actor, key }: Call,
  tx: Transaction,
  chat: ChatId,
  { message }: Input,
): Promise<Went<PutMessage> | null> {
  if (key === null) return null;
  const asked = { key: keyOf(actor, key), chat, text: message };
  const found = await earlierByKey(tx, world.lease.account, actor, asked);
  if (found === null) return null;
  return 'message' in found
    ? { decision: because('standing_grant'), approval: null, done: found.message }
    : { decision: because(found.reason), approval: found.approval, done: null };
}

async function whyLater({ world }: Call, id: OutboxId): Promise<string> {
  const queued = await world.gate.queuedFirstContacts(world.db);
  const first = queued.find((one) => one.id === id);
  if (first !== undefined) return `It waits in the outbox. ${queuedSentence(first)}`;
  const { link } = world.transport;
  const why =
    reachOf(link) === 'up'
      ? 'Messages leave at a human pace, and others go first.'
      : connectionSentence(link.state);
  return `It waits in the outbox and is sent without further ado. ${why}`;
}

/** A log-out is the first thing that is looked for, whatever else it looks like. */
async function whyNot({ world }: Call, id: OutboxId, failure: string): Promise<RelayError> {
  const { link } = world.transport;
  if (reachOf(link) === 'ended') {
    return new SeedError('SESSION_EXPIRED', connectionSentence(link.state));
  }
  switch (kindOfFailure(failure)) {
    case 'not_reached':
      return new SeedError('NETWORK_ERROR', failure);
    case 'unexpected':
      await tellUnexpected(world, id, failure);
      return new SeedError('ELEMENT_NOT_FOUND', failure);
    case 'stopped':
      return new RelayError('not_delivered', { sentence: failure });
  }
}
