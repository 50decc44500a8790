// An unmodified Baileys socket on AccountKeys, for tests and benches.
import '@relay/simulator/whatsapp/trust-preload';
import { silentLog } from '@relay/core/log';
import { SILENT, until } from '@relay/simulator/whatsapp/testing/client';
import { type ConnectionState, makeWASocket, proto, type WASocket } from '@whiskeysockets/baileys';
import { type AccountKeys, openAccountKeys } from '../account-keys.ts';
import type { KeyCache } from '../key-records.ts';
import { MemoryWireStore } from './memory-wire-store.ts';

export { until };

export interface DurableClientOptions {
  readonly store?: MemoryWireStore;
  readonly cache?: KeyCache;
}

/** What the test network offers to the owner of the device. */
interface Owner {
  scan(qr: string): Promise<unknown>;
  readonly companions: ReadonlyMap<number, { readonly pending: readonly unknown[] }>;
}

export class DurableClient {
  readonly store: MemoryWireStore;
  readonly connections: Partial<ConnectionState>[] = [];
  hints = 0;
  reconnect = true;
  readonly #url: string;
  readonly #cache: KeyCache | undefined;
  #keys: AccountKeys | undefined;
  #socket: WASocket | undefined;

  constructor(url: string, { store = new MemoryWireStore(), cache }: DurableClientOptions = {}) {
    this.#url = url;
    this.store = store;
    this.#cache = cache;
  }

  get keys(): AccountKeys {
    if (!this.#keys) throw new Error('not opened yet');
    return this.#keys;
  }

  get socket(): WASocket {
    if (!this.#socket) throw new Error('not connected yet');
    return this.#socket;
  }

  async open(): Promise<this> {
    this.#keys = await openAccountKeys(this.store, {
      log: silentLog,
      onReceived: () => {
        this.hints += 1;
      },
      ...(this.#cache && { cache: this.#cache }),
    });
    return this;
  }

  connect(): this {
    const socket = makeWASocket({
      ...this.keys.config(this.#url),
      waWebSocketUrl: this.#url,
      logger: SILENT,
      emitOwnEvents: false,
      markOnlineOnConnect: false,
    });
    this.#socket = socket;
    this.keys.attach(socket);
    const flush = setInterval(() => socket.ev.flush(), 100);
    socket.registerSocketEndHandler(() => {
      clearInterval(flush);
      socket.ev.flush();
    });
    socket.ev.on('creds.update', (update) => {
      this.keys.saveCredentials(update).catch(() => undefined);
    });
    socket.ev.on('connection.update', (update) => {
      this.connections.push(update);
      const code = closeCode(update);
      if (update.connection === 'close' && this.reconnect && code === 515) this.connect();
    });
    return this;
  }

  count(connection: ConnectionState['connection']): number {
    return this.connections.filter((update) => update.connection === connection).length;
  }

  async pair(owner: Owner): Promise<this> {
    await this.open();
    this.connect();
    await owner.scan(await until(() => this.connections.findLast(({ qr }) => qr)?.qr, 'a QR code'));
    await until(() => this.count('open') > 0, 'the opening');
    await until(() => owner.companions.get(1)?.pending.length === 0, 'the first sync');
    return this;
  }

  async send(jid: string, text: string): Promise<void> {
    await this.socket.relayMessage(jid, { conversation: text }, {});
  }

  /** The texts that are durable in the inbox, in the order of arrival. */
  get texts(): string[] {
    return [...this.store.disk.inbox.values()].flatMap(({ content }) => {
      const message = proto.Message.decode(content);
      return message.conversation ?? message.extendedTextMessage?.text ?? [];
    });
  }

  async end(): Promise<void> {
    this.reconnect = false;
    await this.#socket?.end(undefined);
    await this.#keys?.close();
  }
}

function closeCode({ lastDisconnect }: Partial<ConnectionState>): number | undefined {
  const error = lastDisconnect?.error as { output?: { statusCode?: number } } | undefined;
  return error?.output?.statusCode;
}
