// The policy's decisions as pure functions: whether an actor may carry out an intent, read in a chat, or control a
// conversation. The gate decides on an intent when it is submitted and again just before sending. Each question can
// only narrow the result of the one before; allowing requires all of them, and no rule means no.

import type { ContactId } from '@relay/contract/ids';
import type { Scope } from '@relay/contract/policy/scopes';
import type { Actor, ConversationSession } from './actors.ts';
import { isTainted, type PolicyFacts, standingGrant } from './facts.ts';
import type { ChatIntent, Intent, ManageGrant, SendingIntent } from './intents.ts';
import { type Decision, decisionFor, REASONS, type ReasonCode, type ReasonFor } from './reasons.ts';

export function decide(actor: Actor, intent: Intent, facts: PolicyFacts): Decision {
  const refusal = lacksPower(actor, intent) ?? refusedPlace(actor, intent, facts);
  if (refusal !== null) return decisionFor(refusal);

  const authority = authorityFor(actor, intent, facts);
  if (decisionFor(authority).outcome === 'deny') return decisionFor(authority);

  const opening = refusedOpening(intent, facts);
  if (opening !== null) return decisionFor(opening);

  return decisionFor(
    withApproval(doubtAbout(actor, intent, facts, authority) ?? authority, intent, facts),
  );
}

/**
 * First contacts that would endanger the account; not even the owner's approval allows one. The daily limit is not
 * among them: the message waits in the outbox until there is room.
 */
function refusedOpening(intent: Intent, facts: PolicyFacts): ReasonFor<'deny'> | null {
  // A schedule contacts nobody before its time, and is evaluated again then.
  if (!isOpening(intent, facts) || intent.kind === 'schedule_message') return null;
  if (facts.timeLocked) return 'time_locked';
  if (facts.firstContactsOff) return 'first_contact_cap';
  return facts.unregistered ? 'not_on_whatsapp' : null;
}

/** An approval only settles a doubt: it never lifts a refusal. */
function withApproval(reason: ReasonCode, intent: Intent, { approval }: PolicyFacts): ReasonCode {
  if (decisionFor(reason).outcome !== 'needs_approval' || approval === null) return reason;
  if (!('hash' in intent) || intent.hash !== approval.hash) return 'approval_differs';
  return approval.spent ? 'approval_spent' : 'approved';
}

// First question of the gate: may this actor do this kind of thing at all, whatever the target? An actor can never do
// what its row does not list; no grant, approval or scope adds to it.

type IntentKind = Intent['kind'];

interface Power {
  readonly allowed: readonly IntentKind[];
  /** The reason for refusing everything else. */
  readonly refusal: ReasonFor<'deny'>;
}

const ANSWER = ['send_message', 'react', 'mark_read'] as const;
const AGENT = [
  ...ANSWER,
  'schedule_message',
  'cancel_schedule',
  'create_conversation',
  'manage_grant',
] as const;

const POWERS: Readonly<Record<Actor['kind'], Power>> = {
  owner: { allowed: [...AGENT, 'set_hold', 'answer_approval'], refusal: 'no_rule' },
  assistant: { allowed: AGENT, refusal: 'owner_only' },
  auto_reply: { allowed: ANSWER, refusal: 'session_only_replies' },
  conversation: { allowed: ANSWER, refusal: 'session_only_replies' },
  observer: { allowed: [], refusal: 'observer_is_silent' },
  scheduler: { allowed: ['send_message'], refusal: 'scheduler_only_sends' },
  notifier: { allowed: ['send_message'], refusal: 'notifier_only_tells' },
  token: { allowed: [...AGENT, 'set_hold'], refusal: 'owner_only' },
};

/** The scope a token needs for each intent; null means that no scope suffices. */
export const SCOPE_FOR: Readonly<Record<IntentKind, Scope | null>> = {
  send_message: 'messages:send',
  react: 'messages:send',
  mark_read: 'messages:send',
  schedule_message: 'schedules:write',
  cancel_schedule: 'schedules:write',
  create_conversation: 'conversations:write',
  manage_grant: 'permissions:write',
  set_hold: 'admin',
  answer_approval: null,
};

