// Second question of the gate: is the target what it claims to be, and may this actor act there at
// all? Everything here only refuses. A hold and an uncertain target stop the owner like anyone.
import type { ContactId } from '../ids.ts';
import type { Actor } from './actors.ts';
import type { Facts } from './facts.ts';
import { type ChatIntent, type Intent, isInChat, isSending } from './intents.ts';
import type { ReasonFor } from './reasons.ts';

type Refusal = ReasonFor<'deny'> | null;

export function refusedPlace(actor: Actor, intent: Intent, facts: Facts): Refusal {
  if (isSending(intent) && facts.hold) return 'hold';
  if (isInChat(intent)) {
    return (
      unsureTarget(intent, facts) ??
      outOfBounds(actor, intent, facts) ??
      wrongKind(actor, intent, facts)
    );
  }
  return intent.kind === 'manage_grant' && !onContactList(actor, grantee(intent))
    ? 'contact_not_on_token'
    : null;
}

function unsureTarget(intent: ChatIntent, { chat }: Facts): Refusal {
  if (chat === null) return 'unknown_chat';
  if (chat.id !== intent.chat) return 'wrong_facts';
  return chat.kind === 'direct' && chat.contact === null ? 'unresolved_identity' : null;
}

function outOfBounds(actor: Actor, intent: ChatIntent, { chat }: Facts): Refusal {
  const bound = actor.kind === 'auto_reply' || actor.kind === 'conversation';
  if (bound && actor.chat !== intent.chat) return 'other_chat';
  const contact = chat?.kind === 'direct' ? chat.contact : null;
  return onContactList(actor, contact) ? null : 'contact_not_on_token';
}

function wrongKind(actor: Actor, intent: ChatIntent, facts: Facts): Refusal {
  const { chat } = facts;
  const directOnly =
    actor.kind === 'auto_reply' ||
    actor.kind === 'conversation' ||
    intent.kind === 'create_conversation';
  if (intent.kind === 'create_conversation' && chat?.kind === 'own') return 'yourself';
  if (directOnly && chat?.kind !== 'direct') return 'direct_chats_only';
  if (chat?.kind !== 'group' || !chat.observed || ownersOwn(actor, facts)) return null;
  const answersOwner =
    actor.kind === 'assistant' && intent.kind === 'send_message' && facts.askedByOwner;
  if (!answersOwner) return 'observed_group';
  return facts.withinCadence ? null : 'group_rests';
}

const grantee = ({ of }: Extract<Intent, { kind: 'manage_grant' }>) =>
  of.kind === 'contact' ? of.contact : null;

/** A list of contacts has no groups on it, so a token that has one is refused in them. */
export function onContactList(actor: Actor, contact: ContactId | null): boolean {
  if (actor.kind !== 'token' || actor.contacts === null) return true;
  return contact !== null && actor.contacts.includes(contact);
}

/** The owner acts now, or did when scheduling this. */
const ownersOwn = (actor: Actor, facts: Facts): boolean =>
  actor.kind === 'owner' || (actor.kind === 'scheduler' && facts.schedule?.by === 'owner');
