// `--since`: so long ago (`2h`, `3d`), or a moment that people write (`2026-11-14`, `2026-11-14 09:00`).
import { RelayError } from '@relay/core/errors';
import { parseSpan } from '../conversations/span.ts';

export function sinceOf(text: string, now: Date): Date {
  const span = parseSpan(text);
  if (span !== null) return new Date(now.getTime() - span);
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00`) : new Date(text);
  if (!Number.isNaN(date.getTime()) && /\d{4}/.test(text)) return date;
  throw new RelayError('usage', { what: 'Write --since as `2h`, `3d` or `2026-11-14 09:00`.' });
}
