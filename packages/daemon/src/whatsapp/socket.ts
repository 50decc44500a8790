// Opens a Baileys socket configured for Relay: it prints nothing, is never shown as online, and fetches nothing by
// itself.
// Invariant: the version is the one that this Baileys was released with; nothing is asked at run time.
import type { Agent as HttpsAgent } from 'node:https';
import { type ConnectionFault, connectionFaultOf } from '@relay/contract/connection/states';
import type { MessageId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import { isMark } from '@relay/core/messages/message';
import type { FindSent, SocketGate } from '@relay/core/ports/transport';
import {
  DEFAULT_CONNECTION_CONFIG,
  makeWASocket,
  type PossiblyExtendedCacheStore,
  proto,
  type UserFacingSocketConfig,
  type WASocket,
} from '@whiskeysockets/baileys';
import { isGroupJid } from './addresses.ts';
import { sentContent } from './outbound/content.ts';
import { watchEncryption } from './outbound/send.ts';
import { createProxyAgent, type ProxyServer } from './proxy.ts';
import type { GroupCache } from './server-events.ts';
import type { AccountKeys } from './signal/account-keys.ts';

/** Relay pings the server itself, so that it can tell an unresponsive connection from a quiet one. */
const NEVER = 2 ** 31 - 1;
const MINUTE = 60_000;

/** What this device registers as. The passkey of an account signs for the same platform. */
const PLATFORM = 'Chrome';
export const PLATFORM_TYPE = proto.DeviceProps.PlatformType.CHROME;

const { HistorySyncType } = proto.HistorySync;

export interface SocketDeps {
  readonly keys: AccountKeys;
  readonly findSent: FindSent;
  readonly groups: GroupCache;
  readonly isSilent: IsObservedGroup;
  readonly log: Log;
  readonly timings: TransportTimings;
  readonly gate: SocketGate;
  /** The account's proxy; without one, a direct connection. */
  readonly proxy?: ProxyServer | undefined;
}

export function openSocket(deps: SocketDeps): WASocket {
  const { findSent, groups, isSilent, keys, log, proxy, timings } = deps;
  const config = keys.config();
  const make = config.makeSignalRepository ?? DEFAULT_CONNECTION_CONFIG.makeSignalRepository;
  const socket = makeWASocket({
    ...config,
    makeSignalRepository: watchEncryption(make),
    browser: ['Relay', PLATFORM, '1.0.0'],
    logger: baileysLogger(log),
    markOnlineOnConnect: false,
    generateHighQualityLinkPreview: false,
    emitOwnEvents: false,
    syncFullHistory: false,
    // The first piece tells which LID belongs to which number; its messages are not stored.
    shouldSyncHistoryMessage: ({ syncType }) => syncType === HistorySyncType.INITIAL_BOOTSTRAP,
    keepAliveIntervalMs: NEVER,
    defaultQueryTimeoutMs: timings.queryMs,
    ...(proxy !== undefined && {
      // Declared for HTTPS; the simulator is reached without.
      agent: createProxyAgent(
        proxy,
        new URL(DEFAULT_CONNECTION_CONFIG.waWebSocketUrl),
      ) as HttpsAgent,
    }),
    ...(timings.qrMs !== null && { qrTimeout: timings.qrMs }),
    userDevicesCache: new BoundedCache(2_000, 5 * MINUTE),
    msgRetryCounterCache: new BoundedCache(1_000, 60 * MINUTE),
    placeholderResendCache: new BoundedCache(1_000, 60 * MINUTE),
    callOfferCache: new BoundedCache(100, 5 * MINUTE),
    cachedGroupMetadata: async (jid) => groups.get(jid),
    getMessage: async ({ id }) => {
      const sent = id ? await findSent(id as MessageId) : null;
      return sent ? sentContent(sent, socket.user?.id ?? '') : undefined;
    },
  });
  keys.attach(socket);
  fenceWrites(socket, deps.gate);
  return silenceObservedGroups(socket, isSilent);
}

interface Line {
  send(data: unknown, ...more: unknown[]): void;
  terminate(): void;
}

/** The WebSocket below Baileys. */
const lineOfSocket = (socket: WASocket): Line | null =>
  (socket.ws as unknown as { socket?: Line | null }).socket ?? null;

/**
 * Asks the gate before each write, at the last place where bytes are still in this process: one that was paused for
 * longer than its lease cuts the connection here instead of writing.
 */
function fenceWrites(socket: WASocket, gate: SocketGate): void {
  const line = lineOfSocket(socket);
  if (line === null) throw new Error('Baileys opened no connection');
  const send = line.send.bind(line);
  line.send = (data, ...more) => {
    if (gate.mayWrite()) return send(data, ...more);
    line.terminate();
    const done = more.at(-1);
    if (typeof done === 'function') done(new Error('The lease of this account is over.'));
  };
}

/** Drops the connection without a closing handshake, which the server may never answer. */
export function terminateSocket(socket: WASocket): void {
  lineOfSocket(socket)?.terminate();
}

/**
 * The code of a close, from WhatsApp or Baileys. An error of the connection below is not WhatsApp's: a proxy that
 * answers 401 has not unlinked the device.
 */
export function closeCode(error: unknown): number | undefined {
  const { message, output } = (error ?? {}) as {
    message?: string;
    output?: { statusCode?: number };
  };
  return message?.startsWith('WebSocket Error') ? LINE_LOST : output?.statusCode;
}

/** What the network said about a connection that failed; Baileys keeps its error as the data of its own. */
export function networkFaultOf(error: unknown): ConnectionFault | null {
  const { data } = (error ?? {}) as { data?: unknown };
  if (!(data instanceof Error)) return null;
  const { code = null } = data as NodeJS.ErrnoException;
  return connectionFaultOf(code, data.message);
}

const LINE_LOST = 408;

/** Whether this process would connect to a network other than WhatsApp's; a demo shows that. */
export const isSimulated = (): boolean =>
  !new URL(DEFAULT_CONNECTION_CONFIG.waWebSocketUrl).hostname.endsWith('.whatsapp.com');

// Writes Baileys' log lines to Relay's log. Its objects contain keys, stanzas and message bodies, so only the text of a
// line and the name of an error pass, and only for warnings and errors.

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
    // A stanza that Baileys could not handle is not Relay's error: Relay logs every close itself.
    warn: pass('warn'),
    error: pass('warn'),
  };
  return logger;
}

