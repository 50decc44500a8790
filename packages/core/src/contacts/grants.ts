// What the owner allows for one contact or group. Grants form a lattice: `narrowest` is its meet,
// no grant (null) its bottom. Whoever changes or merges grants asks here which way a change goes.

export const REPLY_MODES = ['draft', 'auto'] as const;
export type ReplyMode = (typeof REPLY_MODES)[number];

export interface Grant {
  readonly canRead: boolean;
  /** May be written to. Without `canRead` the contact is not read and gets no auto-reply. */
  readonly canReply: boolean;
  /** A draft waits for the owner's approval. */
  readonly replyMode: ReplyMode;
  /** Agents may start conversations of their own. */
  readonly canInitiate: boolean;
}

export const DENIED: Grant = {
  canRead: false,
  canReply: false,
  replyMode: 'draft',
  canInitiate: false,
};

/** What both allow. Where either has no grant at all, that is nothing. */
export function narrowest(a: Grant | null, b: Grant | null): Grant | null {
  if (a === null || b === null) return null;
  return {
    canRead: a.canRead && b.canRead,
    canReply: a.canReply && b.canReply,
    replyMode: a.replyMode === 'auto' && b.replyMode === 'auto' ? 'auto' : 'draft',
    canInitiate: a.canInitiate && b.canInitiate,
  };
}

/** True when `a` allows nothing that `b` does not. */
export function isWithin(a: Grant | null, b: Grant | null): boolean {
  const inner = a ?? DENIED;
  const outer = b ?? DENIED;
  return (
    (!inner.canRead || outer.canRead) &&
    (!inner.canReply || outer.canReply) &&
    (inner.replyMode === 'draft' || outer.replyMode === 'auto') &&
    (!inner.canInitiate || outer.canInitiate)
  );
}

export type GrantChange = 'widen' | 'narrow';

/** A change that gives anything at all is a widening, whatever else it takes. */
export const changeOf = (before: Grant | null, after: Grant | null): GrantChange =>
  isWithin(after, before) ? 'narrow' : 'widen';
