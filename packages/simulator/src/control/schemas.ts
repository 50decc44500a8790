// What may be asked of the simulator over HTTP.
// Invariant: read strictly, so that a misspelt word is an error and not a wish nobody hears.
import { z } from 'zod';
import type { FaultSettings } from '../whatsapp/faults.ts';
import type { Habits as HabitSettings } from '../whatsapp/people/handset-state.ts';
import {
  Addressing,
  ChatId,
  KnownAs,
  Milliseconds,
  Moment,
  Phone,
  Phones,
  Subject,
} from './words.ts';

export const Habits = z.strictObject({
  receipts: z.boolean().exactOptional(),
  reads: z.boolean().exactOptional(),
  retries: z.boolean().exactOptional(),
} satisfies Record<keyof HabitSettings, z.ZodType>);

export const NewAccount = z.strictObject({
  phone: Phone,
  name: z.string().min(1).max(100),
  dialled: Phone.exactOptional(),
  habits: Habits.exactOptional(),
  passkey: z.boolean().exactOptional(),
  knownAs: KnownAs.exactOptional(),
});

export const NewKnownAs = z.strictObject({ knownAs: KnownAs });

export const Scan = z.strictObject({ qr: z.string().min(1) });

export const PairCode = z.strictObject({
  code: z
    .string()
    .regex(/^[0-9A-Za-z]{4}-?[0-9A-Za-z]{4}$/, 'a pairing code is eight letters or digits'),
});

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
  subject: Subject,
  owner: Phone,
  members: Phones,
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
  reorderDeliveries: z.boolean().exactOptional(),
  mute: z.boolean().exactOptional(),
  offlineBatches: z.boolean().exactOptional(),
} satisfies Record<keyof FaultSettings, z.ZodType>);

/** Several changes are made in the order of these lines. */
export const GroupChange = z.strictObject({
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
