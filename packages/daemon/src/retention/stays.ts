// What an erasure does not reach, in sentences for the owner. Says no more than is true here: what cannot be
// reached depends on whose database it is.
import type { Receipt } from '@relay/core/api/retention';
import type { RetentionWorld } from './world.ts';

type Erasure = Pick<Receipt, 'kind' | 'scoured'> & Pick<RetentionWorld, 'server' | 'logsWords'>;

export function staysAfter({ kind, scoured, server, logsWords }: Erasure): string[] {
  return [
    'One row of the ledger says that something was erased, when and how much, not whom. Earlier decisions stay, with ids that lead nowhere and no words.',
    'WhatsApp, your phone and theirs keep what they have: nothing was deleted there.',
    'Backups from before (`relay backup`, `relay export`, copies of the home) still hold it. Delete them, or make new ones.',
    ...(kind === 'person'
      ? OF_A_PERSON
      : ['If you are still in the group, its next message begins it anew.']),
    ...(scoured === 'none' ? [BUSY] : []),
    ...(server.kind === 'external' ? [NOT_OURS] : scoured === 'tables' ? [LOG_LEFT] : []),
    ...(logsWords
      ? [
          'Logs at the level debug hold the beginnings of messages until they are overwritten; `relay logs` says where they are.',
        ]
      : []),
  ];
}

const OF_A_PERSON = [
  'What you and others wrote about them stays: it is yours and theirs.',
  'The keys that open what they may write again stay under their number, until this device is unlinked.',
  'While you share a group, WhatsApp tells their number again with its members.',
];

const BUSY =
  'The rows are gone, but the files could not be written anew because somebody was reading them: `relay retention run` does it later.';
const NOT_OURS =
  "Your PostgreSQL server's write-ahead log, statistics, replicas and backups are not in Relay's hands: they lose it as its operator has set it up.";

const LOG_LEFT =
  "The database's log still holds old pages until it is written over: `relay retention run` tries again.";
