// One Baileys socket, set up the way Relay uses it: quiet, unseen, and fetching nothing by itself.
// Invariant: the version is the one this Baileys was released with; nothing is asked at run time.
import type { MessageId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import { isMark } from '@relay/core/messages/message';
import type { FindSent } from '@relay/core/ports/transport';
import {
  DEFAULT_CONNECTION_CONFIG,
  makeWASocket,
  type PossiblyExtendedCacheStore,
  proto,
  type UserFacingSocketConfig,
  type WASocket,
} from '@whiskeysockets/baileys';
import { isGroupJid } from './addresses.ts';
import { textContent, watchEncryption } from './outbound/send.ts';
import type { GroupCache } from './server-events.ts';
import type { AccountKeys } from './signal/account-keys.ts';

/** Relay pings by itself, so that it can tell a deaf line from a quiet one. */
const NEVER = 2 ** 31 - 1;
const MINUTE = 60_000;

const { HistorySyncType } = proto.HistorySync;

export interface SocketDeps {
  readonly keys: AccountKeys;
  readonly findSent: FindSent;
  readonly groups: GroupCache;
  readonly isSilent: IsObservedGroup;
  readonly log: Log;
  readonly timings: TransportTimings;
}

export function openSocket(deps: SocketDeps): WASocket {
  const { findSent, groups, isSilent, keys, log, timings } = deps;
  const config = keys.config();
  const make = config.makeSignalRepository ?? DEFAULT_CONNECTION_CONFIG.makeSignalRepository;
  const socket = makeWASocket({
    ...config,
    makeSignalRepository: watchEncryption(make),
    browser: ['Relay', 'Chrome', '1.0.0'],
    logger: baileysLogger(log),
    markOnlineOnConnect: false,
    generateHighQualityLinkPreview: false,
    emitOwnEvents: false,
    syncFullHistory: false,
    // The first piece tells which LID belongs to which number; the messages in it are not kept.
    shouldSyncHistoryMessage: ({ syncType }) => syncType === HistorySyncType.INITIAL_BOOTSTRAP,
    keepAliveIntervalMs: NEVER,
    defaultQueryTimeoutMs: timings.queryMs,
    ...(timings.qrMs !== null && { qrTimeout: timings.qrMs }),
    userDevicesCache: new BoundedCache(2_000, 5 * MINUTE),
    msgRetryCounterCache: new BoundedCache(1_000, 60 * MINUTE),
    placeholderResendCache: new BoundedCache(1_000, 60 * MINUTE),
    callOfferCache: new BoundedCache(100, 5 * MINUTE),
    cachedGroupMetadata: async (jid) => groups.get(jid),
    getMessage: async ({ id }) => {
      const sent = id ? await findSent(id as MessageId) : null;
      return sent ? textContent(sent.text) : undefined;
    },
  });
  keys.attach(socket);
  return silenceObservedGroups(socket, isSilent);
}

/** Drops the line without the polite exchange of goodbyes, which nobody may answer. */
export function terminateSocket(socket: WASocket): void {
  const { socket: line } = socket.ws as unknown as { socket?: { terminate(): void } | null };
  line?.terminate();
}

/**
 * The code of a close, as WhatsApp or Baileys gave it. An error of the line below is none of
 * WhatsApp's: a proxy that answers 401 has not unlinked anybody.
 */
export function closeCode(error: unknown): number | undefined {
  const { message, output } = (error ?? {}) as {
    message?: string;
    output?: { statusCode?: number };
  };
  return message?.startsWith('WebSocket Error') ? LINE_LOST : output?.statusCode;
}

const LINE_LOST = 408;

/** Whether a socket of this process would reach another network than WhatsApp's: a demo says so of itself. */
export const isSimulated = (): boolean =>
  !new URL(DEFAULT_CONNECTION_CONFIG.waWebSocketUrl).hostname.endsWith('.whatsapp.com');

// Baileys' log lines in Relay's log. Its objects hold keys, stanzas and bodies, so only the text of a
// line and the name of an error pass; and only what Baileys itself calls a warning or an error.

type BaileysLogger = NonNullable<UserFacingSocketConfig['logger']>;

const LONGEST_LOG_LINE = 160;

/** Baileys puts addresses and ids into some of its texts. */
const plain = (text: string): string =>
  text.replace(/(?<![\w.:+-])[\w.:+-]*@[\w.]+|\d{5,}/g, '…').slice(0, LONGEST_LOG_LINE);

function lineOf(first: unknown, text: string | undefined): string {
  if (text !== undefined) return text;
  return typeof first === 'string' ? first : 'said nothing';
}

function errorOf(first: unknown): string | undefined {
  if (typeof first !== 'object' || first === null) return undefined;
  const { err, error } = first as { err?: unknown; error?: unknown };
  const found = err ?? error;
  return found instanceof Error ? found.name : undefined;
}

export function baileysLogger(log: Log): BaileysLogger {
  const pass = (level: 'warn' | 'error') => (first: unknown, text?: string) => {
    const code = errorOf(first);
    log[level](`Baileys: ${plain(lineOf(first, text))}`, code === undefined ? {} : { code });
  };
  const drop = () => undefined;
  const logger: BaileysLogger = {
    level: 'warn',
    child: () => logger,
    trace: drop,
    debug: drop,
    info: drop,
    // A stanza Baileys could not handle is no fault of Relay's: every close is told by our own lines.
    warn: pass('warn'),
    error: pass('warn'),
  };
  return logger;
}

// The caches Baileys asks for, with a limit: what it brings along itself forgets by time alone.
// Invariant: never more than `most` entries; the one that was not touched for longest goes first.

interface Entry {
  readonly value: unknown;
  readonly until: number;
}

export class BoundedCache implements PossiblyExtendedCacheStore {
  readonly #entries = new Map<string, Entry>();
  readonly #most: number;
  readonly #ttlMs: number;

  constructor(most: number, ttlMs: number) {
    this.#most = most;
    this.#ttlMs = ttlMs;
  }

  get size(): number {
    return this.#entries.size;
  }

  get<T>(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    if (entry.until <= Date.now()) return undefined;
    this.#entries.set(key, entry);
    return entry.value as T;
  }

  set<T>(key: string, value: T): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, until: Date.now() + this.#ttlMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#most && oldest !== undefined) this.#entries.delete(oldest);
  }

  del(key: string): void {
    this.#entries.delete(key);
  }

  flushAll(): void {
    this.#entries.clear();
  }

  async mget<T>(keys: string[]): Promise<Record<string, T | undefined>> {
    return Object.fromEntries(keys.map((key) => [key, this.get<T>(key)]));
  }

  mset<T>(entries: { key: string; value: T }[]): void {
    for (const { key, value } of entries) this.set(key, value);
  }

  mdel(keys: string[]): void {
    for (const key of keys) this.del(key);
  }
}

