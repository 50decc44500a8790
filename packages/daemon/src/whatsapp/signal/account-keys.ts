// Everything between the store of an account's wire and an unmodified Baileys socket.
// Invariant: no byte leaves before what was submitted ahead of it is durable; after a fault nothing leaves.
import type { Log } from '@relay/core/log';
import { WireFault, type WireStore } from '@relay/core/ports/wire-store';
import {
  type AuthenticationCreds,
  type BinaryNode,
  DEFAULT_CONNECTION_CONFIG,
  type UserFacingSocketConfig,
  type WASocket,
} from '@whiskeysockets/baileys';
import { Credentials } from './credentials.ts';
import { Announcer, settled } from './durability.ts';
import { KeyCache } from './key-cache.ts';
import { Life } from './life.ts';
import { useNativeCrypto } from './native-crypto.ts';
import { Operations } from './operation.ts';
import { silenceLibsignal } from './quiet.ts';
import { Stanzas } from './received.ts';
import { Records } from './records.ts';
import { repositoryMaker } from './repository.ts';
import { keepSessionsWhole } from './session-tries.ts';
import { makeSparePreKeys } from './spare-pre-keys.ts';
import { gatedAgent } from './write-gate.ts';

export interface AccountKeys {
  /** Options for makeWASocket, for a socket to this address. */
  config(url?: string | URL): SocketKeys;
  /** To be called once for every new socket, before any event. */
  attach(socket: WASocket): void;
  /** Merges an update of the credentials; resolves when it is durable. */
  saveCredentials(update: Partial<AuthenticationCreds>): Promise<void>;
  readonly credentials: AuthenticationCreds;
  /** Everything submitted so far is durable. */
  settled(): Promise<void>;
  readonly stats: Readonly<KeyStats>;
  /** Once, when these keys are of no use any more and must be opened again; their sockets are ended. */
  onFault(listener: (fault: WireFault) => void): () => void;
  /** Stops using the store; does not close it. */
  close(): Promise<void>;
}

export type SocketKeys = Required<
  Pick<UserFacingSocketConfig, 'auth' | 'makeSignalRepository' | 'agent'>
>;

export interface KeyStats {
  /** Messages that went into the inbox. */
  received: number;
  /** Ciphertexts that came again and were answered with what was in them. */
  journalHits: number;
  undecryptable: number;
}

export interface AccountKeysOptions {
  readonly log: Log;
  /** Shared by the accounts of a process. */
  readonly cache?: KeyCache;
  /** Something that was received is durable. */
  readonly onReceived?: () => void;
}

const SHARED_CACHE = new KeyCache();

export async function openAccountKeys(
  store: WireStore,
  options: AccountKeysOptions,
): Promise<AccountKeys> {
  silenceLibsignal();
  useNativeCrypto();
  keepSessionsWhole();
  return new BaileysKeys(store, new Credentials(await store.credentials()), options);
}

class BaileysKeys implements AccountKeys {
  readonly stats: KeyStats = { received: 0, journalHits: 0, undecryptable: 0 };
  readonly #store: WireStore;
  readonly #credentials: Credentials;
  readonly #records: Records;
  readonly #operations: Operations;
  readonly #life = new Life();
  readonly #stanzas = new Stanzas();
  readonly #sockets = new Set<WASocket>();
  readonly #announcer: Announcer;
  readonly #stopListening: (() => void)[];

  constructor(
    store: WireStore,
    credentials: Credentials,
    { log, cache = SHARED_CACHE, onReceived }: AccountKeysOptions,
  ) {
    this.#store = store;
    this.#credentials = credentials;
    this.#records = new Records(
      store,
      cache.partition(() => store.durable),
    );
    this.#operations = new Operations(store, this.#records, credentials, this.#life);
    this.#announcer = new Announcer(onReceived ?? (() => undefined));
    this.#stopListening = [
      this.#life.onEnd((fault) => {
        log.error('the keys of an account cannot be used', { reason: fault.kind, error: fault });
      }),
      store.onFault((fault) => this.#life.end(fault)),
      store.onDurable(() => {
        this.#records.settle(store.durable);
        this.#announcer.settle(store.durable);
      }),
    ];
    this.#life.onEnd((fault) => {
      this.#records.clear();
      for (const socket of this.#sockets) void socket.end(fault);
    });
  }

  get credentials(): AuthenticationCreds {
    return this.#credentials.value;
  }

  config(url: string | URL = DEFAULT_CONNECTION_CONFIG.waWebSocketUrl): SocketKeys {
    return {
      auth: { creds: this.credentials, keys: this.#operations.outside },
      makeSignalRepository: repositoryMaker({
        store: this.#store,
        credentials: this.#credentials,
        operations: this.#operations,
        stanzas: this.#stanzas,
        life: this.#life,
        count: (what) => {
          this.stats[what] += 1;
          if (what === 'received') this.#announcer.expect(this.#store.submitted + 1);
        },
      }),
      agent: gatedAgent(url, this.#store, this.#life),
    };
  }

  attach(socket: WASocket): void {
    this.#sockets.add(socket);
    socket.registerSocketEndHandler(() => {
      this.#sockets.delete(socket);
    });
    socket.ws.prependListener('CB:message', (stanza: BinaryNode) => this.#stanzas.note(stanza));
    this.#makeSparePreKeys();
  }

  async saveCredentials(update: Partial<AuthenticationCreds>): Promise<void> {
    this.#life.assert();
    this.#credentials.merge(update);
    const stored = this.#store.submit({ credentials: this.#credentials.encode() });
    this.#makeSparePreKeys();
    await stored;
  }

  #makeSparePreKeys(): void {
    const keys = makeSparePreKeys(this.credentials);
    // A failure is the store's fault, which ends the sockets.
    if (keys)
      void Promise.resolve(this.#operations.outside.set({ 'pre-key': keys })).catch(() => {});
  }

  onFault(listener: (fault: WireFault) => void): () => void {
    return this.#life.onEnd(listener);
  }

  settled(): Promise<void> {
    return settled(this.#store, this.#life);
  }

  async close(): Promise<void> {
    await this.#operations.idle();
    for (const stop of this.#stopListening) stop();
    this.#life.end(new WireFault('unavailable', 'The keys were closed.'));
  }
}
