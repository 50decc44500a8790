// Schemas of `GET /api/workers`: the processes that hold accounts.
import { z } from 'zod';

const workerSchema = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.int(),
  /** Where it answers health checks, on its own machine; null for a process that also serves the API. */
  address: z.string().nullable(),
  version: z.string(),
  capacity: z.int(),
  /** How many accounts it holds. */
  accounts: z.int(),
  /** `lost`: it no longer renewed itself, and other workers took its accounts. */
  state: z.enum(['running', 'draining', 'lost']),
  started_at: z.iso.datetime(),
  last_seen_at: z.iso.datetime(),
});
export type ListedWorker = z.infer<typeof workerSchema>;

export const workersSchema = z.object({
  /** The running workers, and those that were lost within the last day; the newest first. */
  workers: z.array(workerSchema),
  /** Accounts that no worker holds. */
  unserved: z.int(),
});
export type WorkerList = z.infer<typeof workersSchema>;
