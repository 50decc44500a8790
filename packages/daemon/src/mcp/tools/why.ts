// `why`: what became of a message or of a question to the owner, and the reason, so that a program can ask
// whether its approval was answered. It tells of nothing but what the program caused itself and of chats that
// it may read, and never in anybody's words.
import { RelayError } from '@relay/core/errors';
import { approvalId } from '@relay/core/ids';
import { explain } from '@relay/core/ledger/explain';
import { approvalSentence } from '@relay/core/ledger/question';
import { type Place, type Reading, type Story, withoutWords } from '@relay/core/ledger/story';
import { z } from 'zod';
import { actorName } from '../../gate/actor-names.ts';
import { causedBy, findQuestion } from '../../store/why/approval.ts';
import { type Found, findWhole } from '../../store/why/find.ts';
import { tell } from '../../store/why/tell.ts';
import { chatSchema } from '../chat.ts';
import { type Call, programTool } from '../tool.ts';
import { type Reached, reachedByIds } from '../who.ts';

const output = z.object({
  id: z.string(),
  kind: z.enum(['message', 'approval']),
  state: z
    .string()
    .describe(
      'Of an approval: pending, approved, rejected or expired. Of a message: received, or how far it has come: pending, sent, delivered, read, unknown or failed.',
    ),
  reason: z.string().nullable().describe('Why, as the ledger has it.'),
  sentence: z.string().describe('The same in words for the owner: "you" is the owner.'),
  at: z.iso.datetime(),
  chat: chatSchema.nullable().describe('Null when you may no longer deal with it.'),
  message_id: z.string().nullable().describe('Of an approval: the message that the yes let go.'),
  approval_id: z.string().nullable(),
  schedule_id: z.string().nullable(),
});
type Told = z.infer<typeof output>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const why = programTool({
  name: 'why',
  title: 'Ask why',
  description:
    'What became of a message or of an approval, and why. Ask with the `approval_id` that you were given to learn whether the owner has said yes, or with a `message_id` for how far a message has come.',
  scope: 'ledger:read',
  hints: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({
    id: z
      .string()
      .regex(/^[\w.:-]{1,128}$/, 'Give the id of a message or of an approval')
      .describe('The whole id of a message or of an approval.'),
  }),
  output,
  async run(call, { id }) {
    const told = (UUID.test(id) ? await ofApproval(call, id) : null) ?? (await ofMessage(call, id));
    if (told === null) throw new RelayError('nothing_known', { id });
    return told;
  },
});

async function ofApproval(call: Call, id: string): Promise<Told | null> {
  const { db, lease } = call.world;
  const asked = await findQuestion(db, lease.account, approvalId(id.toLowerCase()));
  if (asked === null) return null;
  const place = await placeOf(call, asked.chat ?? asked.contact);
  if (asked.requestedBy !== actorName(call.actor) && place?.canRead !== true) return null;
  return {
    id: asked.id,
    kind: 'approval',
    state: asked.state,
    reason: asked.reason,
    sentence: approvalSentence(asked, readingOf(call)),
    at: asked.at.toISOString(),
    chat: shown(place),
    message_id: asked.delivery?.messageId ?? null,
    approval_id: asked.id,
    schedule_id: asked.schedule,
  };
}

async function ofMessage(call: Call, id: string): Promise<Told | null> {
  const { db, lease } = call.world;
  const { account } = lease;
  const message = await allowed(call, id);
  if (message === null) return null;
  const place = await placeOf(call, message.chat);
  const { story } = await tell(db, account, message, named(place));
  return {
    id,
    kind: 'message',
    state: story.way === 'out' ? story.delivery.state : 'received',
    reason: story.way === 'out' ? story.reason : (story.route?.reason ?? null),
    sentence: explain(withoutWords(story), readingOf(call)),
    at: story.at.toISOString(),
    chat: shown(place),
    message_id: message.messageId,
    approval_id: approvalOf(story),
    schedule_id: story.way === 'out' ? (story.schedule?.id ?? null) : null,
  };
}

/** Its own first: an id is chosen by whoever sends, and somebody else may have chosen the same. */
async function allowed(call: Call, id: string): Promise<Found | null> {
  const { db, lease } = call.world;
  const found = await findWhole(db, lease.account, id);
  const sent = found.flatMap(({ outbox }) => (outbox === null ? [] : [outbox]));
  const caused = await causedBy(db, lease.account, actorName(call.actor), sent);
  const own = found.find(({ outbox }) => outbox !== null && caused.has(outbox));
  if (own !== undefined) return own;
  const places = await reachedByIds(
    call,
    found.map(({ chat }) => chat),
  );
  const readable = new Set(places.filter(({ canRead }) => canRead).map(({ chat }) => chat));
  return found.find(({ chat }) => readable.has(chat)) ?? null;
}

async function placeOf(call: Call, id: string | null): Promise<Reached | null> {
  const [place] = id === null ? [] : await reachedByIds(call, [id]);
  return place ?? null;
}

const shown = (place: Reached | null) =>
  place === null ? null : { id: place.address, name: place.name };

const named = (place: Reached | null): Place =>
  place === null ? { kind: 'direct', name: 'somebody' } : { kind: place.kind, name: place.name };

const approvalOf = (story: Story): string | null =>
  (story.way === 'out' ? story.approval : (story.answer?.approval ?? story.conversation?.approval))
    ?.id ?? null;

const readingOf = ({ world }: Call): Reading => ({ now: world.now(), zone: world.zone });
