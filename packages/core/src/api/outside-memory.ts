// Digests for a memory outside of Relay, as the owner sets them up: a folder, a webhook, or both.
import { z } from 'zod';

const url = z.url({ protocol: /^https?$/ }).max(2_000);

export const outsideMemoryStateSchema = z.object({
  device_id: z.string(),
  folder: z.string().nullable(),
  hourly: z.boolean(),
  webhook_url: z.string().nullable(),
  /** Whether there is a secret to sign with. */
  signed: z.boolean(),
});

export type OutsideMemoryState = z.infer<typeof outsideMemoryStateSchema>;

/** What is not named stays as it is; null takes it away. */
export const changeOutsideMemorySchema = z.strictObject({
  device_id: z.string().min(1).max(100).optional(),
  folder: z.string().max(4_096).nullable().optional(),
  hourly: z.boolean().optional(),
  webhook_url: url.nullable().optional(),
  /** Make a new secret; a webhook without one gets one by itself. */
  rotate_secret: z.boolean().optional(),
});

export type ChangeOutsideMemory = z.infer<typeof changeOutsideMemorySchema>;

export const changedOutsideMemorySchema = outsideMemoryStateSchema.extend({
  /** A secret that was made now, shown this once. */
  webhook_secret: z.string().nullable(),
});

export type ChangedOutsideMemory = z.infer<typeof changedOutsideMemorySchema>;
