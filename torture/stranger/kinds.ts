// Every message that can be sent on the simulated network: the kinds of its control API, every kind of WhatsApp's
// protobuf, every protocol message, and text inside every wrapper. Invariant: taken from the protobuf itself, so that
// kinds of later versions are sent too.
import { sendMessageAs } from '@relay/simulator/control/sending';
import type { Network } from '@relay/simulator/whatsapp/network';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import type { SimulatedChat } from '@relay/simulator/whatsapp/people/model';
import { proto } from '@whiskeysockets/baileys';

/** Where a message goes, and an earlier one of its author there. */
export interface KindTarget {
  readonly network: Network;
  readonly from: SimulatedAccount;
  readonly to: SimulatedChat;
  readonly before: string;
}

export interface Kind {
  readonly name: string;
  send(place: KindTarget, text: string, addressing: 'lid' | 'pn'): Promise<string>;
}

type Asked = Parameters<typeof sendMessageAs>[3];

const data = Buffer.from('a file').toString('base64');
const file = (kind: 'image' | 'video' | 'audio' | 'document') => ({
  media: { kind, data, mimetype: 'application/octet-stream' },
});

const SENT: Readonly<Record<string, (text: string, before: string) => Asked>> = {
  text: (text) => ({ text }),
  'text that quotes': (text, quoted) => ({ text, quoted }),
  'an edit': (text, edit) => ({ text, edit }),
  'a deletion': (_, before) => ({ delete: before }),
  image: () => file('image'),
  'image with a caption': (text) => ({ ...file('image'), text }),
  video: () => file('video'),
  'video with a caption': (text) => ({ ...file('video'), text }),
  audio: () => file('audio'),
  document: () => file('document'),
  'document with a caption': (text) => ({ ...file('document'), text }),
  'what cannot be decrypted': (text) => ({ text, corrupt: true }),
};

const sent = Object.entries(SENT).map(
  ([name, asked]): Kind => ({
    name,
    send: ({ network, from, to, before }, text, addressing) =>
      sendMessageAs(network, from, to, { ...asked(text, before), addressing }),
  }),
);

const reactions = ['👍', ''].map(
  (emoji): Kind => ({
    name: emoji === '' ? 'a reaction taken back' : 'a reaction',
    send: ({ network, from, to, before }) =>
      sendMessageAs(network, from, to, { reaction: { id: before, emoji } }),
  }),
);

const raw = (name: string, message: (text: string) => proto.IMessage): Kind => ({
  name,
  send: ({ from, to }, text, addressing) => from.send(to, { raw: message(text) }, { addressing }),
});

/** The protobuf's fields are on its prototype, each with its default. */
const FIELDS = Object.keys(proto.Message.prototype).filter(
  (field) => field !== 'conversation' && field !== 'toJSON',
);

const bare = FIELDS.map((field) => raw(field, () => ({ [field]: {} })));
const wrapping = (field: string, conversation: string): proto.IMessage => ({
  [field]: { message: { conversation } },
});
const wrapped = FIELDS.filter(holdsMessage).map((field) =>
  raw(`text in ${field}`, (text) => wrapping(field, text)),
);

/** Whether it survives encoding and decoding: most kinds cannot contain a message. */
function holdsMessage(field: string): boolean {
  try {
    const bytes = proto.Message.encode(wrapping(field, 'x')).finish();
    return JSON.stringify(proto.Message.decode(bytes)).includes('"conversation":"x"');
  } catch {
    return false;
  }
}

const protocol = Object.entries(proto.Message.ProtocolMessage.Type).flatMap(([name, type]) =>
  typeof type === 'number' ? [raw(`protocol ${name}`, () => ({ protocolMessage: { type } }))] : [],
);

export const KINDS: readonly Kind[] = [...sent, ...reactions, ...bare, ...wrapped, ...protocol];
