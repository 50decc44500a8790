// From the log of events to what has changed for those who read by address. Pure; the log names chats and
// conversations and holds no words.
import { MESSAGE_EVENT } from '@relay/core/api/events';
import { isReached, OUTBOX_STATES } from '@relay/core/outbox/progress';
import type { StreamEvent } from '@relay/core/ports/event-log';
import { z } from 'zod';

export interface Changes {
  /** Something was said there. */
  readonly chats: ReadonlySet<string>;
  /** A digest was made or taken away: the days, by chat. */
  readonly days: ReadonlyMap<string, ReadonlySet<string>>;
  /** A line or a state is new. */
  readonly conversations: ReadonlySet<string>;
  /** Who may read what, or who is who. */
  readonly access: boolean;
}

const state = z.enum(OUTBOX_STATES);
const outboxSchema = z.object({
  state,
  from: state,
  chat: z.uuid(),
  instance: z.uuid().nullable(),
});
const digestSchema = z.object({ day: z.string() });

const ACCESS = ['grant', 'grant.withdrawn', 'contact.merged'];

/** Null when nothing of it concerns anybody who reads. */
export function changesOf(events: readonly StreamEvent[]): Changes | null {
  const chats = new Set<string>();
  const days = new Map<string, Set<string>>();
  const conversations = new Set<string>();
  let access = false;
  for (const { kind, subject, data } of events) {
    if (ACCESS.includes(kind)) access = true;
    else if (kind === 'outbox') outbox(data, chats, conversations);
    else if (subject === null) continue;
    else if (kind === MESSAGE_EVENT) chats.add(subject);
    else if (kind === 'conversation' || kind.startsWith('conversation.'))
      conversations.add(subject);
    else if (kind === 'digest') {
      const day = digestSchema.safeParse(data).data?.day;
      if (day !== undefined) days.set(subject, (days.get(subject) ?? new Set()).add(day));
    }
  }
  const nothing = !access && chats.size + days.size + conversations.size === 0;
  return nothing ? null : { chats, days, conversations, access };
}

/** A message of ours is in its chat once it has left; a transcript also shows how far it has come. */
function outbox(data: StreamEvent['data'], chats: Set<string>, conversations: Set<string>): void {
  const moved = outboxSchema.safeParse(data).data;
  if (moved === undefined) return;
  if (isReached(moved.state) && !isReached(moved.from)) chats.add(moved.chat);
  if (moved.instance !== null) conversations.add(moved.instance);
}
