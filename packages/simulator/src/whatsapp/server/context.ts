// What every part of the server can access: the people, the pending pairings, the faults, the log of stanzas. Invariant:
// network.ts creates one for each network; nothing here is global.
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
  /** Unknown requests of clients: `tag/namespace/child` → how often. */
  readonly unknown: Map<string, number>;
}

export function countUnknown({ unknown }: NetworkContext, what: string): void {
  unknown.set(what, (unknown.get(what) ?? 0) + 1);
}

/** A logged-in companion on a connection. */
export interface CompanionSession {
  account: SimulatedAccount;
  companion: Companion;
  /** Messages it asked for again and has not refused yet. */
  askedAgain: Set<string>;
}

// The types of an iq request and its answer; one table of handlers for each namespace. Invariant: a handler returns
// data; the dispatcher sends the answer.

export interface IqRequest extends CompanionSession {
  stanza: Stanza;
  /** The first child, or an empty node if there is none. */
  child: Stanza;
  world: NetworkContext;
}

export type IqAnswer =
  | { content?: Stanza[]; after?: () => void }
  | { error: { code: number; text: string } };

/** `namespace/type/child` → handler. */
export type IqHandlers = Record<string, (request: IqRequest) => IqAnswer | Promise<IqAnswer>>;

export const EMPTY_ANSWER: IqAnswer = {};
export const ITEM_NOT_FOUND: IqAnswer = { error: { code: 404, text: 'item-not-found' } };
