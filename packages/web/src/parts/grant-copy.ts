// A grant as one text. Pure.
import type { ListedContact, Permission } from '@relay/contract/api/contacts';
import { t } from '../i18n.ts';

type GrantFlags = Pick<Permission, 'displayName' | 'canRead' | 'canReply' | 'replyMode'> &
  Partial<Pick<Permission, 'canInitiate'>>;

export function grantSentence(granted: GrantFlags): string {
  const { displayName: name, canRead, canReply, replyMode, canInitiate = false } = granted;
  const values = { name, first: canInitiate ? 'yes' : 'no' };
  if (!canRead && !canReply)
    return t(canInitiate ? 'common.grant.firstOnly' : 'common.grant.none', { name });
  if (!canRead)
    return t(replyMode === 'draft' ? 'common.grant.propose' : 'common.grant.reply', values);
  if (!canReply) return t('common.grant.read', values);
  return t(replyMode === 'draft' ? 'common.grant.draft' : 'common.grant.auto', values);
}

/** Summarizes a contact's grant. */
export function grantSummary(contact: ListedContact, name: string): string {
  const { grant } = contact;
  if (grant === null) return t('common.grant.none', { name });
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
