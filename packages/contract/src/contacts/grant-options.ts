// The owner's options for a contact besides the grant: auto-reply's persona, its model and its quiet hours. Every key
// is optional.
import { z } from 'zod';

/** A draft waits for the owner's approval. */
export const REPLY_MODES = ['draft', 'auto'] as const;
export type ReplyMode = (typeof REPLY_MODES)[number];

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:00');

const zone = z.string().refine(isZone, 'must be a time zone such as Europe/Berlin');

export const quietHoursSchema = z.strictObject({
  from: timeOfDay,
  to: timeOfDay,
  /** The daemon's zone by default. */
  zone: zone.optional(),
});
export type QuietHours = z.infer<typeof quietHoursSchema>;

export const grantOptionsSchema = z.strictObject({
  /** How auto-reply writes to this contact, in the owner's words. */
  persona: z.string().trim().min(1).max(2_000).optional(),
  model: z.string().trim().min(1).max(200).optional(),
  quietHours: quietHoursSchema.optional(),
  /** Suggest replies to a contact who may only be read. A suggestion is shown in the chat; only the owner can send it. */
  suggest: z.literal(true).optional(),
  /**
   * Whether photos in this chat may go to the model's provider. By default only where an agent answers: with
   * auto-reply, and in conversations.
   */
  photos: z.enum(['show', 'hide']).optional(),
});
export type GrantOptions = z.infer<typeof grantOptionsSchema>;

/** Changes only the given fields; null removes one. */
export const grantOptionsPatchSchema = z.strictObject({
  persona: grantOptionsSchema.shape.persona.nullable(),
  model: grantOptionsSchema.shape.model.nullable(),
  quietHours: grantOptionsSchema.shape.quietHours.nullable(),
  suggest: grantOptionsSchema.shape.suggest.nullable(),
  photos: grantOptionsSchema.shape.photos.nullable(),
});
type GrantOptionsPatch = z.infer<typeof grantOptionsPatchSchema>;

export const patchGrantOptions = (options: GrantOptions, patch: GrantOptionsPatch): GrantOptions =>
  Object.fromEntries(
    Object.entries({ ...options, ...patch }).filter(
      ([, value]) => value !== null && value !== undefined,
    ),
  );

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
