// What every part of the server may reach: the people, the desk, the faults, the log of stanzas.
// Invariant: made once for each network by network.ts; nothing here is global.
import type { KeyPair } from '@whiskeysockets/baileys';
import type { StanzaLog } from '../events.ts';
import type { SimulatedAccount } from '../people/account.ts';
import type { Companion } from '../people/companions.ts';
import type { Directory, PeopleContext } from '../people/directory.ts';
import type { GroupChat } from '../people/group.ts';
import type { Stanza } from '../wire/nodes.ts';

export interface NetworkContext extends PeopleContext {
  readonly directory: Directory<SimulatedAccount, GroupChat>;
  readonly serverKey: KeyPair;
  readonly certificates: Uint8Array;
  readonly stanzas: StanzaLog;
  /** What time messages are stamped with. */
  readonly now: () => Date;
  /** What clients asked and nobody here knows: `tag/namespace/child` → how often. */
  readonly unknown: Map<string, number>;
}

export function countUnknown({ unknown }: NetworkContext, what: string): void {
  unknown.set(what, (unknown.get(what) ?? 0) + 1);
}

/** Somebody logged in on a connection. */
export interface CompanionSession {
  account: SimulatedAccount;
  companion: Companion;
  /** Messages it asked to have again and has not refused yet. */
  askedAgain: Set<string>;
}

// The shape of a question to the server and of its answer; one table of handlers for each namespace.
// Invariant: a handler answers with data; sending the answer is the dispatcher's work.

export interface IqRequest extends CompanionSession {
  stanza: Stanza;
  /** The first child, or an empty node when the question has none. */
  child: Stanza;
  world: NetworkContext;
}

export type IqAnswer =
  | { content?: Stanza[]; after?: () => void }
  | { error: { code: number; text: string } };

/** `namespace/type/child` → what the server answers. */
export type IqHandlers = Record<string, (request: IqRequest) => IqAnswer | Promise<IqAnswer>>;

export const EMPTY_ANSWER: IqAnswer = {};
export const ITEM_NOT_FOUND: IqAnswer = { error: { code: 404, text: 'item-not-found' } };
