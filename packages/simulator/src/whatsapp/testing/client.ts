// Test client: an unmodified Baileys socket with its keys in memory, connected to the simulated network. Invariant:
// only the trusted root is patched; events are flushed so that none stays in Baileys' buffer.
import '../trust-preload.ts';
import {
  type AuthenticationCreds,
  type AuthenticationState,
  type BaileysEventMap,
  BufferJSON,
  type ConnectionState,
  initAuthCreds,
  makeWASocket,
  proto as Proto,
  type proto,
  type SignalDataTypeMap,
  type UserFacingSocketConfig,
  type WAMessage,
} from '@whiskeysockets/baileys';
import type { Network } from '../network.ts';
import type { SimulatedAccount } from '../people/account.ts';

type Logger = NonNullable<UserFacingSocketConfig['logger']>;

const nothing = () => undefined;
export const SILENT: Logger = {
  level: 'silent',
  child: () => SILENT,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};

const FLUSH_MS = 100;
const PATIENCE_MS = 15_000;

export interface MemoryAuth extends AuthenticationState {
  /** Deletes all keys of one type, like a broken disk. */
  forget(type: keyof SignalDataTypeMap): void;
}

export function memoryAuth(): MemoryAuth {
  const creds: AuthenticationCreds = initAuthCreds();
  const store = new Map<string, string>();
  const revive = (type: string, text: string): unknown => {
    const value = JSON.parse(text, BufferJSON.reviver);
    return type === 'app-state-sync-key'
      ? Proto.Message.AppStateSyncKeyData.fromObject(value)
      : value;
  };
  return {
    creds,
    forget: (type) => {
      for (const key of [...store.keys()]) if (key.startsWith(`${type}/`)) store.delete(key);
    },
    keys: {
      get: async <Type extends keyof SignalDataTypeMap>(type: Type, ids: string[]) => {
        const found: Record<string, SignalDataTypeMap[Type]> = {};
        for (const id of ids) {
          const text = store.get(`${type}/${id}`);
          if (text !== undefined) found[id] = revive(type, text) as SignalDataTypeMap[Type];
        }
        return found;
      },
      set: async (data) => {
        for (const [type, values] of Object.entries(data)) {
          for (const [id, value] of Object.entries(values ?? {})) {
            if (value) store.set(`${type}/${id}`, JSON.stringify(value, BufferJSON.replacer));
            else store.delete(`${type}/${id}`);
          }
        }
      },
    },
  };
}

export async function until<T>(
  look: () => T | undefined | false | null,
  what: string,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const found = look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function textOf(message: WAMessage): string | undefined {
  return message.message?.conversation ?? message.message?.extendedTextMessage?.text ?? undefined;
}

export type Upsert = WAMessage & { upsertType: string };

export class Client {
  readonly auth: MemoryAuth;
  readonly upserts: Upsert[] = [];
  readonly updates: BaileysEventMap['messages.update'] = [];
  readonly receipts: BaileysEventMap['message-receipt.update'] = [];
  readonly history: WAMessage[] = [];
  readonly connections: Partial<ConnectionState>[] = [];
  readonly closes: (number | undefined)[] = [];
  reconnect = true;
  readonly #network: Network;
  #socket: ReturnType<typeof makeWASocket> | undefined;

  constructor(network: Network, auth: MemoryAuth = memoryAuth()) {
    this.#network = network;
    this.auth = auth;
  }

  get socket(): ReturnType<typeof makeWASocket> {
    if (!this.#socket) throw new Error('not connected yet');
    return this.#socket;
  }

  connect(): this {
    const socket = makeWASocket({
      waWebSocketUrl: this.#network.url,
      auth: this.auth,
      logger: SILENT,
      getMessage: async (key) => this.#sent(key),
    });
    this.#socket = socket;
    const flush = setInterval(() => socket.ev.flush(), FLUSH_MS);
    socket.registerSocketEndHandler(() => {
      clearInterval(flush);
      socket.ev.flush();
    });
    socket.ev.on('creds.update', (update) => Object.assign(this.auth.creds, update));
    socket.ev.on('messages.upsert', ({ messages, type }) => {
      for (const message of messages) this.upserts.push({ ...message, upsertType: type });
    });
    socket.ev.on('messages.update', (updates) => this.updates.push(...updates));
    socket.ev.on('message-receipt.update', (receipts) => this.receipts.push(...receipts));
    socket.ev.on('messaging-history.set', ({ messages }) => this.history.push(...messages));
    socket.ev.on('connection.update', (update) => this.#onConnection(update));
    return this;
  }

  #sent({ id }: proto.IMessageKey): proto.IMessage | undefined {
    return this.upserts.find((message) => message.key.id === id)?.message ?? undefined;
  }

  #onConnection(update: Partial<ConnectionState>): void {
    this.connections.push(update);
    if (update.connection !== 'close') return;
    const code = closeCode(update);
    this.closes.push(code);
    if (this.reconnect && code !== 401 && code !== 440) this.connect();
  }

  /** How often the connection has opened so far. */
  get opens(): number {
    return this.connections.filter(({ connection }) => connection === 'open').length;
  }

  qr(): Promise<string> {
    return until(() => this.connections.findLast(({ qr }) => qr)?.qr, 'a QR code');
  }

  async opened(times = 1): Promise<void> {
    await until(() => this.opens >= times, `opening number ${times}`);
  }

  async closed(times = 1): Promise<number | undefined> {
    await until(() => this.closes.length >= times, `closing number ${times}`);
    return this.closes[times - 1];
  }

  /** Pairs by QR and waits for the history, after which Baileys sends freely. */
  async pair(account: SimulatedAccount): Promise<this> {
    this.connect();
    await account.scan(await this.qr());
    await this.opened();
    await until(() => account.companions.get(1)?.pending.length === 0, 'the first sync');
    return this;
  }

  received(text: string): Promise<Upsert> {
    return until(() => this.upserts.find((message) => textOf(message) === text), `"${text}"`);
  }

  /** The status of a sent message, from an update or merged into its upsert. */
  status(id: string | null | undefined): number {
    const updates = this.updates.filter(({ key }) => key.id === id);
    const upserts = this.upserts.filter(({ key }) => key.id === id);
    const all = [...updates.map(({ update }) => update.status), ...upserts.map((m) => m.status)];
    return all.includes(0) ? 0 : Math.max(-1, ...all.map((status) => status ?? -1));
  }

  /** Who confirmed receipt of a group message, from a separate event or merged into the upsert. */
  receiversOf(id: string | null | undefined): Set<string | null | undefined> {
    const told = this.receipts.filter(({ key }) => key.id === id).map(({ receipt }) => receipt);
    const merged = this.upserts.filter(({ key }) => key.id === id);
    const all = [...told, ...merged.flatMap(({ userReceipt }) => userReceipt ?? [])];
    return new Set(all.map(({ userJid }) => userJid));
  }

  async end(): Promise<void> {
    this.reconnect = false;
    await this.#socket?.end(undefined);
  }
}

function closeCode({ lastDisconnect }: Partial<ConnectionState>): number | undefined {
  const error = lastDisconnect?.error as { output?: { statusCode?: number } } | undefined;
  return error?.output?.statusCode;
}