// Every wait of the transport that is its own and not the close policy's, in milliseconds.
// Invariant: production uses DEFAULT_TIMINGS; tests shorten single ones and change nothing else.

export interface TransportTimings {
  /** After a question of ours: how long the server may take to answer. */
  readonly queryMs: number;
  /** After a message was handed to the socket: how long the server may take to acknowledge it. */
  readonly ackMs: number;
  /** Before that: how long looking up devices, fetching keys and uploading a file may take. */
  readonly relayMs: number;
  /** Between two pings of ours. */
  readonly pingMs: number;
  /** After a ping: how long the line may be silent before it counts as deaf. */
  readonly deafMs: number;
  /** Baileys' event buffer sticks now and then; it is emptied this often. */
  readonly flushMs: number;
  /** From `connect` on: how long codes are renewed while nobody uses one. */
  readonly linkMs: number;
  /** How long one QR code is shown; null leaves it to Baileys: a minute, then 20 s each. */
  readonly qrMs: number | null;
  /** A connection that stayed open this long forgets the failures before it. */
  readonly steadyMs: number;
  /** How long the server may take to say that nothing more waits, and each of what waited to be read. */
  readonly replayMs: number;
  /** How long a socket may take to close politely. */
  readonly closeMs: number;
  /** The waits of the close policy are multiplied by this: 1 but for tests. */
  readonly backOff: number;
}

export const DEFAULT_TIMINGS: TransportTimings = {
  queryMs: 30_000,
  ackMs: 30_000,
  relayMs: 120_000,
  pingMs: 25_000,
  deafMs: 15_000,
  flushMs: 250,
  linkMs: 180_000,
  qrMs: null,
  steadyMs: 10_000,
  replayMs: 20_000,
  closeMs: 3_000,
  backOff: 1,
};

// Where the socket keeps quiet: in a group that is read in silence nobody sees anybody typing, reading,
// listening or reacting, whoever asks for it. Held here, at the last place before stanzas are made, so that
// no caller has to remember it. What the protocol itself acknowledges is not in anybody's hands.

/** True when others there must not notice that somebody is. */
export type IsObservedGroup = (chat: string) => Promise<boolean>;

interface Key {
  readonly remoteJid?: string | null;
}

const first = (...[chat]: readonly unknown[]) => [chat];
const second = (...[, chat]: readonly unknown[]) => [chat];
const ofKeys = (...[keys]: readonly unknown[]) =>
  (keys as readonly Key[]).map((key) => key.remoteJid);

/** What shows oneself, and in which chats. Relay's messages go by `relayMessage`, never by `sendMessage`. */
const VISIBLE_METHODS = {
  sendPresenceUpdate: second,
  presenceSubscribe: first,
  readMessages: ofKeys,
  sendReceipt: first,
  sendReceipts: ofKeys,
  sendMessage: first,
} as const satisfies Partial<Record<keyof WASocket, (...given: readonly unknown[]) => unknown[]>>;

type Method = (...given: unknown[]) => Promise<unknown>;

export function silenceObservedGroups(socket: WASocket, isSilent: IsObservedGroup): WASocket {
  /** A group of which it cannot be told is one. */
  const silent = (chat: unknown): Promise<boolean> =>
    typeof chat === 'string' && isGroupJid(chat)
      ? isSilent(chat).catch(() => true)
      : Promise.resolve(false);
  const anySilent = async (chats: readonly unknown[]): Promise<boolean> =>
    (await Promise.all(chats.map(silent))).includes(true);

  const methods = socket as unknown as Record<string, Method>;
  for (const [name, chatsIn] of Object.entries(VISIBLE_METHODS)) {
    const method = methods[name];
    if (method === undefined) throw new Error(`Baileys has no ${name}`);
    methods[name] = async (...given) =>
      (await anySilent(chatsIn(...given))) ? undefined : method(...given);
  }
  const { relayMessage } = socket;
  socket.relayMessage = async (chat, content, options) => {
    if (Object.keys(content).some(isMark) && (await silent(chat))) {
      throw new Error('No mark is put on a message of a group that is read in silence.');
    }
    return relayMessage(chat, content, options);
  };
  return socket;
}
