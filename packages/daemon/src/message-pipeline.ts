// Builds the path of messages for one account: vault, committer, transport, intake and delivery, and the callbacks
// between them. Only this file and daemon.ts know all of them.
import type { MediaId } from '@relay/contract/ids';
import type { StrangersSettings } from '@relay/contract/settings';
import type { Log } from '@relay/core/log';
import type { SocketGate, Transport } from '@relay/core/ports/transport';
import { AccountExchange } from './account-exchange.ts';
import type { Config } from './config.ts';
import { LinkEventWriter } from './features/health/link-events.ts';
import { recheckPermits } from './pipeline/gate/recheck.ts';
import { Intake } from './pipeline/intake/intake.ts';
import { AbsenceTracker, ContactSync } from './pipeline/intake/transport-followers.ts';
import { createBuilder, openBuiltMessage } from './pipeline/outbox/build.ts';
import { checkNumber, Deliverer } from './pipeline/outbox/deliverer.ts';
import { type OutboxRow, wakeConversations } from './pipeline/outbox/delivery-updates.ts';
import { findSent } from './pipeline/outbox/outbox.ts';
import type { Database } from './platform/db/database.ts';
import type { PostgresEventLog } from './platform/db/events.ts';
import type { Lease } from './platform/db/lease.ts';
import { type MessageToRecord, recordSent } from './platform/db/messages.ts';
import { isGroupObserved } from './platform/db/observer/groups.ts';
import type { Committer } from './platform/db/transport-store/committer.ts';
import { openInboxContent } from './platform/db/transport-store/sealed.ts';
import { openTransportStore } from './platform/db/transport-store/transport-store.ts';
import type { Vault } from './platform/home/vault/vault.ts';
import type { Jobs } from './platform/jobs/jobs.ts';
import { readContent, readInboxRow } from './whatsapp/inbound/read-message.ts';
import type { ProxyServer } from './whatsapp/proxy.ts';
import { isSimulated } from './whatsapp/socket.ts';
import { createBaileysTransport } from './whatsapp/transport.ts';

interface MessagePipelineOptions {
  readonly config: Config;
  readonly vault: Vault;
  readonly database: Database;
  readonly committer: Committer;
  readonly lease: Lease;
  readonly jobs: Jobs;
  readonly events: PostgresEventLog;
  readonly log: Log;
  readonly now: () => Date;
  /** The plain bytes of stored media. */
  readonly openFile: (media: MediaId) => AsyncIterable<Uint8Array>;
  readonly gate: SocketGate;
  /** Whether other processes may show the account. */
  readonly isShared: boolean;
  /** Opens the account again, with its current settings. */
  readonly reopen: () => void;
  /** The disk is nearly full: only what is necessary is stored. */
  readonly isDiskLow: () => boolean;
  /** The account's proxy. */
  readonly proxy: ProxyServer | undefined;
}

export interface MessagePipeline {
  readonly transport: Transport;
  /** Asks WhatsApp whether a number is registered, within the time that a caller may be kept waiting. */
  readonly checkNumber: (address: string) => Promise<unknown>;
  /** True when the transport connects to the simulator instead of WhatsApp. */
  readonly isSimulated: boolean;
  /** A message was queued: send it. */
  wake(): void;
  /** Hints may have been lost, or another process has asked for something: everything looks. */
  lookAgain(): void;
  /** Connects if this account was linked before, and starts intake and delivery. */
  start(): void;
  stop(): Promise<void>;
}

/** How long a caller who creates or sends something waits for WhatsApp's answer about a number. */
const ASK_WITHIN_MS = 5_000;
/** How long a stop waits for the answers to messages in flight. */
const ANSWER_MS = 5_000;

