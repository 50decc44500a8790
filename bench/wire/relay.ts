// Baileys over AccountKeys, with every change durable in PostgreSQL before a byte of it is sent.
import { createSecretKey } from 'node:crypto';
import type { AccountId } from '@relay/contract/ids';
import { silentLog } from '@relay/core/log';
import {
  type ConnectionTarget,
  databaseOf,
  openDatabase,
  type SharedDatabase,
} from '@relay/daemon/platform/db/database';
import { takeLease } from '@relay/daemon/platform/db/lease';
import { Committer } from '@relay/daemon/platform/db/transport-store/committer';
import { openTransportStore } from '@relay/daemon/platform/db/transport-store/transport-store';
import { aesSealer } from '@relay/daemon/platform/home/vault/sealer';
import { followReplay } from '@relay/daemon/whatsapp/server-events';
import { openAccountKeys } from '@relay/daemon/whatsapp/signal/account-keys';
import type { ArmKeys } from './keys.ts';

export interface RelayTarget {
  readonly database: ConnectionTarget;
  /** The encryption key of the store, in hex. */
  readonly secret: string;
}

interface Wire {
  readonly database: SharedDatabase;
  readonly committer: Committer;
}

/** One holder for all processes, so that the next takes over the lease of the one before. */
const HOLDER = '00000000-0000-4000-8000-00000000be9c';
let wire: Wire | undefined;

export async function relayKeys(target: RelayTarget, known?: number): Promise<ArmKeys> {
  wire ??= {
    database: openDatabase(target.database, { max: 2 }),
    committer: new Committer(target.database),
  };
  const account = (known as AccountId | undefined) ?? (await newAccount(wire.database));
  const sealer = aesSealer(createSecretKey(Buffer.from(target.secret, 'hex')));
  const lease = await takeLease(wire.database.allAccounts, account, HOLDER);
  if (!lease) throw new Error('a fresh account is free');
  const reader = databaseOf(wire.database, account).kysely;
  const store = await openTransportStore(wire.committer, { lease, sealer, reader });
  const keys = await openAccountKeys(store, { log: silentLog });
  let commits = 0;
  store.onDurable(() => {
    commits += 1;
  });
  return {
    account,
    config: (url) => ({ ...keys.config(url), emitOwnEvents: false, markOnlineOnConnect: false }),
    attach: (socket) => {
      keys.attach(socket);
      // Like the transport: messages are read one by one, in the order of arrival.
      followReplay({ socket, patienceMs: 5_000, onWaiting: () => {}, onOver: () => {} });
      socket.ev.on('creds.update', (update) => {
        keys.saveCredentials(update).catch(() => undefined);
      });
    },
    send: (socket, chat, text, messageId) =>
      socket.relayMessage(chat, { conversation: text }, { messageId }),
    commits: () => commits,
  };
}

async function newAccount({ allAccounts }: SharedDatabase): Promise<AccountId> {
  const { id } = await allAccounts
    .insertInto('accounts')
    .values({ label: 'bench' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
