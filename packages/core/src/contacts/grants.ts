// The owner's grant for one contact or group. Grants form a lattice: `narrowest` is its meet, no grant (null) its
// bottom. Code that changes or merges grants uses this file to find out the direction of a change.
import type { GrantOptions, ReplyMode } from '@relay/contract/contacts/grant-options';

export interface Grant {
  readonly canRead: boolean;
  /** May be written to. Without `canRead` the contact is not read and gets no auto-reply. */
  readonly canReply: boolean;
  /** A draft waits for the owner's approval. */
  readonly replyMode: ReplyMode;
  /** Whether agents may start conversations. */
  readonly canInitiate: boolean;
}

export const DENIED_GRANT: Grant = {
  canRead: false,
  canReply: false,
  replyMode: 'draft',
  canInitiate: false,
};

/** What both allow; nothing if either is null. */
export function narrowestGrant(a: Grant | null, b: Grant | null): Grant | null {
  if (a === null || b === null) return null;
  return {
    canRead: a.canRead && b.canRead,
    canReply: a.canReply && b.canReply,
    replyMode: a.replyMode === 'auto' && b.replyMode === 'auto' ? 'auto' : 'draft',
    canInitiate: a.canInitiate && b.canInitiate,
  };
}

/** Whether `a` allows nothing that `b` does not. */
export function isGrantWithin(a: Grant | null, b: Grant | null): boolean {
  const inner = a ?? DENIED_GRANT;
  const outer = b ?? DENIED_GRANT;
  return (
    (!inner.canRead || outer.canRead) &&
    (!inner.canReply || outer.canReply) &&
    (inner.replyMode === 'draft' || outer.replyMode === 'auto') &&
    (!inner.canInitiate || outer.canInitiate)
  );
}

export type GrantChange = 'widen' | 'narrow';

/** A change that allows anything more is a widening, whatever else it removes. */
export const grantChange = (before: Grant | null, after: Grant | null): GrantChange =>
  isGrantWithin(after, before) ? 'narrow' : 'widen';

// A grant as stored: what is allowed, the contact's name, and the options. For anybody but the owner, a change of name
// or options counts as widening: the name decides who is written to, the persona what is said.

export interface GrantRecord {
  /** The owner's name for them; null if none was given. */
  readonly displayName: string | null;
  readonly grant: Grant;
  readonly options: GrantOptions;
}

export function grantRecordChange(
  before: GrantRecord | null,
  after: GrantRecord | null,
): GrantChange {
  if (after === null) return 'narrow';
  const same =
    before !== null &&
    before.displayName === after.displayName &&
    optionsText(before.options) === optionsText(after.options);
  return same ? grantChange(before.grant, after.grant) : 'widen';
}

const optionsText = ({ persona, model, quietHours, suggest, photos }: GrantOptions): string =>
  JSON.stringify([
    persona,
    model,
    quietHours?.from,
    quietHours?.to,
    quietHours?.zone,
    suggest,
    photos,
  ]);

// Describes a grant, with the same text for the command, the console and the owner's chat.

const NOTHING = 'do nothing';
const WRITING = {
  reading: { auto: 'reply', draft: 'draft replies that you approve' },
  blind: { auto: 'send messages', draft: 'propose messages that you approve' },
} as const;

/** What agents may do, such as "read and reply". Nobody replies to a chat that they do not read. */
export function describeGrant(grant: Grant | null): string {
  if (grant === null) return NOTHING;
  const { canRead, canReply, replyMode, canInitiate } = grant;
  const writes = canRead ? WRITING.reading : WRITING.blind;
  const may = [
    ...(canRead ? ['read'] : []),
    ...(canReply ? [writes[replyMode]] : []),
    ...(canInitiate ? ['start conversations'] : []),
  ];
  return may.length === 0 ? NOTHING : listed(may);
}

const PHOTOS = {
  show: 'Photos may go to the model’s provider',
  hide: 'Photos never go to the model’s provider',
} as const;

/** One line per option. */
export function grantOptionLines({
  persona,
  model,
  quietHours,
  suggest,
  photos,
}: GrantOptions): string[] {
  return [
    ...(photos === undefined ? [] : [PHOTOS[photos]]),
    ...(suggest === undefined ? [] : ['Suggests replies that only you can send']),
    ...(persona === undefined ? [] : [`Persona: ${persona}`]),
    ...(model === undefined ? [] : [`Model: ${model}`]),
    ...(quietHours === undefined
      ? []
      : [`Quiet from ${quietHours.from} to ${quietHours.to}${inZone(quietHours.zone)}`]),
  ];
}

const inZone = (zone: string | undefined): string => (zone === undefined ? '' : ` (${zone})`);

const listed = (words: readonly string[]): string => {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
};
