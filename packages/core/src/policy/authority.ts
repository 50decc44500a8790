// Third question of the gate: whose yes stands behind this? The owner's own act, a standing grant,
// a conversation's own grant or a schedule; where there is none, it is refused with the reason.
// Asked only for actors that have the power, in a place that is not refused.
import type { Actor, ConversationSession } from './actors.ts';
import { type Facts, standingGrant } from './facts.ts';
import type { ChatIntent, Intent, ManageGrant } from './intents.ts';
import { REASONS, type ReasonCode } from './reasons.ts';

export function authorityFor(actor: Actor, intent: Intent, facts: Facts): ReasonCode {
  if (actor.kind === 'owner') return 'owner';
  switch (intent.kind) {
    case 'send_message':
    case 'react':
    case 'mark_read':
    case 'schedule_message':
      return authorityToWrite(actor, intent, facts);
    case 'create_conversation':
      return authorityToStart(actor, facts);
    case 'manage_grant':
      return authorityToGrant(actor, intent);
    case 'cancel_schedule':
      // A program ends only what it began.
      return actor.kind === 'token' && !intent.own ? 'not_its_own' : 'narrowing';
    case 'set_hold':
      return actor.kind === 'token' ? 'token_scope' : 'owner_only';
    case 'answer_approval':
      return 'owner_only';
  }
}

function authorityToWrite(actor: Actor, intent: ChatIntent, facts: Facts): ReasonCode {
  switch (actor.kind) {
    case 'assistant':
      return facts.chat?.kind === 'own' ? 'own_chat' : granted(actor, intent, facts);
    case 'auto_reply':
    case 'token':
      return granted(actor, intent, facts);
    case 'conversation':
      return insideConversation(actor, facts);
    case 'notifier':
      return facts.chat?.kind === 'own' ? 'own_chat' : 'notifier_only_tells';
    case 'scheduler':
      return scheduled(actor, intent, facts);
    default:
      return 'no_rule';
  }
}

function granted(actor: Actor, intent: ChatIntent, facts: Facts): ReasonCode {
  const grant = standingGrant(facts);
  if (grant === null) return 'no_grant';
  if (!grant.canReply) return 'no_reply_grant';
  // An auto-reply answers what was read, and a read mark says so: neither without reading.
  const reads = actor.kind === 'auto_reply' || intent.kind === 'mark_read';
  return reads && !grant.canRead ? 'no_read_grant' : 'standing_grant';
}

/** Good for one session, in one chat, with one contact, until the conversation ends. */
export function insideConversation(
  actor: ConversationSession,
  { chat, conversation }: Pick<Facts, 'chat' | 'conversation'>,
): ReasonCode {
  const same =
    conversation !== null &&
    chat?.kind === 'direct' &&
    conversation.instance === actor.instance &&
    conversation.chat === actor.chat &&
    conversation.chat === chat.id &&
    conversation.contact === chat.contact;
  if (!same) return 'not_in_conversation';
  return conversation.ended ? 'conversation_ended' : 'conversation_grant';
}

/** What an agent scheduled still needs its grant on the day; what the owner scheduled does not. */
function scheduled(actor: Actor, intent: ChatIntent, facts: Facts): ReasonCode {
  const { schedule, chat } = facts;
  if (schedule === null) return 'no_schedule';
  if (schedule.chat !== intent.chat || schedule.hash !== intent.hash) return 'schedule_changed';
  if (schedule.by === 'owner') return 'scheduled';
  if (schedule.programGone) return 'program_gone';
  const grant = chat?.kind === 'own' ? 'own_chat' : granted(actor, intent, facts);
  return REASONS[grant].outcome === 'allow' && schedule.approved ? 'scheduled' : grant;
}

function authorityToStart(actor: Actor, facts: Facts): ReasonCode {
  const grant = standingGrant(facts);
  if (grant?.canInitiate) return 'standing_grant';
  // The assistant speaks for the owner, whose yes to this one conversation creates it.
  if (actor.kind === 'assistant') return 'start_conversation';
  return grant === null ? 'no_grant' : 'no_initiate_grant';
}

function authorityToGrant(actor: Actor, { change }: ManageGrant): ReasonCode {
  if (change === 'narrow') return 'narrowing';
  return actor.kind === 'assistant' ? 'widening' : 'widening_owner_only';
}
