// What the owner reads on WhatsApp when auto-reply begins to rest for a contact.
import { AUTO_REPLY_REASONS, type AutoReplyReasonFor } from './reasons.ts';
import type { Rest } from './rest.ts';

const WHEN = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const MOST_LETTERS = 60;

export function restNotice(
  name: string,
  reason: AutoReplyReasonFor<'rested'>,
  { until }: Rest,
): string {
  const whom = [...name.replace(/\s+/g, ' ').trim()].slice(0, MOST_LETTERS).join('');
  const why = AUTO_REPLY_REASONS[reason].sentence.replace(/^Not answered: /, '');
  return `Relay: ${whom} is not answered until ${WHEN.format(until)}. ${why[0]?.toUpperCase()}${why.slice(1)} → relay contacts`;
}
