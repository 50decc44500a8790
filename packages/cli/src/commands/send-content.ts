// What `relay messages send` and `relay schedule` send besides text: a file from this machine, which is uploaded first,
// or a reaction, an edit, a deletion, a poll or a place.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { SendableKind } from '@relay/contract/api/media';
import { contentProblem } from '@relay/contract/api/outgoing';
import { RelayError } from '@relay/contract/errors';
import { postMedia } from '../api.ts';
import type { CommandOptions } from '../command.ts';

/** Fields of the request to send; at most one besides the text. */
interface SendContent {
  text?: string;
  media?: { id: string; kind: SendableKind; caption?: string };
  reaction?: { to: string; emoji: string };
  edit?: { of: string };
  delete?: { of: string };
  poll?: { question: string; options: string[]; select_up_to: number };
  location?: { latitude: number; longitude: number; name?: string };
}

const TYPES: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.ogg': 'audio/ogg',
  '.opus': 'audio/ogg',
  '.mp3': 'audio/mpeg',
  '.m4a': 'audio/mp4',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
  '.csv': 'text/csv',
};

/** Options that stand for something other than text; with most of them `text` is a part of it. */
const WHAT = ['file', 'voice', 'react', 'edit', 'delete', 'poll', 'location'] as const;

/** The fields of the request. */
export async function readSendContent(
  home: string,
  given: string | undefined,
  options: CommandOptions,
): Promise<SendContent> {
  const [what, other] = WHAT.filter((name) => options[name] !== undefined);
  if (other !== undefined) throw usage(`Give only one of --${what} and --${other}.`);
  const text = given === undefined || given.trim() === '' ? undefined : given;
  const value = what === undefined ? '' : String(options[what]);
  const fields = await fieldsFor(home, what, value, text);
  if (contentProblem(fields) !== null) throw usage('The text is empty.');
  return fields;
}

/** The same for a message that waits, which cannot be about another message: that one may be gone by then. */
export async function readScheduledContent(
  ...given: Parameters<typeof readSendContent>
): Promise<Omit<SendContent, 'reaction' | 'edit' | 'delete'>> {
  const { reaction, edit, delete: deleted, ...content } = await readSendContent(...given);
  if ((reaction ?? edit ?? deleted) !== undefined) {
    throw usage('Only texts, files, polls and places can wait.');
  }
  return content;
}

const usage = (what: string) => new RelayError('usage', { what });

async function fieldsFor(
  home: string,
  what: (typeof WHAT)[number] | undefined,
  value: string,
  text: string | undefined,
): Promise<SendContent> {
  const plain = text === undefined ? {} : { text };
  switch (what) {
    case undefined:
      return plain;
    case 'file':
    case 'voice':
      return { media: await upload(home, value, what === 'voice' ? 'voice' : null, text) };
    case 'react':
      return { reaction: { to: value, emoji: text ?? '' } };
    case 'edit':
      return { ...plain, edit: { of: value } };
    case 'delete':
      return { ...plain, delete: { of: value } };
    case 'poll': {
      const options = value.split('|').map((option) => option.trim());
      if (text === undefined) throw usage('Give the question as the text.');
      return { poll: { question: text, options, select_up_to: 1 } };
    }
    case 'location':
      return { location: { ...parsePlace(value), ...(text === undefined ? {} : { name: text }) } };
  }
}

function parsePlace(value: string): { latitude: number; longitude: number } {
  const [latitude = Number.NaN, longitude = Number.NaN] = value.split(',').map(Number);
  if (Number.isNaN(latitude) || Number.isNaN(longitude)) {
    throw usage('Give the place as latitude,longitude, such as 52.52,13.405.');
  }
  return { latitude, longitude };
}

async function upload(
  home: string,
  path: string,
  as: SendableKind | null,
  caption: string | undefined,
) {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw usage(
      `${path} ${error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`}.`,
    );
  });
  if (!found.isFile() || found.size === 0) throw usage(`${path} is not a file, or is empty.`);
  const type = TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
  const { id } = await postMedia(home, createReadStream(path), {
    size: found.size,
    type,
    name: basename(path),
  });
  return { id, kind: as ?? kindOf(type), ...(caption === undefined ? {} : { caption }) };
}

/** Audio is sent as a file unless it is said to be a voice message. */
function kindOf(type: string): SendableKind {
  const group = type.split('/', 1)[0];
  return group === 'image' || group === 'audio' || group === 'video' ? group : 'document';
}
