// The sentence with which an owner tells a group that it is read, ready to be sent. Plain, and true.
import type { ObservedTerms } from './options.ts';

export const announcementFor = (
  { assistantName }: Pick<ObservedTerms, 'assistantName'>,
  days: number,
): string =>
  `Just so you know: my assistant ${assistantName} reads along in this group and makes digests for me. It writes nothing here unless I ask it by name, sees no photos and hears no voice notes, and forgets the messages after ${days} days. Tell me if you mind.`;
