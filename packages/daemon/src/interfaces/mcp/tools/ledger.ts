// `why`: what happened to a message or an approval, and the reason, so that a client can ask whether its approval was
// answered. It covers only what the client itself caused and chats that it may read, and never contains message text.
import { RelayError } from '@relay/contract/errors';
import { approvalId } from '@relay/contract/ids';
import { approvalSentence, explainStory } from '@relay/core/ledger/explain';
import {
  type MessageStory,
  type ReaderClock,
  type StoryChat,
  withoutObjective,
} from '@relay/core/ledger/story';
import { z } from 'zod';
import { actorName } from '../../../pipeline/gate/actors.ts';
import { findMessagesById, loadStory, type MessageMatch } from '../../../platform/db/why/story.ts';
import { filterOutboxByActor, findApprovalOutcome } from '../../../platform/db/why/story-facts.ts';
import { chatRefSchema, findReachableByIds, type ReachableChat } from '../resolve-chat.ts';
import { type ClientCall, defineTool } from '../tool.ts';

const output = z.object({
  id: z.string(),
  kind: z.enum(['message', 'approval']),
  state: z
    .string()
    .describe(
      'For an approval: pending, approved, rejected or expired. For a message: received, pending, sent, delivered, read, unknown or failed.',
    ),
  reason: z.string().nullable().describe('The reason code in the ledger.'),
  sentence: z.string().describe('The explanation as a sentence; "you" is the owner.'),
  at: z.iso.datetime(),
  chat: chatRefSchema.nullable().describe('Null if you may no longer use this chat.'),
  message_id: z.string().nullable().describe('For an approval: the message sent after it.'),
  approval_id: z.string().nullable(),
  schedule_id: z.string().nullable(),
});
type WhyAnswer = z.infer<typeof output>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const whyTool = defineTool({
  name: 'why',
  title: 'Explain a message or an approval',
  description:
    'Explain what happened to a message or an approval, and why. Use an `approval_id` to find out whether the owner has approved, or a `message_id` for the delivery state of a message.',
  scope: 'ledger:read',
  hints: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({
    id: z
      .string()
      .regex(/^[\w.:-]{1,128}$/, 'Must be the id of a message or an approval')
      .describe('Complete id of a message or an approval.'),
  }),
  output,
  async run(call, { id }) {
    const answer =
      (UUID.test(id) ? await ofApproval(call, id) : null) ?? (await ofMessage(call, id));
    if (answer === null) throw new RelayError('nothing_known', { id });
    return answer;
  },
});

async function ofApproval(call: ClientCall, id: string): Promise<WhyAnswer | null> {
  const { db, lease } = call.deps;
  const asked = await findApprovalOutcome(db, lease.account, approvalId(id.toLowerCase()));
  if (asked === null) return null;
  const place = await findChatRef(call, asked.chat ?? asked.contact);
  if (asked.requestedBy !== actorName(call.actor) && place?.canRead !== true) return null;
  return {
    id: asked.id,
    kind: 'approval',
    state: asked.state,
    reason: asked.reason,
    sentence: approvalSentence(asked, readingOf(call)),
    at: asked.at.toISOString(),
    chat: toChatRef(place),
    message_id: asked.delivery?.messageId ?? null,
    approval_id: asked.id,
    schedule_id: asked.schedule,
  };
}

async function ofMessage(call: ClientCall, id: string): Promise<WhyAnswer | null> {
  const { db, lease } = call.deps;
  const { account } = lease;
  const message = await findReadableMessage(call, id);
  if (message === null) return null;
  const place = await findChatRef(call, message.chat);
  const { story } = await loadStory(db, account, message, toStoryPlace(place));
  return {
    id,
    kind: 'message',
    state: story.way === 'out' ? story.delivery.state : 'received',
    reason: story.way === 'out' ? story.reason : (story.route?.reason ?? null),
    sentence: explainStory(withoutObjective(story), readingOf(call)),
    at: story.at.toISOString(),
    chat: toChatRef(place),
    message_id: message.messageId,
    approval_id: approvalOf(story),
    schedule_id: story.way === 'out' ? (story.schedule?.id ?? null) : null,
  };
}

/** The client's own message first: the sender chooses the id, and somebody else may have chosen the same. */
async function findReadableMessage(call: ClientCall, id: string): Promise<MessageMatch | null> {
  const { db, lease } = call.deps;
  const found = await findMessagesById(db, lease.account, id);
  const sent = found.flatMap(({ outbox }) => (outbox === null ? [] : [outbox]));
  const caused = await filterOutboxByActor(db, lease.account, actorName(call.actor), sent);
  const own = found.find(({ outbox }) => outbox !== null && caused.has(outbox));
  if (own !== undefined) return own;
  const places = await findReachableByIds(
    call,
    found.map(({ chat }) => chat),
  );
  const readable = new Set(places.filter(({ canRead }) => canRead).map(({ chat }) => chat));
  return found.find(({ chat }) => readable.has(chat)) ?? null;
}

async function findChatRef(call: ClientCall, id: string | null): Promise<ReachableChat | null> {
  const [place] = id === null ? [] : await findReachableByIds(call, [id]);
  return place ?? null;
}

const toChatRef = (place: ReachableChat | null) =>
  place === null ? null : { id: place.address, name: place.name };

const toStoryPlace = (place: ReachableChat | null): StoryChat =>
  place === null ? { kind: 'direct', name: 'somebody' } : { kind: place.kind, name: place.name };

const approvalOf = (story: MessageStory): string | null =>
  (story.way === 'out' ? story.approval : (story.answer?.approval ?? story.conversation?.approval))
    ?.id ?? null;

const readingOf = ({ deps }: ClientCall): ReaderClock => ({
  now: deps.now(),
  zone: deps.zone,
});
