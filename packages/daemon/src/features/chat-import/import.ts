// Imports an exported chat: reads it once to learn its date format and its authors, and again to store it in batches.
// What is ambiguous is asked before anything is stored. A kill leaves whole batches, and importing the same file again
// adds the rest.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type {
  ChatImportReport,
  ImportEvent,
  ImportService,
  ImportSkip,
} from '@relay/contract/api/imports';
import { RelayError } from '@relay/contract/errors';
import type { AccountId, ChatId, ContactId, MessageId } from '@relay/contract/ids';
import { foldName } from '@relay/core/contacts/match';
import { exportLineDay } from '@relay/core/import/inference';
import { type ExportedMessage, ExportReader } from '@relay/core/import/whatsapp-export';
import { type StoredContent, toStoredContent } from '@relay/core/ingest/media';
import { onlyContactIn } from '@relay/core/ingest/names';
import {
  messageEssence,
  PAIRING_SKEW_MS,
  type PairingAuthor,
  pairMessages,
} from '@relay/core/ingest/pairing';
import type { MessageDetails } from '@relay/core/messages/message';
import { sql } from 'kysely';
import type { Transaction } from '../../platform/db/database.ts';
import { putMessages, updateChats } from '../../platform/db/messages.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { type ExportFile, storeExportFile } from './export-file.ts';
import { type ImportDeps, type PreparedImport, prepareImport, readExport } from './prepare.ts';

const BATCH = 1_000;
const DAY_MS = 86_400_000;

export function createImportService(deps: ImportDeps): ImportService {
  let busy = false;
  return {
    async begin(bytes, query) {
      deps.assertDiskSpace?.();
      if (busy) throw new RelayError('export_busy');
      busy = true;
      try {
        const file = await storeExportFile(join(deps.home, 'imports'), bytes);
        const end = once(() =>
          file.drop().finally(() => {
            busy = false;
          }),
        );
        try {
          return { news: importAll(deps, file, await prepareImport(deps, file, query)), end };
        } catch (error) {
          await end();
          throw error;
        }
      } catch (error) {
        busy = false;
        throw error;
      }
    },
  };
}

function once<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= run();
    return running;
  };
}

/** Progress, and the figures of the final report. */
class Tally {
  lines = 0;
  messages = 0;
  added = 0;
  /** The share of the file that was read, from 0 to 1. */
  share = 0;
  readonly people = new Set<string>();
  readonly skipped: Partial<Record<ImportSkip, number>> = {};
  #earliest: Date | null = null;
  #latest: Date | null = null;

  skip(why: ImportSkip): void {
    this.skipped[why] = (this.skipped[why] ?? 0) + 1;
  }