// Bounded caches for Baileys: its own ones expire by time alone.
// Invariant: never more than `most` entries; the least recently used one goes first.

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

// All time limits of the transport except those of the close policy, in milliseconds.
// Invariant: production uses DEFAULT_TIMINGS; tests shorten single ones and change nothing else.

export interface TransportTimings {
  /** How long the server may take to answer a query. */
  readonly queryMs: number;
  /** How long the server may take to acknowledge a message after it was handed to the socket. */
  readonly ackMs: number;
  /** Before that: how long looking up devices, fetching keys and uploading a file may take. */
  readonly relayMs: number;
  /** Between two of our pings. */
  readonly pingMs: number;
  /** How long the connection may be silent after a ping before it counts as unresponsive. */
  readonly unresponsiveMs: number;
  /** How often Baileys' event buffer is flushed, because it sometimes gets stuck. */
  readonly flushMs: number;
  /** From `connect` on: how long codes are renewed while nobody uses one. */
  readonly linkMs: number;
  /** How long one QR code is shown; null leaves it to Baileys: a minute, then 20 s each. */
  readonly qrMs: number | null;
  /** How long a passkey request waits for the owner; at most the five minutes for which its proof is valid. */
  readonly passkeyMs: number;
  /** How long WhatsApp and the phone may take for each step after the passkey. */
  readonly passkeyStepMs: number;
  /** A connection that stayed open this long resets the count of failures before it. */
  readonly steadyMs: number;
  /** How long the server may take to end the replay, and how long each replayed message may take to be read. */
  readonly replayMs: number;
  /** How long a media host may send nothing. */
  readonly mediaIdleMs: number;
  /** At least; a download that is slower over all is ended. */
  readonly mediaBytesPerS: number;
  /** How long the account's phone may take to upload a file again. */
  readonly mediaAgainMs: number;
  /** How long a socket may take to close cleanly. */
  readonly closeMs: number;
  /** Multiplies the waits of the close policy: 1 except in tests. */
  readonly backOff: number;
}

export const DEFAULT_TIMINGS: TransportTimings = {
  queryMs: 30_000,
  ackMs: 30_000,
  relayMs: 120_000,
  pingMs: 25_000,
  unresponsiveMs: 15_000,
  flushMs: 250,
  linkMs: 180_000,
  qrMs: null,
  passkeyMs: 300_000,
  passkeyStepMs: 120_000,
  steadyMs: 10_000,
  replayMs: 20_000,
  mediaIdleMs: 30_000,
  mediaBytesPerS: 16_000,
  mediaAgainMs: 60_000,
  closeMs: 3_000,
  backOff: 1,
};

// Keeps the socket invisible in observed groups: nobody there sees typing, read receipts, played receipts or reactions,
// whoever asks for them. It is enforced here, at the last place before stanzas are made, so that no caller has to
// remember it. It does not cover what the protocol itself acknowledges.

/** True if others in the chat must not notice that somebody reads it. */
export type IsObservedGroup = (chat: string) => Promise<boolean>;

interface Key {
  readonly remoteJid?: string | null;
}

const first = (...[chat]: readonly unknown[]) => [chat];
const second = (...[, chat]: readonly unknown[]) => [chat];
const ofKeys = (...[keys]: readonly unknown[]) =>
  (keys as readonly Key[]).map((key) => key.remoteJid);

/**
 * Methods that are visible to others, with the chats they affect. Relay's messages use `relayMessage`, never
 * `sendMessage`.
 */
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
  /** If the lookup fails, the group counts as observed. */
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
      throw new Error('Relay sends no reactions or other marks to an observed group.');
    }
    return relayMessage(chat, content, options);
  };
  return socket;
}
