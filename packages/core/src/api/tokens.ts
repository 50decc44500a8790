// Tokens of programs, as the API has them: what each may do, with whom, and when it was last used. The secret
// is shown once, when it is made.
import { z } from 'zod';
import { SCOPES } from '../policy/actors.ts';
import { PROGRAM_SCOPES } from '../policy/scopes.ts';
import { written } from './written.ts';

/** A name of the owner's for it: it names the program in approvals and in the ledger. */
const name = written(60).regex(
  /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u,
  'Letters, digits, ._- and spaces',
);
/** A name, a number, an address or an id. */
const who = written(128);

export const tokenSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  /** The only people it may deal with; null means all that grants allow. */
  contacts: z.array(z.object({ id: z.uuid(), name: z.string() })).nullable(),
  /** Whether somebody is asked before anything is sent with it. */
  confirm: z.boolean(),
  /** Whether it has read what others wrote: what it sends elsewhere then waits for the owner. */
  has_read: z.boolean(),
  created_at: z.iso.datetime(),
  rotated_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable(),
  expires_at: z.iso.datetime().nullable(),
});
export type ProgramToken = z.infer<typeof tokenSchema>;

export const createTokenSchema = z.strictObject({
  name,
  scopes: z.array(z.enum(PROGRAM_SCOPES)).min(1).max(PROGRAM_SCOPES.length),
  contacts: z.array(who).min(1).max(200).optional(),
  confirm: z.boolean().default(true),
  expires_at: z.iso.datetime({ offset: true }).optional(),
});
export type CreateToken = z.infer<typeof createTokenSchema>;

export const tokenSecretSchema = tokenSchema.extend({
  /** Shown this once. */
  secret: z.string(),
});
export type TokenSecret = z.infer<typeof tokenSecretSchema>;

export const tokensResponseSchema = z.object({ tokens: z.array(tokenSchema) });
