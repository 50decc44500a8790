// One Baileys socket, set up the way Relay uses it: quiet, unseen, and fetching nothing by itself.
// Invariant: the version is the one this Baileys was released with; nothing is asked at run time.

import type { MessageId } from '@relay/core/ids';
import type { Log } from '@relay/core/log';
import type { FindSent } from '@relay/core/ports/transport';
import {
  DEFAULT_CONNECTION_CONFIG,
  makeWASocket,
  proto,
  type WASocket,
} from '@whiskeysockets/baileys';
import { BoundedCache } from './bounded-cache.ts';
import type { GroupCache } from './groups.ts';
import { baileysLogger } from './logger.ts';
import { textContent } from './outbound/content.ts';
import { watchEncrypting } from './outbound/encrypting.ts';
import { type IsSilent, keepQuiet } from './outbound/quiet.ts';
import type { AccountKeys } from './signal/account-keys.ts';
import type { Timings } from './timings.ts';

/** Relay pings by itself, so that it can tell a deaf line from a quiet one. */
const NEVER = 2 ** 31 - 1;
const MINUTE = 60_000;

const { HistorySyncType } = proto.HistorySync;

export interface SocketDeps {
  readonly keys: AccountKeys;
  readonly findSent: FindSent;
  readonly groups: GroupCache;
  readonly isSilent: IsSilent;
  readonly log: Log;
  readonly timings: Timings;
}

export function openSocket(deps: SocketDeps): WASocket {
  const { findSent, groups, isSilent, keys, log, timings } = deps;
  const config = keys.config();
  const make = config.makeSignalRepository ?? DEFAULT_CONNECTION_CONFIG.makeSignalRepository;
  const socket = makeWASocket({
    ...config,
    makeSignalRepository: watchEncrypting(make),
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
  return keepQuiet(socket, isSilent);
}

/** Drops the line without the polite exchange of goodbyes, which nobody may answer. */
export function cut(socket: WASocket): void {
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
