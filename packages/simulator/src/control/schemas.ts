// What may be asked of the simulator over HTTP.
// Invariant: read strictly, so that a misspelt word is an error and not a wish nobody hears.
import { z } from 'zod';
import type { FaultSettings } from '../whatsapp/faults.ts';
import type { Habits as HabitSettings } from '../whatsapp/people/handset-state.ts';

const Phone = z.string().regex(/^\+?\d{5,15}$/, 'a phone number is 5 to 15 digits');
const ChatId = z
  .string()
  .regex(/^(\+?\d{5,15}|\d+@g\.us)$/, 'a phone number, or the id of a group');
const MessageId = z.string().min(1).max(128);
const Addressing = z.enum(['lid', 'pn']);
const Moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const Milliseconds = z.number().nonnegative().max(600_000);

const Habits = z.strictObject({
  receipts: z.boolean().exactOptional(),
  reads: z.boolean().exactOptional(),
  retries: z.boolean().exactOptional(),
} satisfies Record<keyof HabitSettings, z.ZodType>);

export const NewAccount = z.strictObject({
  phone: Phone,
  name: z.string().min(1).max(100),
  habits: Habits.exactOptional(),
  passkey: z.boolean().exactOptional(),
});

export const Scan = z.strictObject({ qr: z.string().min(1) });

export const PairCode = z.strictObject({
  code: z
    .string()
    .regex(/^[0-9A-Za-z]{4}-?[0-9A-Za-z]{4}$/, 'a pairing code is eight letters or digits'),
});

const Media = z.strictObject({
  kind: z.enum(['image', 'video', 'audio', 'document']),
  /** The file itself, in base64. */
  data: z.base64().min(1),
  mimetype: z.string().min(1),
  fileName: z.string().exactOptional(),
});
export type Media = z.infer<typeof Media>;

/** One of text, media, reaction and delete says what it is; the rest says how. */
export const NewMessage = z
  .strictObject({
    to: ChatId,
    /** The words; with media its caption, with edit the new wording. */
    text: z.string().min(1).exactOptional(),
    media: Media.exactOptional(),
    /** No emoji takes the reaction back. */
    reaction: z.strictObject({ id: MessageId, emoji: z.string().max(32) }).exactOptional(),
    delete: MessageId.exactOptional(),
    quoted: MessageId.exactOptional(),
    edit: MessageId.exactOptional(),
    id: MessageId.exactOptional(),
    at: Moment.exactOptional(),
    addressing: Addressing.exactOptional(),
    corrupt: z.boolean().exactOptional(),
  })
  .check(({ issues, value }) => {
    const problem = contradiction(value);
    if (problem) issues.push({ code: 'custom', message: problem, input: value });
  });
export type NewMessage = z.infer<typeof NewMessage>;

type Parts = Partial<Record<'text' | 'media' | 'reaction' | 'delete' | 'quoted' | 'edit', unknown>>;

function contradiction({ text, media, reaction, delete: gone, quoted, edit }: Parts) {
  const [words, file] = [text !== undefined, media !== undefined];
  const kinds = [words || file, reaction !== undefined, gone !== undefined].filter(Boolean);
  if (kinds.length !== 1) return 'a message is text, media, a reaction or a deletion';
  const [quotes, edits] = [quoted !== undefined, edit !== undefined];
  if ((quotes || edits) && (!words || file)) return 'only text quotes or edits';
  if (quotes && edits) return 'an edit quotes nothing';
  return undefined;
}

export const MessagesQuery = z.strictObject({ with: ChatId.exactOptional() });

export const Read = z.strictObject({ with: ChatId });

export const Power = z.strictObject({ on: z.boolean() });

export const TimeLock = z.strictObject({ until: Moment.nullable() });

export const Disconnect = z.strictObject({
  /** Without one the line is cut. */
  code: z.int().min(100).max(999).exactOptional(),
  device: z.int().positive().exactOptional(),
});

export const NewGroup = z.strictObject({
  subject: z.string().min(1).max(100),
  owner: Phone,
  members: z.array(Phone).max(1024),
  addressing: Addressing.exactOptional(),
});

/** `null` takes a code back. */
const Code = z
  .int()
  .min(100)
  .max(999)
  .nullable()
  .transform((code) => code ?? undefined);

/** What is not named stays as it is. */
export const NewFaults = z.strictObject({
  latencyMs: Milliseconds.exactOptional(),
  ackError: Code.exactOptional(),
  swallowMessages: z.boolean().exactOptional(),
  withholdAcks: z.boolean().exactOptional(),
  refuseLogin: Code.exactOptional(),
  iqDelayMs: z.record(z.string(), Milliseconds).exactOptional(),
  iqIgnore: z.array(z.string()).exactOptional(),
  duplicateDeliveries: z.boolean().exactOptional(),
} satisfies Record<keyof FaultSettings, z.ZodType>);

export const StanzasQuery = z.strictObject({
  account: Phone.exactOptional(),
  direction: z.enum(['in', 'out']).exactOptional(),
  tag: z.string().exactOptional(),
});

export const CountsQuery = z.strictObject({ account: Phone.exactOptional() });
