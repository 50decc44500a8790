// The settings a person may write in `<home>/config.json`, with their defaults. Read by the daemon's
// and the command's own config.ts, which alone look at the environment.
import { z } from 'zod';

export const DEFAULT_PORT = 3214;

export const settingsSchema = z.strictObject({
  daemon_port: z.int().min(0).max(65535).default(DEFAULT_PORT),
  model_provider: z.string().nullable().default(null),
  model_api_key: z.string().nullable().default(null),
  /** Set to false when DATABASE_URL leads through a pooler in transaction mode. */
  prepared_statements: z.boolean().default(true),
  log_level: z.enum(['error', 'warn', 'info', 'debug']).default('info'),
});

export type Settings = z.infer<typeof settingsSchema>;

/** The first thing wrong with what somebody wrote, as the end of a sentence; null when nothing is. */
export function settingsFault(written: unknown): string | null {
  const parsed = settingsSchema.safeParse(written);
  if (parsed.success) return null;
  const issue = parsed.error.issues[0];
  if (issue?.code === 'unrecognized_keys') return `"${issue.keys[0]}" is not a setting`;
  const field = issue?.path.join('.');
  const what = (issue?.message ?? 'unknown value').replace(/\.$/, '');
  return field ? `"${field}": ${what}` : what;
}

/** What a running daemon leaves in `<home>/daemon.json` so that the command finds it. */
export const runtimeSchema = z.object({
  pid: z.int().positive(),
  /** Null while the daemon is still starting. */
  port: z.int().positive().nullable(),
  /** Tells this process from a later one that was given the same pid. */
  process_start: z.string(),
  started_at: z.string(),
  version: z.string(),
});

export type Runtime = z.infer<typeof runtimeSchema>;