function lacksPower(actor: Actor, intent: Intent): ReasonFor<'deny'> | null {
  if (!Object.hasOwn(POWERS, actor.kind) || !Object.hasOwn(SCOPE_FOR, intent.kind)) {
    return 'no_rule';
  }
  const power = POWERS[actor.kind];
  if (!power.allowed.includes(intent.kind)) return power.refusal;
  if (actor.kind !== 'token') return null;
  const scope = SCOPE_FOR[intent.kind];
  return scope !== null && actor.scopes.includes(scope) ? null : 'missing_scope';
}

// Second question of the gate: is the target valid, and may this actor act there at all? This can only refuse. A hold
// and an uncertain target stop the owner too.

type Refusal = ReasonFor<'deny'> | null;

function refusedPlace(actor: Actor, intent: Intent, facts: PolicyFacts): Refusal {
  if (isSendingIntent(intent) && facts.hold) return 'hold';
  if (isChatIntent(intent)) {
    return (
      unsureTarget(intent, facts) ??
      outOfBounds(actor, intent, facts) ??
      wrongKind(actor, intent, facts)
    );
  }
  return intent.kind === 'manage_grant' && !isOnContactList(actor, grantee(intent))
    ? 'contact_not_on_token'
    : null;
}

function unsureTarget(intent: ChatIntent, { chat }: PolicyFacts): Refusal {
  if (chat === null) return 'unknown_chat';
  if (chat.id !== intent.chat) return 'wrong_facts';
  return chat.kind === 'direct' && chat.contact === null ? 'unresolved_identity' : null;
}

function outOfBounds(actor: Actor, intent: ChatIntent, { chat }: PolicyFacts): Refusal {
  const bound = actor.kind === 'auto_reply' || actor.kind === 'conversation';
  if (bound && actor.chat !== intent.chat) return 'other_chat';
  const contact = chat?.kind === 'direct' ? chat.contact : null;
  return isOnContactList(actor, contact) ? null : 'contact_not_on_token';
}

function wrongKind(actor: Actor, intent: ChatIntent, facts: PolicyFacts): Refusal {
  const { chat } = facts;
  const directOnly =
    actor.kind === 'auto_reply' ||
    actor.kind === 'conversation' ||
    intent.kind === 'create_conversation';
  if (intent.kind === 'create_conversation' && chat?.kind === 'own') return 'yourself';
  if (directOnly && chat?.kind !== 'direct') return 'direct_chats_only';
  if (chat?.kind !== 'group' || !chat.observed || ownersOwn(actor, facts)) return null;
  const answersOwner =
    actor.kind === 'assistant' && intent.kind === 'send_message' && facts.isAskedByOwner;
  if (!answersOwner) return 'observed_group';
  return facts.withinCadence ? null : 'group_rests';
}

const grantee = ({ of }: Extract<Intent, { kind: 'manage_grant' }>) =>
  of.kind === 'contact' ? of.contact : null;

/** A contact list contains no groups, so a token with a list is refused in groups. */
function isOnContactList(actor: Actor, contact: ContactId | null): boolean {
  if (actor.kind !== 'token' || actor.contacts === null) return true;
  return contact !== null && actor.contacts.includes(contact);
}

export function isSendingIntent(intent: Intent): intent is SendingIntent {
  return intent.kind === 'send_message' || intent.kind === 'react' || intent.kind === 'mark_read';
}

export function isChatIntent(intent: Intent): intent is ChatIntent {
  return (
    isSendingIntent(intent) ||
    intent.kind === 'schedule_message' ||
    intent.kind === 'create_conversation'
  );
}

/** Whether the owner acts now, or did when scheduling this. */
const ownersOwn = (actor: Actor, facts: PolicyFacts): boolean =>
  actor.kind === 'owner' || (actor.kind === 'scheduler' && facts.schedule?.by === 'owner');

