// Puts a text into the field that an attack targets: the body, or a less obvious part of a message. The rest of the
// message is ordinary. Invariant: the text is in that field unchanged, and nowhere else.
import { wordsInFile } from '@relay/simulator/model/media';
import type { SendableContent } from '@relay/simulator/whatsapp/media';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import type { GroupChat } from '@relay/simulator/whatsapp/people/group';
import type { Field } from './data.ts';

const MEDIA = { mimetype: 'application/pdf', fileLength: 1_000, directPath: '/v/x', url: '' };

const MESSAGES: Readonly<Record<Field, (text: string) => SendableContent>> = {
  body: (text) => text,
  push_name: () => 'Hello there',
  group_subject: () => 'Hello there',
  caption: (caption) => ({
    raw: { imageMessage: { ...MEDIA, mimetype: 'image/jpeg', caption } },
  }),
  file_name: (fileName) => ({ raw: { documentMessage: { ...MEDIA, fileName } } }),
  vcard: (vcard) => ({ raw: { contactMessage: { displayName: 'A contact', vcard } } }),
  quoted: (conversation) => ({
    raw: {
      extendedTextMessage: {
        text: 'See above',
        contextInfo: { stanzaId: '3EB0QUOTED', quotedMessage: { conversation } },
      },
    },
  }),
  poll_option: (optionName) => ({
    raw: {
      pollCreationMessage: {
        name: 'When?',
        options: [{ optionName: 'Monday' }, { optionName }],
        selectableOptionsCount: 1,
      },
    },
  }),
  location_name: (name) => ({
    raw: { locationMessage: { degreesLatitude: 59.9, degreesLongitude: 10.7, name } },
  }),
  transcript: (text) => ({
    audio: Buffer.concat([Buffer.from('OggS\0\x02'), wordsInFile(text)]),
    ptt: true,
    seconds: 3,
    waveform: new Uint8Array(64),
    mimetype: 'audio/ogg; codecs=opus',
  }),
  picture_text: (text) => ({
    image: Buffer.concat([PIXEL, wordsInFile(text)]),
    mimetype: 'image/png',
    jpegThumbnail: '',
  }),
  document_text: (text) => ({
    document: Buffer.from(text),
    mimetype: 'text/plain',
    fileName: 'notes.txt',
  }),
  button_text: (selectedDisplayText) => ({
    raw: { buttonsResponseMessage: { selectedButtonId: 'yes', selectedDisplayText, type: 1 } },
  }),
};

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A name and a subject are not part of the message: the sender sets them. */
export const contentOf = (field: Field, text: string): SendableContent => MESSAGES[field](text);

/** The body that Relay stores, where the text is part of it. */
const KEPT: Readonly<Partial<Record<Field, (text: string) => string>>> = {
  body: (text) => text,
  caption: (text) => `[Image] ${text}`,
  file_name: (text) => `[Document] ${text}`,
};

export const keptBody = (field: Field, text: string): string | null => KEPT[field]?.(text) ?? null;

export interface Carrier {
  readonly from: SimulatedAccount;
  readonly to: SimulatedAccount;
  /** A group of both, for attacks in a group's subject. */
  readonly group: GroupChat;
}

/** Resolves with the ids in order. */
export async function deliver(
  { from, to, group }: Carrier,
  field: Field,
  texts: readonly string[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const text of texts) {
    if (field === 'push_name') from.rename(text);
    if (field === 'group_subject') group.rename(from, text);
    ids.push(await from.send(to, MESSAGES[field](text)));
  }
  return ids;
}
