// Connects an account's transport store to an unmodified Baileys socket.
// Invariant: no byte is sent before everything submitted ahead of it is durable; after a fault nothing is sent.
import type { Log } from '@relay/core/log';
import { type TransportStore, TransportStoreFault } from '@relay/core/ports/transport';
import {
  type AuthenticationCreds,
  type BinaryNode,
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  type KeyPair,
  type UserFacingSocketConfig,
  type WASocket,
} from '@whiskeysockets/baileys';
import { createRepositoryMaker, StanzaIndex } from './decryption.ts';
import { createGatedAgent, FaultLatch, ReceivedAnnouncer, waitUntilDurable } from './durability.ts';
import { KeyCache, KeyRecords } from './key-records.ts';
import { restoreFailedSessions, silenceLibsignal, useNativeCrypto } from './libsignal-patches.ts';
import { Credentials, Operations } from './operations.ts';

export interface AccountKeys {
  /** Options for makeWASocket, for a socket to this address. */
  config(url?: string | URL): SocketKeys;
  /** Call it once for every new socket, before any event. */
  attach(socket: WASocket): void;
  /** Merges an update of the credentials; resolves when it is durable. */
  saveCredentials(update: Partial<AuthenticationCreds>): Promise<void>;
  readonly credentials: AuthenticationCreds;
  /** Resolves when everything submitted so far is durable. */
  settled(): Promise<void>;
  readonly stats: Readonly<KeyStats>;
  /** Called once, when these keys can no longer be used and must be reopened; their sockets are ended. */
  onFault(listener: (fault: TransportStoreFault) => void): () => void;
  /** Stops using the store; does not close it. */
  close(): Promise<void>;
}

type SocketKeys = Required<Pick<UserFacingSocketConfig, 'auth' | 'makeSignalRepository' | 'agent'>>;

interface KeyStats {
  /** Messages that were put into the inbox. */
  received: number;
  /** Ciphertexts that arrived again and were answered from the journal. */
  journalHits: number;
  undecryptable: number;
}

interface AccountKeysOptions {
  readonly log: Log;
  /** Shared by all accounts of a process. */
  readonly cache?: KeyCache;
  /** Called when a received message is durable. */
  readonly onReceived?: () => void;
}

const SHARED_CACHE = new KeyCache();

export async function openAccountKeys(
  store: TransportStore,
  options: AccountKeysOptions,
): Promise<AccountKeys> {
  silenceLibsignal();
  useNativeCrypto();
  restoreFailedSessions();
  return new BaileysKeys(store, new Credentials(await store.credentials()), options);
}

class BaileysKeys implements AccountKeys {
  readonly stats: KeyStats = { received: 0, journalHits: 0, undecryptable: 0 };
  readonly #store: TransportStore;
  readonly #credentials: Credentials;
  readonly #records: KeyRecords;
  readonly #operations: Operations;
  readonly #life = new FaultLatch();
  readonly #stanzas = new StanzaIndex();
  readonly #sockets = new Set<WASocket>();
  readonly #announcer: ReceivedAnnouncer;
  readonly #stopListening: (() => void)[];

  constructor(
    store: TransportStore,
    credentials: Credentials,
    { log, cache = SHARED_CACHE, onReceived }: AccountKeysOptions,
  ) {
    this.#store = store;
    this.#credentials = credentials;
    this.#records = new KeyRecords(
      store,
      cache.partition(() => store.durable),
    );
    this.#operations = new Operations(store, this.#records, credentials, this.#life);
    this.#announcer = new ReceivedAnnouncer(onReceived ?? (() => undefined));
    this.#stopListening = [
      this.#life.onFault((fault) => {
        log.error('account keys unusable', { reason: fault.kind, error: fault });
      }),
      store.onFault((fault) => this.#life.trip(fault)),
      store.onDurable(() => {
        this.#records.settle(store.durable);
        this.#announcer.settle(store.durable);
      }),
    ];
    this.#life.onFault((fault) => {
      this.#records.clear();
      for (const socket of this.#sockets) void socket.end(fault);
    });
  }

  get credentials(): AuthenticationCreds {
    return this.#credentials.value;
  }

  config(url: string | URL = DEFAULT_CONNECTION_CONFIG.waWebSocketUrl): SocketKeys {
    return {
      auth: { creds: this.credentials, keys: this.#operations.autocommitKeys },
      makeSignalRepository: createRepositoryMaker({
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
      agent: createGatedAgent(url, this.#store, this.#life),
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
    this.#life.throwIfFaulted();
    this.#credentials.merge(update);
    const stored = this.#store.submit({ credentials: this.#credentials.encode() });
    this.#makeSparePreKeys();
    await stored;
  }

  #makeSparePreKeys(): void {
    const keys = makeSparePreKeys(this.credentials);
    // A failure is reported as a fault of the store, which ends the sockets.
    if (keys)
      void Promise.resolve(this.#operations.autocommitKeys.set({ 'pre-key': keys })).catch(
        () => {},
      );
  }

  onFault(listener: (fault: TransportStoreFault) => void): () => void {
    return this.#life.onFault(listener);
  }

  settled(): Promise<void> {
    return waitUntilDurable(this.#store, this.#life);
  }

  async close(): Promise<void> {
    await this.#operations.idle();
    for (const stop of this.#stopListening) stop();
    this.#life.trip(new TransportStoreFault('unavailable', 'The keys were closed.'));
  }
}

// Creates pre-keys in advance, because Baileys sends a retry receipt with one before it stores it.
// Invariant: once linked, the next keys to be handed out are already stored.

const SPARE = 8;

/** Counts them in the credentials and returns what is to be stored; null if there are enough. */
function makeSparePreKeys(credentials: AuthenticationCreds): Record<string, KeyPair> | null {
  const { firstUnuploadedPreKeyId, me, nextPreKeyId } = credentials;
  const wanted = SPARE - (nextPreKeyId - firstUnuploadedPreKeyId);
  // Before the first upload Baileys creates all of them itself.
  if (!me || firstUnuploadedPreKeyId === 1 || wanted <= 0) return null;
  const keys: Record<string, KeyPair> = {};
  for (let id = nextPreKeyId; id < nextPreKeyId + wanted; id++) {
    keys[id] = Curve.generateKeyPair();
  }
  credentials.nextPreKeyId = nextPreKeyId + wanted;
  return keys;
}
