// The facts on which the gate decides, read in the same transaction as the decision. A missing fact forbids: BARE_FACTS
// permits nothing to any agent.

import type { ChatId, ContactId, InstanceId } from '@relay/contract/ids';
import type { Grant } from '../contacts/grants.ts';

export type ChatFacts =
  /** `contact` is null while the chat's canonical contact is unknown: identity unresolved. */
  | { readonly kind: 'direct'; readonly id: ChatId; readonly contact: ContactId | null }
  | { readonly kind: 'group'; readonly id: ChatId; readonly observed: boolean }
  /** The owner's self-chat, or the chat with one of the owner's own numbers. */
  | { readonly kind: 'own'; readonly id: ChatId };

/** A conversation's own grant: by creating it the owner permits it, until it ends. */
export interface ConversationFacts {
  readonly instance: InstanceId;
  readonly chat: ChatId;
  readonly contact: ContactId;
  readonly ended: boolean;
  /** The owner created it, or approved its creation, knowing that the contact was never written to. */
  readonly firstContactApproved: boolean;
}

/** Whose words a run has read so far. */
export interface Taint {
  readonly chats: readonly ChatId[];
  /** Text from outside any chat: a web page, another server's tool. */
  readonly outside: boolean;
  /** Clients whose text was read, by token id. */
  readonly clients?: readonly string[];
}

export const UNTAINTED: Taint = { chats: [], outside: false };

export function joinTaints(a: Taint, b: Taint): Taint {
  const clients = [...new Set([...(a.clients ?? []), ...(b.clients ?? [])])];
  return {
    chats: [...new Set([...a.chats, ...b.chats])],
    outside: a.outside || b.outside,
    ...(clients.length === 0 ? {} : { clients }),
  };
}

/** Whether `part` contains nothing that `whole` does not. */
export const isTaintWithin = (part: Taint, whole: Taint): boolean =>
  (whole.outside || !part.outside) &&
  part.chats.every((chat) => whole.chats.includes(chat)) &&
  (part.clients ?? []).every((client) => whole.clients?.includes(client));

export const isTainted = ({ chats, outside, clients = [] }: Taint): boolean =>
  outside || chats.length > 0 || clients.length > 0;

/** The schedule behind a scheduler's message. */
export interface ScheduleFacts {
  readonly chat: ChatId;
  readonly hash: string;
  readonly by: 'owner' | 'agent';
  /** Its client may no longer schedule: the token was revoked, has expired, or names other contacts. */
  readonly clientRevoked: boolean;
  readonly approved: boolean;
}

/** The owner's approval that an intent is submitted with again. */
export interface ApprovalFacts {
  readonly hash: string;
  /** Already used for another permit. */
  readonly spent: boolean;
}

export interface PolicyFacts {
  readonly hold: boolean;
  /** The target chat of the intent. */
  readonly chat: ChatFacts | null;
  /** The standing grant of the chat's contact. Never used in a group. */
  readonly contactGrant: Grant | null;
  /** The standing grant of the group itself. */
  readonly groupGrant: Grant | null;
  readonly conversation: ConversationFacts | null;
  /** WhatsApp has frozen first contacts for this account. */
  readonly timeLocked: boolean;
  /** The settings allow no first contacts at all. */
  readonly firstContactsOff: boolean;
  /** WhatsApp has said that the contact's number is not registered. */
  readonly unregistered: boolean;
  readonly taint: Taint;
  /** The owner addressed the assistant in this group and waits for its answer there. */
  readonly isAskedByOwner: boolean;
  /** The group's limits (pause and daily maximum) allow an answer. */
  readonly withinCadence: boolean;
  /** It comes from a place where the owner is asked before anything is sent. */
  readonly needsConfirmation: boolean;
  /** It answers something so old that the owner checks it first. */
  readonly isLate: boolean;
  /** The text has characters that are invisible or change how it reads. */
  readonly hasHiddenCharacters: boolean;
  /** The text reveals private text of the agent. */
  readonly quotesPrivate: boolean;
  /** The owner's own message in this turn names the recipient and contains the whole text. */
  readonly isDictated: boolean;
  /** The owner asked in a voice message, so the run has only a transcript of their words. */
  readonly isSpoken: boolean;
  readonly schedule: ScheduleFacts | null;
  readonly approval: ApprovalFacts | null;
}

export const BARE_FACTS: PolicyFacts = {
  hold: false,
  chat: null,
  contactGrant: null,
  groupGrant: null,
  conversation: null,
  timeLocked: false,
  firstContactsOff: false,
  unregistered: false,
  taint: UNTAINTED,
  isAskedByOwner: false,
  withinCadence: false,
  needsConfirmation: false,
  isLate: false,
  hasHiddenCharacters: false,
  quotesPrivate: false,
  isDictated: false,
  isSpoken: false,
  schedule: null,
  approval: null,
};

/** The standing grant that applies in the chat: a contact's own in a direct chat, never in a group. */
export function standingGrant(
  facts: Pick<PolicyFacts, 'chat' | 'contactGrant' | 'groupGrant'>,
): Grant | null {
  switch (facts.chat?.kind) {
    case 'direct':
      return facts.contactGrant;
    case 'group':
      return facts.groupGrant;
    default:
      return null;
  }
}