// Third question of the gate: what authorises this? The owner's own action, a standing grant, a conversation's own
// grant or a schedule; otherwise it is refused with the reason. Asked only for actors with the power, in a place that
// is not refused.

function authorityFor(actor: Actor, intent: Intent, facts: PolicyFacts): ReasonCode {
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
      // A client can only end what it began.
      return actor.kind === 'token' && !intent.own ? 'not_its_own' : 'narrowing';
    case 'set_hold':
      return actor.kind === 'token' ? 'token_scope' : 'owner_only';
    case 'answer_approval':
      return 'owner_only';
  }
}

function authorityToWrite(actor: Actor, intent: ChatIntent, facts: PolicyFacts): ReasonCode {
  switch (actor.kind) {
    case 'assistant':
      return facts.chat?.kind === 'own' ? 'own_chat' : granted(actor, intent, facts);
    case 'auto_reply':
    case 'token':
      return granted(actor, intent, facts);
    case 'conversation':
      return conversationAuthority(actor, facts);
    case 'notifier':
      return facts.chat?.kind === 'own' ? 'own_chat' : 'notifier_only_tells';
    case 'scheduler':
      return scheduled(actor, intent, facts);
    default:
      return 'no_rule';
  }
}

function granted(actor: Actor, intent: ChatIntent, facts: PolicyFacts): ReasonCode {
  const grant = standingGrant(facts);
  if (grant === null) return 'no_grant';
  if (!grant.canReply) return 'no_reply_grant';
  // An auto-reply answers what was read, and a read mark shows it: both require the grant to read.
  const reads = actor.kind === 'auto_reply' || intent.kind === 'mark_read';
  return reads && !grant.canRead ? 'no_read_grant' : 'standing_grant';
}

