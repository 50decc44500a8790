// Takes an exported chat in: read once to learn how its dates are written and who is in it, and once more to
// store it, batch by batch. What cannot be told is asked before anything is stored; a kill in the middle
// leaves whole batches, and the same file again adds the rest.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ChatImportReport, ImportNews } from '@relay/core/api/imports';
import { folded } from '@relay/core/contacts/find';
import { RelayError } from '@relay/core/errors';
import type { MessageId } from '@relay/core/ids';
import { dayOf } from '@relay/core/import/dates';
import { type ExportedMessage, ExportReader, type Skip } from '@relay/core/import/whatsapp-export';
import { contentOf } from '@relay/core/ingest/media';
import { onlyOne } from '@relay/core/ingest/named';
import type { ImportVerbs } from '@relay/core/ports/imports';
import { fenced } from '../../store/fenced.ts';
import { type HeldFile, holdFile } from './file.ts';
import { type ImportWorld, type Prepared, prepare, readings } from './prepare.ts';
import { type OldMessage, storeBatch } from './store.ts';

const BATCH = 1_000;
const DAY_MS = 86_400_000;

export function importVerbs(world: ImportWorld): ImportVerbs {
  let busy = false;
  return {
    async begin(bytes, query) {
      world.refuseWhenFull?.();
      if (busy) throw new RelayError('export_busy');
      busy = true;
      try {
        const file = await holdFile(join(world.home, 'imports'), bytes);
        const end = once(() =>
          file.drop().finally(() => {
            busy = false;
          }),
        );
        try {
          return { news: importAll(world, file, await prepare(world, file, query)), end };
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

/** How far it is, and what the report will say. */
class Tally {
  lines = 0;
  messages = 0;
  added = 0;
  /** Of the file that was read, from 0 to 1. */
  share = 0;
  readonly people = new Set<string>();
  readonly skipped: Partial<Record<Skip, number>> = {};
  #earliest: Date | null = null;
  #latest: Date | null = null;

  skip(why: Skip): void {
    this.skipped[why] = (this.skipped[why] ?? 0) + 1;
  }

  note({ sender }: ExportedMessage, at: Date): void {
    this.messages += 1;
    this.people.add(sender);
    if (this.#earliest === null || at < this.#earliest) this.#earliest = at;
    if (this.#latest === null || at > this.#latest) this.#latest = at;
  }

  get progress(): ImportNews {
    return { type: 'progress', lines: this.lines, percent: Math.floor(this.share * 100) };
  }

  report({ place }: Prepared): ChatImportReport {
    return {
      chat_id: place.chat,
      chat_name: place.name,
      new_chat: place.isNew,
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
  world: ImportWorld,
  file: HeldFile,
  chat: Prepared,
): AsyncGenerator<ImportNews> {
  const { db, lease } = world;
  const tally = new Tally();
  for await (const { batch, ids } of batches(messagesOf(file, chat, tally))) {
    tally.added += await fenced(db, lease, (tx) =>
      storeBatch(tx, lease.account, chat.place.chat, batch, ids),
    );
    world.stored();
    yield tally.progress;
  }
  yield { type: 'done', report: tally.report(chat) };
}

async function* messagesOf(
  file: HeldFile,
  chat: Prepared,
  tally: Tally,
): AsyncGenerator<OldMessage> {
  const makeId = idMaker(chat.place.chat);
  const read = (share: number) => {
    tally.share = share;
  };
  for await (const { lines, skipped, message } of readings(file, new ExportReader(), read)) {
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

interface Batch {
  readonly batch: readonly OldMessage[];
  /** Of this batch and of those beside it. */
  readonly ids: ReadonlySet<MessageId>;
}

async function* batches(messages: AsyncIterable<OldMessage>): AsyncGenerator<Batch> {
  let before: readonly OldMessage[] = [];
  let batch: readonly OldMessage[] = [];
  let next: OldMessage[] = [];
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

function instantOf({ head }: ExportedMessage, { order, zone, latest }: Prepared): Date | null {
  const day = dayOf(head, order);
  if (day === null || day > latest + DAY_MS) return null;
  return new Date(zone.instantOf(day + head.time * 1_000));
}

function oldMessage(
  { sender: name, media, words }: ExportedMessage,
  at: Date,
  { place, me, who }: Prepared,
  makeId: ReturnType<typeof idMaker>,
): OldMessage {
  const content = contentOf(media, words, null);
  const id = makeId(name, at, content.kind, content.body, content.details?.words ?? '');
  if (me.has(folded(name))) {
    return { id, at, content, name: null, sender: null, authors: new Set(['me']) };
  }
  // In a chat with one person, whoever is not the owner is that person.
  const people = place.contact === null ? who(name) : new Set([place.contact]);
  const authors = people.size === 0 ? null : people;
  return { id, at, content, name, sender: onlyOne(people), authors };
}

/** Of those that say the same at the same time, the first, the second and so on. */
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
