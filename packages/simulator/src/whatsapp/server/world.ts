// What every part of the server may reach: the people, the desk, the faults, the log of stanzas.
// Invariant: made once for each network by network.ts; nothing here is global.
import type { KeyPair } from '@whiskeysockets/baileys';
import type { Account } from '../people/account.ts';
import type { Companion } from '../people/companion.ts';
import type { Directory } from '../people/directory.ts';
import type { GroupChat } from '../people/group.ts';
import type { PeopleWorld } from '../people/world.ts';
import type { StanzaLog } from './stanza-log.ts';

export interface ServerWorld extends PeopleWorld {
  readonly directory: Directory<Account, GroupChat>;
  readonly serverKey: KeyPair;
  readonly certificates: Uint8Array;
  readonly stanzas: StanzaLog;
  /** What time messages are stamped with. */
  readonly now: () => Date;
  /** What clients asked and nobody here knows: `tag/namespace/child` → how often. */
  readonly unknown: Map<string, number>;
}

export function noteUnknown({ unknown }: ServerWorld, what: string): void {
  unknown.set(what, (unknown.get(what) ?? 0) + 1);
}

/** Somebody logged in on a connection. */
export interface Session {
  account: Account;
  companion: Companion;
  /** Messages it asked to have again and has not refused yet. */
  askedAgain: Set<string>;
}