/** Valid for one session, in one chat, with one contact, until the conversation ends. */
function conversationAuthority(
  actor: ConversationSession,
  { chat, conversation }: Pick<PolicyFacts, 'chat' | 'conversation'>,
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

/** What an agent scheduled still needs its grant when it is due; what the owner scheduled does not. */
function scheduled(actor: Actor, intent: ChatIntent, facts: PolicyFacts): ReasonCode {
  const { schedule, chat } = facts;
  if (schedule === null) return 'no_schedule';
  if (schedule.chat !== intent.chat || schedule.hash !== intent.hash) return 'schedule_changed';
  if (schedule.by === 'owner') return 'scheduled';
  if (schedule.clientRevoked) return 'program_gone';
  const grant = chat?.kind === 'own' ? 'own_chat' : granted(actor, intent, facts);
  return REASONS[grant].outcome === 'allow' && schedule.approved ? 'scheduled' : grant;
}

function authorityToStart(actor: Actor, facts: PolicyFacts): ReasonCode {
  const grant = standingGrant(facts);
  if (grant?.canInitiate) return 'standing_grant';
  // The assistant acts for the owner, whose approval of this conversation creates it.
  if (actor.kind === 'assistant') return 'start_conversation';
  return grant === null ? 'no_grant' : 'no_initiate_grant';
}

function authorityToGrant(actor: Actor, { change }: ManageGrant): ReasonCode {
  if (change === 'narrow') return 'narrowing';
  return actor.kind === 'assistant' ? 'widening' : 'widening_owner_only';
}

// Fourth question of the gate: must the owner see it first? Rule of Two: a run that has read what others wrote, knows
// private things and would now communicate or remove something needs an approval. So do drafts, first contacts, late
// answers, what the owner said in a voice message, and messages from a place where the owner is asked each time.

type Doubt = ReasonFor<'needs_approval'> | null;

/** The owner's own consent to exactly this. */
const UNQUESTIONED: ReadonlySet<ReasonCode> = new Set<ReasonFor<'allow'>>([
  'owner',
  'scheduled',
  'token_scope',
]);

function doubtAbout(
  actor: Actor,
  intent: Intent,
  facts: PolicyFacts,
  authority: ReasonCode,
): Doubt {
  if (UNQUESTIONED.has(authority)) return null;
  return (
    spokenOf(actor, intent, facts) ??
    quoteOf(intent, facts) ??
    hiddenOf(intent, facts) ??
    taintOf(actor, intent, facts) ??
    draftOf(intent, facts, authority) ??
    openingOf(intent, facts, authority) ??
    confirmOf(intent, facts, authority)
  );
}

/** Whether the chat was never written to. The owner's own chat is never a first contact. */
const isOpening = (intent: Intent, { chat }: PolicyFacts): boolean =>
  'firstContact' in intent && intent.firstContact && chat?.kind !== 'own';

/** A transcript may be wrong, so the owner sees it first. Only answers to the owner do not wait. */
const spokenOf = (actor: Actor, intent: Intent, { isSpoken, chat }: PolicyFacts): Doubt =>
  isSpoken && actor.kind === 'assistant' && !(isSendingIntent(intent) && chat?.kind === 'own')
    ? 'spoken'
    : null;

const quoteOf = (intent: Intent, facts: PolicyFacts): Doubt =>
  intent.kind === 'send_message' && facts.quotesPrivate && facts.chat?.kind !== 'own'
    ? 'quotes_private'
    : null;

/** A message that only the owner receives can deceive nobody else. */
const hiddenOf = (intent: Intent, { hasHiddenCharacters, chat }: PolicyFacts): Doubt =>
  hasHiddenCharacters && isChatIntent(intent) && chat?.kind !== 'own' ? 'hidden_characters' : null;

function taintOf(actor: Actor, intent: Intent, facts: PolicyFacts): Doubt {
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
 * Whether the message may carry private data to a person whose text influenced the run. The assistant knows what its
 * owner told it, so every chat needs an approval, also the one it has read. Other sessions know only their own chat and
 * may answer it. Messages to the owner, and messages that the owner dictated, never need one.
 */
function mayCarry(actor: Actor, intent: ChatIntent, facts: PolicyFacts): boolean {
  const { chat, taint, isDictated, isAskedByOwner } = facts;
  if (chat?.kind === 'own' || (isDictated && intent.kind === 'send_message')) return false;
  const { chats, ...elsewhere } = taint;
  if (isTainted({ chats: [], ...elsewhere })) return true;
  const knowsMore = actor.kind === 'assistant' && !isAskedByOwner;
  return chats.some((read) => knowsMore || read !== intent.chat);
}

function draftOf(intent: Intent, facts: PolicyFacts, authority: ReasonCode): Doubt {
  // A conversation is created, not sent: `replyMode` does not apply.
  if (authority !== 'standing_grant' || intent.kind === 'create_conversation') return null;
  return standingGrant(facts)?.replyMode === 'auto' ? null : 'draft';
}

function openingOf(intent: Intent, facts: PolicyFacts, authority: ReasonCode): Doubt {
  const consented =
    authority === 'conversation_grant' && facts.conversation?.firstContactApproved === true;
  return isOpening(intent, facts) && !consented ? 'first_contact' : null;
}

/**
 * A message that only the owner receives needs no confirmation; one that needs an approval anyway has its own reason.
 */
function confirmOf(
  intent: Intent,
  { chat, needsConfirmation, isLate }: PolicyFacts,
  authority: ReasonCode,
): Doubt {
  const sends = isChatIntent(intent) && chat?.kind !== 'own';
  if (!sends || REASONS[authority].outcome !== 'allow') return null;
  if (needsConfirmation) return 'confirm';
  return isLate ? 'late' : null;
}

// Whether a client may pause, resume or cancel a conversation that it sees. A pause takes effect at once. A cancel
// cannot be undone, so only its creator may cancel. Only the owner may end another's pause.

export const CONVERSATION_CONTROLS = ['pause', 'resume', 'cancel'] as const;
export type ConversationControl = (typeof CONVERSATION_CONTROLS)[number];

interface ControlFacts {
  /** This client started it. */
  readonly startedIt: boolean;
  /** This client paused it, and the owner has not acted there since. */
  readonly pausedIt: boolean;
}

export function decideControl(
  control: ConversationControl,
  { startedIt, pausedIt }: ControlFacts,
): Decision {
  switch (control) {
    case 'pause':
      return decisionFor('narrowing');
    case 'cancel':
      return decisionFor(startedIt ? 'narrowing' : 'not_its_own');
    case 'resume':
      return decisionFor(pausedIt ? 'token_scope' : 'paused_by_another');
  }
}

// Decides whether an actor may read in a chat. Checked for each chat before its text reaches a model or leaves by a
// route; queries apply the same rules in SQL. A read across chats is one question per chat.

export const READ_KINDS = [
  'messages',
  'search',
  'digests',
  'conversations',
  'permissions',
  'schedules',
  'ledger',
] as const;
/** Text by people, its search results and summaries; and records of conversations, grants, schedules and decisions. */
export type ReadKind = (typeof READ_KINDS)[number];

export interface ReadFacts
  extends Pick<PolicyFacts, 'chat' | 'contactGrant' | 'groupGrant' | 'conversation'> {
  readonly what: ReadKind;
}

export function canRead(actor: Actor, facts: ReadFacts): Decision {
  return decisionFor(refusedReader(actor, facts) ?? readAuthority(actor, facts));
}

const READERS: Readonly<Record<Actor['kind'], readonly ReadKind[]>> = {
  owner: READ_KINDS,
  assistant: READ_KINDS,
  token: READ_KINDS,
  auto_reply: ['messages', 'search'],
  conversation: ['messages', 'search', 'conversations'],
  observer: ['messages', 'search'],
  scheduler: [],
  notifier: [],
};

/** The scope a token needs for each kind of read. */
export const SCOPE_TO_READ: Readonly<Record<ReadKind, Scope>> = {
  messages: 'messages:read',
  search: 'search:read',
  digests: 'digests:read',
  conversations: 'conversations:read',
  permissions: 'permissions:read',
  schedules: 'schedules:read',
  ledger: 'ledger:read',
};

function refusedReader(actor: Actor, { what, chat }: ReadFacts): ReasonFor<'deny'> | null {
  if (!Object.hasOwn(READERS, actor.kind)) return 'no_rule';
  if (!READERS[actor.kind].includes(what)) return 'not_a_reader';
  if (actor.kind === 'owner') return null;
  if (actor.kind === 'token' && !actor.scopes.includes(SCOPE_TO_READ[what])) return 'missing_scope';
  if (chat?.kind === 'direct' && chat.contact === null) return 'unresolved_identity';
  if ('chat' in actor && actor.chat !== chat?.id) return 'other_chat';
  const contact = chat?.kind === 'direct' ? chat.contact : null;
  return isOnContactList(actor, contact) ? null : 'contact_not_on_token';
}

function readAuthority(actor: Actor, facts: ReadFacts): ReasonCode {
  const { what, chat } = facts;
  const text = what === 'messages' || what === 'search' || what === 'digests';
  switch (actor.kind) {
    case 'owner':
      return 'owner';
    case 'assistant':
      if (!text) return 'owners_assistant';
      return chat?.kind === 'own' ? 'own_chat' : grantedToRead(facts);
    case 'token':
      return text ? grantedToRead(facts) : 'token_scope';
    case 'auto_reply':
      return chat?.kind === 'direct' ? grantedToRead(facts) : 'direct_chats_only';
    case 'conversation':
      return conversationAuthority(actor, facts);
    case 'observer':
      return chat?.kind === 'group' && chat.observed ? grantedToRead(facts) : 'not_observed';
    case 'scheduler':
    case 'notifier':
      return 'not_a_reader';
  }
}

function grantedToRead(facts: ReadFacts): ReasonCode {
  if (facts.chat === null) return 'unknown_chat';
  const grant = standingGrant(facts);
  if (grant === null) return 'no_grant';
  return grant.canRead ? 'standing_grant' : 'no_read_grant';
}
