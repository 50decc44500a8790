// A grant as one sentence. Pure.
import type { ListedContact, Permission } from '@relay/contract/api/contacts';

type GrantFlags = Pick<Permission, 'displayName' | 'canRead' | 'canReply' | 'replyMode'> &
  Partial<Pick<Permission, 'canInitiate'>>;

export function grantSentence({ canInitiate = false, ...granted }: GrantFlags): string {
  const { displayName, canRead, canReply } = granted;
  if (canInitiate && !canRead && !canReply)
    return `Agents may write to ${displayName} first, and read nothing outside of that.`;
  return `${grantState(granted)}${canInitiate ? ' Agents may write first.' : ''}`;
}

function grantState({ displayName, canRead, canReply, replyMode }: GrantFlags): string {
  if (!canRead && !canReply) return `${displayName} is closed. No agent sees what they write.`;
  if (!canRead) return `${displayName} may be written to and is not read.`;
  if (!canReply) return `Relay may read ${displayName}, never answer.`;
  return replyMode === 'draft'
    ? `Relay may read ${displayName} and write drafts. You send them.`
    : `Relay may read ${displayName} and answer without asking you.`;
}

export const OPEN_IN_CONVERSATION_ONLY = 'Open inside this conversation only; closes when it ends.';

/** Summarizes a contact's grant. */
export function grantSummary(contact: ListedContact, name: string): string {
  const { grant, kind } = contact;
  if (grant === null || !hasOpenGrant(contact)) {
    return kind === 'group'
      ? `${name} is closed. No agent sees what is written there.`
      : `${name} is closed. No agent sees what they write.`;
  }
  return grantSentence({
    displayName: name,
    canRead: grant.can_read,
    canReply: grant.can_reply,
    replyMode: grant.reply_mode,
    canInitiate: grant.can_initiate,
  });
}

/** By grant only; a conversation allows more while it lasts. */
export const hasOpenGrant = ({ grant }: Pick<ListedContact, 'grant'>): boolean =>
  grant !== null && (grant.can_read || grant.can_reply || grant.can_initiate);
