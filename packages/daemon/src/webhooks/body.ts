// The body of a delivery, made from the rows at the moment it is sent, as the live stream makes its frames.
// Invariant: without `include_text` it holds ids, codes and times, and nothing that somebody wrote or is called.
import type { ConnectionState } from '@relay/core/connection/states';
import { connectionSentence, statusOf } from '@relay/core/connection/states';
import type { ApprovalId, ChatId } from '@relay/core/ids';
import type { OutboxState } from '@relay/core/outbox/progress';
import type { Told } from '@relay/core/webhooks/events';
import { healthOf } from '@relay/core/webhooks/health';
import type { DeliveryType } from '@relay/core/webhooks/kinds';
import type { Facts } from '@relay/core/webhooks/told';
import {
  chatName,
  personName,
  toldConversation,
  toldMessage,
  toldOutgoing,
} from '../store/webhooks/subjects.ts';
import type { WebhookRow } from '../store/webhooks/webhooks.ts';
import type { WebhookWorld } from './world.ts';

interface About {
  readonly world: WebhookWorld;
  readonly webhook: Pick<WebhookRow, 'id' | 'include_text'>;
  readonly facts: Facts;
}

type Makers = { readonly [Type in DeliveryType]: (about: About) => Promise<Told<Type> | null> };

const MAKERS: Makers = {
  'message.received': received,
  'message.sent': async (about) => ('outbox' in about.facts ? sent(about) : typed(about)),
  'conversation.state': conversation,
  'approval.requested': asked,
  'approval.answered': asked,
  'link.state': async ({ facts }) => {
    const state = facts.state as ConnectionState;
    const from = facts.from as ConnectionState | null;
    return { state, from, status: statusOf(state), sentence: connectionSentence(state) };
  },
  health: async ({ facts }) => healthOf(facts),
  ping: async ({ webhook }) => ({ webhook_id: webhook.id }),
};

/** What a request says under `data`; null when what it is about is gone. */
export const dataOf = (type: DeliveryType, about: About): Promise<object | null> =>
  MAKERS[type](about);

async function received({
  world: { db, lease },
  webhook,
  facts,
}: About): Promise<Told<'message.received'> | null> {
  const message = await toldMessage(db, lease.account, facts);
  if (message === null) return null;
  const told = {
    message_id: message.message_id,
    chat_id: message.chat,
    chat_kind: message.chat_kind,
    contact_id: message.sender,
    direction: 'in' as const,
    kind: message.kind,
    sent_at: message.sent_at.toISOString(),
    late: message.late,
  };
  if (!webhook.include_text) return told;
  return {
    ...told,
    text: message.body,
    from: message.from,
    from_name: (await personName(db, lease.account, message.sender)) ?? message.sender_name,
    chat_name: await chatName(db, lease.account, message.chat),
  };
}

/** What the owner typed on a phone. */
async function typed({
  world: { db, lease },
  webhook,
  facts,
}: About): Promise<Told<'message.sent'> | null> {
  const message = await toldMessage(db, lease.account, facts);
  if (message === null) return null;
  const told = {
    message_id: message.message_id,
    outbox_id: null,
    chat_id: message.chat,
    chat_kind: message.chat_kind,
    contact_id: message.contact,
    conversation_id: null,
    direction: 'out' as const,
    state: 'sent' as const,
  };
  if (!webhook.include_text) return told;
  const to_name = await chatName(db, lease.account, message.chat);
  return { ...told, text: message.body, failure: null, to_name };
}

async function sent({
  world: { db, lease },
  webhook,
  facts,
}: About): Promise<Told<'message.sent'> | null> {
  const message = await toldOutgoing(db, lease.account, facts);
  if (message === null) return null;
  const told = {
    message_id: message.message_id,
    outbox_id: message.outbox,
    chat_id: message.chat,
    chat_kind: message.chat_kind,
    contact_id: message.contact,
    conversation_id: message.instance,
    direction: 'out' as const,
    // As it was when this happened: what came after is told for itself.
    state: facts.state as OutboxState,
  };
  if (!webhook.include_text) return told;
  const to_name = await chatName(db, lease.account, message.chat);
  return { ...told, text: message.body, failure: message.failure, to_name };
}

async function conversation({
  world: { db, lease },
  webhook,
  facts,
}: About): Promise<Told<'conversation.state'> | null> {
  const found = await toldConversation(db, lease.account, facts);
  if (found === null) return null;
  const told = {
    conversation_id: found.id,
    chat_id: found.chat,
    contact_id: found.contact,
    state: String(facts.state),
    from: facts.from as string | null,
    trigger: facts.trigger as string | null,
    needs_you: facts.state === 'NEEDS_HUMAN_INTERVENTION',
  };
  if (!webhook.include_text) return told;
  return { ...told, objective: found.objective, reason: found.reason };
}

async function asked({ world, webhook, facts }: About): Promise<Told<'approval.answered'> | null> {
  const approval = await world.approval(facts.approval as ApprovalId);
  if (approval === null) return null;
  const told = {
    approval_id: approval.id,
    kind: approval.kind,
    state: facts.state as typeof approval.state,
    reason: approval.reason_code,
    requested_by: approval.requested_by,
    conversation_id: approval.instance_id,
    chat_id: (facts.chat ?? null) as ChatId | null,
    expires_at: approval.expires_at,
  };
  if (!webhook.include_text) return told;
  const { text, recipient, recipient_name, answer } = approval;
  return { ...told, text, recipient, recipient_name, answer };
}
