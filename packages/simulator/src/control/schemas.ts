// Schemas of the control API's requests. Invariant: they are strict, so that a misspelt field is an error and is not
// ignored.
import { z } from 'zod';
import { type FaultSettings, MEDIA_RETRY_FAULTS } from '../whatsapp/faults.ts';
import { PASSKEY_FAULTS } from '../whatsapp/passkey.ts';
import type { PhoneHabits as HabitSettings } from '../whatsapp/people/handset.ts';

// Shared formats of people, groups and times. Invariant: each has one format on every route.

const Phone = z.string().regex(/^\+?\d{5,15}$/, 'a phone number is 5 to 15 digits');
const Phones = z.array(Phone).max(1024);
const ChatIdSchema = z
  .string()
  .regex(/^(\+?\d{5,15}|\d+@g\.us)$/, 'a phone number, or the id of a group');
const Subject = z.string().min(1).max(100);
const AddressingSchema = z.enum(['lid', 'pn']);
const KnownAsSchema = z.enum(['both', 'lid', 'pn']);
const Moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const Milliseconds = z.number().nonnegative().max(600_000);

export const HabitsBody = z.strictObject({
  receipts: z.boolean().exactOptional(),
  reads: z.boolean().exactOptional(),
  retries: z.boolean().exactOptional(),
} satisfies Record<keyof HabitSettings, z.ZodType>);

export const NewAccountBody = z.strictObject({
  phone: Phone,
  name: z.string().min(1).max(100),
  dialled: Phone.exactOptional(),
  habits: HabitsBody.exactOptional(),
  passkey: z.boolean().exactOptional(),
  knownAs: KnownAsSchema.exactOptional(),
});

export const KnownAsBody = z.strictObject({ knownAs: KnownAsSchema });

export const ScanBody = z.strictObject({ qr: z.string().min(1) });

export const PairCodeBody = z.strictObject({
  code: z
    .string()
    .regex(/^[0-9A-Za-z]{4}-?[0-9A-Za-z]{4}$/, 'a pairing code is eight letters or digits'),
});

export const MessagesQuery = z.strictObject({ with: ChatIdSchema.exactOptional() });

export const ExpireBody = z.strictObject({
  status: z.union([z.literal(404), z.literal(410)]).exactOptional(),
});

export const ReadBody = z.strictObject({ with: ChatIdSchema });

export const PowerBody = z.strictObject({ on: z.boolean() });

export const TimeLockBody = z.strictObject({ until: Moment.nullable() });

export const DisconnectBody = z.strictObject({
  /** Without a code the connection is cut. */
  code: z.int().min(100).max(999).exactOptional(),
  device: z.int().positive().exactOptional(),
});

export const NewGroupBody = z.strictObject({
  subject: Subject,
  owner: Phone,
  members: Phones,
  addressing: AddressingSchema.exactOptional(),
});

/** `null` resets a code. */
const Code = z
  .int()
  .min(100)
  .max(999)
  .nullable()
  .transform((code) => code ?? undefined);

const times = z.int().positive().exactOptional();
const Status = z.strictObject({
  kind: z.literal('status'),
  status: z.int().min(400).max(599),
  times,
});

/** `null` resets a fault. */
const orReset = <T extends z.ZodType>(fault: T) =>
  z
    .union([fault, z.null()])
    .transform((value) => value ?? undefined)
    .exactOptional();

const MediaDownloadSchema = z.discriminatedUnion('kind', [
  Status,
  z.strictObject({
    kind: z.enum(['altered', 'truncated', 'cut', 'stalled', 'endless']),
    times,
  }),
  z.strictObject({
    kind: z.literal('slow'),
    bytesPerSecond: z.int().positive().max(1e9),
    times,
  }),
  z.strictObject({ kind: z.literal('redirected'), to: z.url(), times }),
]);

const MediaUploadSchema = z.discriminatedUnion('kind', [
  Status,
  z.strictObject({ kind: z.enum(['cut', 'stalled', 'no_path']), times }),
]);

/** Settings that are not named stay as they are. */
export const FaultsBody = z.strictObject({
  latencyMs: Milliseconds.exactOptional(),
  ackError: Code.exactOptional(),
  swallowMessages: z.boolean().exactOptional(),
  withholdAcks: z.boolean().exactOptional(),
  refuseLogin: Code.exactOptional(),
  iqDelayMs: z.record(z.string(), Milliseconds).exactOptional(),
  iqIgnore: z.array(z.string()).exactOptional(),
  duplicateDeliveries: z.boolean().exactOptional(),
  reorderDeliveries: z.boolean().exactOptional(),
  mute: z.boolean().exactOptional(),
  passkey: orReset(z.enum(PASSKEY_FAULTS)),
  offlineBatches: z.boolean().exactOptional(),
  mediaDownload: orReset(MediaDownloadSchema),
  mediaUpload: orReset(MediaUploadSchema),
  mediaRetry: orReset(z.enum(MEDIA_RETRY_FAULTS)),
} satisfies Record<keyof FaultSettings, z.ZodType>);