  note({ sender }: ExportedMessage, at: Date): void {
    this.messages += 1;
    this.people.add(sender);
    if (this.#earliest === null || at < this.#earliest) this.#earliest = at;
    if (this.#latest === null || at > this.#latest) this.#latest = at;
  }

  get progress(): ImportEvent {
    return { type: 'progress', lines: this.lines, percent: Math.floor(this.share * 100) };
  }

  report({ target }: PreparedImport): ChatImportReport {
    return {
      chat_id: target.chat,
      chat_name: target.name,
      new_chat: target.isNew,
      lines: this.lines,
      messages: this.messages,
      added: this.added,
      known: this.messages - this.added,
      people: this.people.size,
      from: this.#earliest?.toISOString() ?? null,
      to: this.#latest?.toISOString() ?? null,
      skipped: this.skipped,
    };
  }
}

async function* importAll(
  deps: ImportDeps,
  file: ExportFile,
  chat: PreparedImport,
): AsyncGenerator<ImportEvent> {
  const { lease } = deps;
  const tally = new Tally();
  for await (const { batch, ids } of batches(messagesOf(file, chat, tally))) {
    tally.added += await transaction(deps, ({ tx }) =>
      storeImportBatch(tx, lease.account, chat.target.chat, batch, ids),
    );
    deps.onStored();
    yield tally.progress;
  }
  yield { type: 'done', report: tally.report(chat) };
}

async function* messagesOf(
  file: ExportFile,
  chat: PreparedImport,
  tally: Tally,
): AsyncGenerator<ImportedMessage> {
  const makeId = idMaker(chat.target.chat);
  const read = (share: number) => {
    tally.share = share;
  };
  for await (const { lines, skipped, message } of readExport(file, new ExportReader(), read)) {
    tally.lines += lines;
    if (skipped !== null) tally.skip(skipped);
    if (message === null) continue;
    const at = instantOf(message, chat);
    if (at === null) {
      tally.skip('no_date');
      continue;
    }
    tally.note(message, at);
    yield oldMessage(message, at, chat, makeId);
  }
}

interface ImportBatch {
  readonly batch: readonly ImportedMessage[];
  /** Ids of this batch and of the batches before and after it. */
  readonly ids: ReadonlySet<MessageId>;
}

async function* batches(messages: AsyncIterable<ImportedMessage>): AsyncGenerator<ImportBatch> {
  let before: readonly ImportedMessage[] = [];
  let batch: readonly ImportedMessage[] = [];
  let next: ImportedMessage[] = [];
  const beside = () => new Set([...before, ...batch, ...next].map(({ id }) => id));
  for await (const message of messages) {
    next.push(message);
    if (next.length < BATCH) continue;
    if (batch.length > 0) yield { batch, ids: beside() };
    [before, batch, next] = [batch, next, []];
  }
  if (batch.length > 0) yield { batch, ids: beside() };
  [before, batch, next] = [batch, next, []];
  if (batch.length > 0) yield { batch, ids: beside() };
}

function instantOf(
  { head }: ExportedMessage,
  { order, zone, latest }: PreparedImport,
): Date | null {
  const day = exportLineDay(head, order);
  if (day === null || day > latest + DAY_MS) return null;
  return new Date(zone.instantOf(day + head.time * 1_000));
}

function oldMessage(
  { sender: name, media, words }: ExportedMessage,
  at: Date,
  { target, me, who }: PreparedImport,
  makeId: ReturnType<typeof idMaker>,
): ImportedMessage {
  const content = toStoredContent(media, words, null);
  const id = makeId(name, at, content.kind, content.body, content.details?.words ?? '');
  if (me.has(foldName(name))) {
    return { id, at, content, name: null, sender: null, authors: new Set(['me']) };
  }
  // In a chat with one contact, every author other than the owner is that contact.
  const people = target.contact === null ? who(name) : new Set([target.contact]);
  const authors = people.size === 0 ? null : people;
  return { id, at, content, name, sender: onlyContactIn(people), authors };
}

/** Identical messages at the same time are numbered, so that each gets its own id. */
function idMaker(chat: string): (name: string, at: Date, ...parts: string[]) => MessageId {
  let [time, counts] = [Number.NaN, new Map<string, number>()];
  return (name, at, ...parts) => {
    if (+at !== time) [time, counts] = [+at, new Map()];
    const said = [chat, name, at.toISOString(), ...parts].join('\0');
    const count = counts.get(said) ?? 0;
    counts.set(said, count + 1);
    const hash = createHash('sha256').update(`${said}\0${count}`).digest('hex');
    return `OLD${hash.slice(0, 29).toUpperCase()}` as MessageId;
  };
}

// Stores a batch of imported messages in one transaction. A message's id is derived from its content, so it is stored
// once, however often and in whatever parts the chat is imported; a message that was already received from WhatsApp is
// not stored again.
// Invariant: imported messages are not routed; they can only be found.

interface ImportedMessage {
  readonly id: MessageId;
  readonly at: Date;
  readonly content: StoredContent;
  /** Null when the owner wrote it. */
  readonly name: string | null;
  /** The contacts who may have written it; null when no contact has that name. */
  readonly authors: ReadonlySet<PairingAuthor> | null;
  readonly sender: ContactId | null;
}

/** `ids`: those of this batch and of its neighbours, whose rows are not other messages. */
async function storeImportBatch(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
  batch: readonly ImportedMessage[],
  ids: ReadonlySet<MessageId>,
): Promise<number> {
  const known = await knownIds(tx, account, chat, batch);
  const unknown = batch.filter(({ id }) => !known.has(id));
  if (unknown.length === 0) return 0;
  const heard = await loadStoredAround(tx, account, chat, unknown, ids);
  const fresh = withoutHeard(unknown, heard);
  const stored = await putMessages(
    tx,
    account,
    fresh.map(({ id, at, content, name, sender }) => ({
      ...content,
      chat,
      sender,
      ...(name === null ? {} : { senderName: name }),
      id,
      sentAt: at,
      quotedId: null,
      isLate: false,
      source: 'import',
      inboxSeq: null,
    })),
  );
  if (stored.size > 0) {
    const last = new Date(fresh.reduce((latest, { at }) => Math.max(latest, +at), 0));
    await updateChats(tx, account, [{ chat, lastMessageAt: last, unread: 0, isAnswered: false }]);
  }
  return stored.size;
}

async function knownIds(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
  batch: readonly ImportedMessage[],
): Promise<ReadonlySet<MessageId>> {
  const { rows } = await sql<{ id: MessageId }>`SELECT message_id AS id FROM message_keys
    WHERE account_id = ${account} AND chat_id = ${chat} AND message_id = ANY(${batch.map(({ id }) => id)}::text[])`.execute(
    tx,
  );
  return new Set(rows.map(({ id }) => id));
}

interface StoredRow {
  message_id: MessageId;
  sent_at: Date;
  sender_id: ContactId | null;
  from_me: boolean;
  kind: string;
  body: string;
  details: MessageDetails | null;
}

interface HeardMessage {
  readonly at: Date;
  readonly essence: string;
  readonly author: PairingAuthor | null;
}

async function loadStoredAround(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
  batch: readonly ImportedMessage[],
  ids: ReadonlySet<MessageId>,
): Promise<readonly HeardMessage[]> {
  const times = batch.map(({ at }) => +at);
  const from = new Date(times.reduce((a, b) => Math.min(a, b)) - PAIRING_SKEW_MS);
  const to = new Date(times.reduce((a, b) => Math.max(a, b)) + PAIRING_SKEW_MS);
  const { rows } = await sql<StoredRow>`
    SELECT message_id, sent_at, sender_id, from_me, kind, body, details FROM messages
    WHERE account_id = ${account} AND chat_id = ${chat} AND sent_at BETWEEN ${from} AND ${to}`.execute(
    tx,
  );
  const others = rows.filter(({ message_id }) => !ids.has(message_id));
  return others.map((row) => ({
    at: row.sent_at,
    essence: messageEssence(row),
    author: row.from_me ? 'me' : row.sender_id,
  }));
}

/**
 * Only messages that may have the same text are compared. Mentions have two spellings, so all texts with one share a
 * bucket.
 */
const bucketOf = (said: string): string => (said.includes('@') ? '@' : said);

function withoutHeard(
  batch: readonly ImportedMessage[],
  heard: readonly HeardMessage[],
): readonly ImportedMessage[] {
  if (heard.length === 0) return batch;
  const imported = batch
    .map((message) => ({ ...message, essence: messageEssence(message.content), message }))
    // Messages with a known author are matched first.
    .sort((a, b) => Number(a.authors === null) - Number(b.authors === null));
  const places = Map.groupBy(heard, (one) => bucketOf(one.essence));
  const gone = new Set<ImportedMessage>();
  for (const [bucket, group] of Map.groupBy(imported, (one) => bucketOf(one.essence))) {
    const pairs = pairMessages(group, places.get(bucket) ?? []);
    group.forEach(({ message }, n) => {
      if (pairs[n] !== null) gone.add(message);
    });
  }
  return batch.filter((message) => !gone.has(message));
}
