// The one switch that stops all sending, as `POST /api/hold` and `POST /api/release` speak of it.
import { z } from 'zod';

export const setHoldSchema = z.strictObject({ reason: z.string().trim().max(500).optional() });

export const holdSchema = z.object({
  hold: z.boolean(),
  reason: z.string().nullable(),
  since: z.string().nullable(),
});
export type Hold = z.infer<typeof holdSchema>;