/** Several changes are made in the order of these fields. */
export const GroupChangeBody = z.strictObject({
  by: Phone,
  subject: Subject.exactOptional(),
  add: Phones.exactOptional(),
  promote: Phones.exactOptional(),
  demote: Phones.exactOptional(),
  remove: Phones.exactOptional(),
});

export const StanzasQuery = z.strictObject({
  account: Phone.exactOptional(),
  direction: z.enum(['in', 'out']).exactOptional(),
  tag: z.string().exactOptional(),
});

export const CountsQuery = z.strictObject({ account: Phone.exactOptional() });

// A message to send: its content and how it is delivered. Invariant: combinations that would have no effect are
// refused, never ignored.

const MessageId = z.string().min(1).max(128);

const Media = z.strictObject({
  kind: z.enum(['image', 'video', 'voice', 'audio', 'document', 'sticker']),
  /** The file, in base64. */
  data: z.base64().min(1),
  mimetype: z.string().min(1),
  /** Only for a document. */
  fileName: z.string().min(1).exactOptional(),
  /** Only for an image, a video or a voice note. */
  viewOnce: z.boolean().exactOptional(),
});
export type NewMediaBody = z.infer<typeof Media>;

const NewMessageFields = z.strictObject({
  to: ChatIdSchema,
  /** The text; the caption for media, the new text for an edit. */
  text: z.string().min(1).exactOptional(),
  media: Media.exactOptional(),
  /** An empty emoji removes the reaction. */
  reaction: z.strictObject({ id: MessageId, emoji: z.string().max(32) }).exactOptional(),
  delete: MessageId.exactOptional(),
  location: z
    .strictObject({
      latitude: z.number().min(-90).max(90),
      longitude: z.number().min(-180).max(180),
      name: z.string().exactOptional(),
      address: z.string().exactOptional(),
    })
    .exactOptional(),
  contacts: z
    .array(z.strictObject({ name: z.string().min(1), vcard: z.string().min(1) }))
    .min(1)
    .exactOptional(),
  poll: z
    .strictObject({
      question: z.string().min(1),
      options: z.array(z.string().min(1)).min(2).max(12),
      /** 0: any number. */
      selectable: z.int().min(0).exactOptional(),
    })
    .exactOptional(),
  /** No options take the vote back. */
  vote: z.strictObject({ poll: MessageId, options: z.array(z.string()) }).exactOptional(),
  quoted: MessageId.exactOptional(),
  edit: MessageId.exactOptional(),
  id: MessageId.exactOptional(),
  at: Moment.exactOptional(),
  addressing: AddressingSchema.exactOptional(),
  corrupt: z.boolean().exactOptional(),
});
export type NewMessageBody = z.infer<typeof NewMessageFields>;

export const NewMessageBody = NewMessageFields.check(({ issues, value }) => {
  const problem = contradiction(value);
  if (problem) issues.push({ code: 'custom', message: problem, input: value });
});

function contradiction(message: NewMessageBody): string | undefined {
  const has = (name: keyof NewMessageBody) => message[name] !== undefined;
  const others = ['reaction', 'delete', 'location', 'contacts', 'poll', 'vote'] as const;
  const kinds = [has('text') || has('media'), ...others.map(has)].filter(Boolean);
  if (kinds.length !== 1)
    return 'a message is one of: text, media, reaction, deletion, location, contacts, poll, vote';
  const refers = has('quoted') || has('edit');
  if (refers && (!has('text') || has('media'))) return 'only text quotes or edits';
  if (has('quoted') && has('edit')) return 'an edit quotes nothing';
  const { kind, viewOnce } = message.media ?? {};
  if ((kind === 'audio' || kind === 'voice' || kind === 'sticker') && has('text')) {
    return `${kind} has no caption`;
  }
  if (viewOnce && kind !== 'image' && kind !== 'video' && kind !== 'voice') {
    return `${kind} cannot be viewed once`;
  }
  if (message.media?.fileName && message.media.kind !== 'document') {
    return 'only a document has a file name';
  }
  const how = (['id', 'at', 'addressing', 'corrupt'] as const).filter(has);
  if (has('reaction') && how.length > 0) return `a reaction takes no ${how.join(', ')}`;
  return has('vote') && how.length > 0 ? `a vote takes no ${how.join(', ')}` : undefined;
}
