// What the daemon sends to the console's service worker through a push service, encrypted for that browser.
import type { NotificationKind } from '../api/notifications.ts';

export interface PushPayload {
  /** `close` takes a notification away that was shown: its subject needs nobody any more. */
  readonly action: 'show' | 'close';
  readonly kind: NotificationKind;
  /** The same for everything about one subject, so that a later one replaces the earlier. */
  readonly tag: string;
  /** A code: why the model or the link needs the owner. */
  readonly code: string | null;
  /** The page of the console that it opens. */
  readonly path: string;
  /** Number of pending approvals. */
  readonly waiting: number;
  /** The console's language in this browser. */
  readonly locale: string;
  readonly at: string;
  /** Only where the owner allows names and texts in notifications. */
  readonly detail: PushDetail | null;
}

interface PushDetail {
  /** The recipient, or the contact of the conversation. */
  readonly who: string;
  readonly text: string;
  /** Only if the notification shows all that is asked: the approval and the hash of what was shown. */
  readonly answer: { readonly approval: string; readonly shown: string } | null;
}
