// Fourth question of the gate: must a person see it first? Rule of Two: a run that has read what others wrote,
// knows private things and would now communicate or take something away waits for the owner. So do drafts, first
// contacts, late answers, and what is sent from where the owner is asked each time.
import type { Actor } from './actors.ts';
import { type Facts, isTainted, standingGrant } from './facts.ts';
import { type ChatIntent, type Intent, isInChat } from './intents.ts';
import { REASONS, type ReasonCode, type ReasonFor } from './reasons.ts';

type Doubt = ReasonFor<'needs_approval'> | null;

/** The owner's own consent to this very thing. */
const UNQUESTIONED: ReadonlySet<ReasonCode> = new Set<ReasonFor<'allow'>>([
  'owner',
  'scheduled',
  'token_scope',
]);

export function doubtAbout(
  actor: Actor,
  intent: Intent,
  facts: Facts,
  authority: ReasonCode,
): Doubt {
  if (UNQUESTIONED.has(authority)) return null;
  return (
    quoteOf(intent, facts) ??
    hiddenOf(intent, facts) ??
    taintOf(actor, intent, facts) ??
    draftOf(intent, facts, authority) ??
    openingOf(intent, facts, authority) ??
    confirmOf(intent, facts, authority)
  );
}

/** Never written to before. The owner's own chat is nobody's first contact. */
export const isOpening = (intent: Intent, { chat }: Facts): boolean =>
  'firstContact' in intent && intent.firstContact && chat?.kind !== 'own';

const quoteOf = (intent: Intent, facts: Facts): Doubt =>
  intent.kind === 'send_message' && facts.quotesPrivate && facts.chat?.kind !== 'own'
    ? 'quotes_private'
    : null;

/** What goes to nobody but the owner deceives nobody else. */
const hiddenOf = (intent: Intent, { hidden, chat }: Facts): Doubt =>
  hidden && isInChat(intent) && chat?.kind !== 'own' ? 'hidden_characters' : null;

function taintOf(actor: Actor, intent: Intent, facts: Facts): Doubt {
  const tainted = isTainted(facts.taint);
  switch (intent.kind) {
    case 'send_message':
    case 'react':
    case 'mark_read':
      return mayCarry(actor, intent, facts) ? 'read_then_send' : null;
    case 'schedule_message':
      return tainted && facts.chat?.kind !== 'own' ? 'read_then_schedule' : null;
    case 'create_conversation':
      return tainted ? 'read_then_start' : null;
    case 'manage_grant':
      return tainted ? 'read_then_grant' : null;
    case 'cancel_schedule':
      return tainted && !intent.own ? 'read_then_cancel' : null;
    default:
      return null;
  }
}

/**
 * Whether the message may carry private data to a person whose text steered the run. The assistant knows what its owner
 * told it, so every chat waits, also the one it has read. Other sessions know only their own chat and may answer it.
 * Messages to the owner, and messages that the owner dictated, never wait.
 */
function mayCarry(actor: Actor, intent: ChatIntent, facts: Facts): boolean {
  const { chat, taint, dictated, askedByOwner } = facts;
  if (chat?.kind === 'own' || (dictated && intent.kind === 'send_message')) return false;
  const { chats, ...elsewhere } = taint;
  if (isTainted({ chats: [], ...elsewhere })) return true;
  const knowsMore = actor.kind === 'assistant' && !askedByOwner;
  return chats.some((read) => knowsMore || read !== intent.chat);
}

function draftOf(intent: Intent, facts: Facts, authority: ReasonCode): Doubt {
  // A conversation is created, not written: `replyMode` has no say in it.
  if (authority !== 'standing_grant' || intent.kind === 'create_conversation') return null;
  return standingGrant(facts)?.replyMode === 'auto' ? null : 'draft';
}

function openingOf(intent: Intent, facts: Facts, authority: ReasonCode): Doubt {
  const consented =
    authority === 'conversation_grant' && facts.conversation?.firstContactApproved === true;
  return isOpening(intent, facts) && !consented ? 'first_contact' : null;
}

/** What reaches nobody but the owner needs no asking; what is asked about anyway has its own reason. */
function confirmOf(intent: Intent, { chat, confirm, late }: Facts, authority: ReasonCode): Doubt {
  const sends = isInChat(intent) && chat?.kind !== 'own';
  if (!sends || REASONS[authority].outcome !== 'allow') return null;
  if (confirm) return 'confirm';
  return late ? 'late' : null;
}
