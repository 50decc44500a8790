// An exported chat, line by line, as messages. A message begins with a date and goes on until the next one
// does. Pure, and bounded whatever the file holds: a line or a message that does not end is cut.

import type { Media } from '../ingest/media.ts';
import { isDeletion, readAttachment, withoutEdit } from './attachments.ts';
import { type Head, readHead } from './head.ts';

export const SKIPS = ['system', 'deleted', 'media', 'empty', 'no_message', 'no_date'] as const;
export type Skip = (typeof SKIPS)[number];

export interface ExportedMessage {
  readonly head: Omit<Head, 'rest'>;
  readonly sender: string;
  readonly media: Media | null;
  readonly words: string;
}

export type Reading = ExportedMessage | { readonly skipped: Exclude<Skip, 'no_date'> };

const LONGEST_TEXT = 65_536;
const LONGEST_NAME = 100;
const MARK = '\u200e';
const UNSEEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

export class ExportReader {
  #open: { head: Head; text: string } | null = null;
  #begun = false;

  /** What was finished by this line, if anything was. */
  push(line: string): Reading | null {
    const head = readHead(line);
    if (head === null) {
      if (this.#open === null) return line.trim() === '' ? null : { skipped: 'no_message' };
      if (this.#open.text.length < LONGEST_TEXT) this.#open.text += `\n${line}`;
      return null;
    }
    const done = this.end();
    this.#begun = true;
    this.#open = { head, text: head.rest };
    return done;
  }

  /** The last message. */
  end(): Reading | null {
    const open = this.#open;
    this.#open = null;
    return open === null ? null : read(open.head, open.text.slice(0, LONGEST_TEXT));
  }

  /** Whether any line looked like one of an exported chat. */
  get begun(): boolean {
    return this.#begun;
  }
}

function read({ rest: _, ...head }: Head, text: string): Reading {
  const said = splitName(text);
  if (said === null) return { skipped: 'system' };
  const { sender, words: spoken } = said;
  const words = withoutEdit(spoken).trim();
  if (words.replace(UNSEEN, '') === '' || words === 'null') return { skipped: 'empty' };
  if (isDeletion(words)) return { skipped: 'deleted' };
  const attachment = readAttachment(words);
  if (attachment?.media === null) return { skipped: 'media' };
  if (attachment !== null) {
    return { head, sender, media: attachment.media, words: clean(attachment.words) };
  }
  // On an iPhone what the app says itself is marked, even where it stands after a name.
  if (words.startsWith(MARK)) return { skipped: 'system' };
  return { head, sender, media: null, words: clean(words) };
}

function splitName(text: string): { sender: string; words: string } | null {
  const first = text.split('\n', 1)[0] ?? '';
  const at = /:(?: |$)/.exec(first)?.index ?? -1;
  if (at < 1 || at > LONGEST_NAME) return null;
  const sender = text
    .slice(0, at)
    .replace(UNSEEN, '')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/^~ ?/, '');
  // A subject in quotes belongs to a line such as: Ana changed the subject to "Trip: Goa".
  if (sender === '' || /["“„«]/.test(sender)) return null;
  return { sender, words: text.slice(at + 1).trimStart() };
}

const clean = (text: string): string =>
  text.replaceAll(MARK, '').toWellFormed().replaceAll('\0', '\ufffd').replaceAll('\r', '').trim();
