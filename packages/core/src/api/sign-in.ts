// How a browser becomes the owner's: `relay open` asks for a login code, the browser spends it once
// and holds a session cookie from then on.
import { z } from 'zod';

export const loginCodeSchema = z.object({
  /** Open this once, within a minute, in the owner's own browser. */
  url: z.string(),
  expires_at: z.iso.datetime(),
});

export const loginQuerySchema = z.strictObject({ code: z.string().max(100) });

export const ownerTokenSchema = z.object({ token: z.string() });
