// The refusals a route documents, beside its own answer.
import type { Readable } from 'node:stream';
import { apiErrorSchema } from '@relay/core/api/errors';
import { z } from 'zod';

/** An answer sent as it is made; the OpenAPI document calls it a string. */
export const streamSchema = z.custom<Readable>();

const ALWAYS = [401, 403, 421, 429, 500, 503] as const;
type Always = (typeof ALWAYS)[number];

/** What the guard and the error handler may answer on any route, and the given ones. */
export function refusals<Status extends number = never>(
  ...statuses: Status[]
): Record<Status | Always, typeof apiErrorSchema> {
  const entries = [...ALWAYS, ...statuses].map((status) => [status, apiErrorSchema]);
  return Object.fromEntries(entries) as Record<Status | Always, typeof apiErrorSchema>;
}
