// Ids of jobs, in the order they were made. The queue breaks ties by id between jobs of one transaction,
// which share its time: with random ids, two messages said in one breath would leave in any order.
import { randomUUID } from 'node:crypto';

let last = 0;

/** A UUID of version 7: milliseconds, a counter within them, and chance. */
export function nextJobId(): string {
  last = Math.max(last + 1, Date.now() * 4096);
  const hex = last.toString(16).padStart(15, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(12)}-${randomUUID().slice(19)}`;
}