export function openMessagePipeline(options: MessagePipelineOptions): MessagePipeline {
  const { config, vault, database, lease, jobs, events, log, now, openFile } = options;
  const { account } = lease;
  const { pacing, delivery } = config.settings;
  const db = database.kysely;
  const sealer = vault.sealer.forAccount(account);
  const openWire = openBuiltMessage(sealer, account);
  const intake = new Intake({
    db,
    lease,
    jobs,
    log,
    unseal: (row) => openInboxContent(sealer, account, row),
    read: readInboxRow,
    admins: config.settings.admin_phone_numbers,
    strangers: {
      admins: config.settings.admin_phone_numbers,
      limits: () =>
        options.isDiskLow() ? NO_STRANGER_BYTES : strangerLimits(config.settings.strangers),
    },
    onStored: () => events.hint(),
  });
  const transport = createBaileysTransport({
    openStore: () => openTransportStore(options.committer, { lease, sealer, reader: db }),
    findSent: (id) => findSent(db, account, id, openWire),
    isSilent: (address) => isGroupObserved(db, account, address),
    onReceived: () => intake.wake(),
    gate: options.gate,
    proxy: options.proxy,
    log,
  });
  const deliverer = new Deliverer({
    db,
    lease,
    transport,
    builder: createBuilder({ account, sealer, transport, openFile }),
    log,
    pacing,
    delivery,
    recheck: recheckPermits(account, {
      pacing,
      admins: config.settings.admin_phone_numbers,
      observer: config.settings.observer,
      now,
    }),
    hooks: {
      recordSent: (tx, sent) =>
        recordSent(
          tx,
          account,
          sent.map(({ row, at }) => toRecord(row, at, openWire(row))),
        ),
      ...wakeConversations(jobs, account),
    },
    onChange: () => events.hint(),
    now,
  });
  const learner = new ContactSync(db, lease, log);
  const absence = new AbsenceTracker({ db, lease, intake, log, changed: () => events.hint() });
  const linkNews = new LinkEventWriter({ db, lease, log, changed: () => events.hint() });
  const exchange = options.isShared
    ? new AccountExchange({
        place: { db, account, sealer },
        lease,
        transport,
        log,
        reopen: options.reopen,
      })
    : null;
  const unsubscribe = transport.subscribe((event) => {
    exchange?.onTransportEvent(event);
    learner.onTransportEvent(event);
    absence.onTransportEvent(event);
    linkNews.onTransportEvent(event);
    return deliverer.onTransportEvent(event);
  });
  return {
    transport,
    checkNumber: (address) =>
      checkNumber({ db, lease, transport, log, now }, address, ASK_WITHIN_MS),
    isSimulated: isSimulated(),
    wake: () => deliverer.wake(),
    lookAgain() {
      intake.wake();
      deliverer.wake();
      exchange?.answer();
    },
    start() {
      exchange?.start();
      intake.start();
      deliverer.start();
      transport.resume();
    },
    async stop() {
      await deliverer.stop(ANSWER_MS);
      await transport.close();
      unsubscribe();
      await learner.settled();
      await intake.stop();
      await absence.settled();
      await linkNews.waitUntilWritten();
      await exchange?.stop();
    },
  };
}

const NO_STRANGER_BYTES = { perSender: 0, inAll: 0 };
const strangerLimits = ({ kilobytes_per_sender, megabytes_per_day }: StrangersSettings) => ({
  perSender: kilobytes_per_sender * 1_000,
  inAll: megabytes_per_day * 1_000_000,
});

/** A built message is read back like a received one, so that both look the same wherever messages are shown. */
function toRecord(row: OutboxRow, sentAt: Date, built: Uint8Array | null): MessageToRecord {
  const { chat_id: chat, message_id: id, body, quotes, content } = row;
  const read = built === null ? null : readContent(built);
  if (read === null) return { chat, id, body, quotes, sentAt };
  const file = content?.kind === 'media' ? (content.media as MediaId) : null;
  return { chat, id, body: read.body, quotes: read.quotedId, sentAt, built: { ...read, file } };
}
