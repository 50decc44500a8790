// Changes the grant of one person or group. Removing a permission shows at once and can be undone; granting one waits
// for the daemon, so that nothing is shown as allowed before it is.

import { notifications } from '@mantine/notifications';
import type { ContactDetail, FoundContacts, ListedContact } from '@relay/contract/api/contacts';
import type { Grant as Flagged } from '@relay/core/contacts/grants';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { t } from '../../i18n.ts';
import { contactLabel } from '../../parts/format.ts';
import classes from './undo.module.css';

/** Contains only the flags to change. */
export type GrantPatch = { readonly [Flag in keyof Flagged]?: Flagged[Flag] };
type Grant = NonNullable<ListedContact['grant']>;

/** The queries to refetch after a grant changed. */
export const GRANT_QUERIES = [
  'contacts',
  'whatsapp-permissions',
  'knocks',
  'status',
  'ledger',
] as const;

export function useGrant(contact: ListedContact) {
  const queries = useQueryClient();
  const name = contactLabel(contact);
  const allow = useAction({
    run: (flags: GrantPatch) => saveGrant(contact, flags),
    invalidates: GRANT_QUERIES,
  });
  const restore = useAction({
    run: (flags: GrantPatch) => saveGrant(contact, flags),
    invalidates: GRANT_QUERIES,
    successMessage: t('people.restored', { name }),
  });
  const withdraw = useAction({
    run: (flags: GrantPatch) => saveGrant(contact, flags),
    invalidates: GRANT_QUERIES,
  });
  const remove = useAction({
    run: async ({ grant }: ListedContact) => {
      if (grant === null) return;
      await relay.delete('/api/whatsapp/permissions/{id}', { path: { id: grant.id } });
    },
    invalidates: GRANT_QUERIES,
    successMessage: t('people.deleted', { name }),
  });
  /** Shows the change at once, and a toast that undoes it. */
  const revoke = async (flags: GrantPatch, message: string) => {
    const { grant } = contact;
    if (grant === null) return;
    await queries.cancelQueries({ queryKey: ['contacts'] });
    showGrant(queries, contact.id, { ...grant, ...toGrantColumns(flags) });
    const saving = withdraw.mutateAsync(flags);
    offerUndo(message, () =>
      // The removal must be saved before the undo, so that the undo wins.
      saving.then(
        () => restore.mutate(previousFlags(grant, flags)),
        () => {},
      ),
    );
  };
  const isBusy = allow.isPending || restore.isPending || remove.isPending;
  return { allow, revoke, remove, isBusy };
}

/** `name` is the owner's name for a new contact; a profile name is never used as one. */
export async function saveGrant(
  contact: ListedContact,
  flags: GrantPatch,
  name = '',
): Promise<void> {
  const { grant, kind, id, jid } = contact;
  if (grant !== null) {
    await relay.patch('/api/whatsapp/permissions/{id}', { path: { id: grant.id }, body: flags });
    return;
  }
  const grantee = kind === 'group' ? { group: jid ?? '' } : { contactId: id };
  // Drafts unless the owner says otherwise: sending without asking is never a default here.
  const body = {
    replyMode: 'draft' as const,
    ...flags,
    ...grantee,
    ...(name !== '' && { displayName: name }),
  };
  await relay.post('/api/whatsapp/permissions', { body });
}

const toGrantColumns = ({
  canRead,
  canReply,
  replyMode,
  canInitiate,
}: GrantPatch): Partial<Grant> => ({
  ...(canRead === undefined ? {} : { can_read: canRead }),
  ...(canReply === undefined ? {} : { can_reply: canReply }),
  ...(replyMode === undefined ? {} : { reply_mode: replyMode }),
  ...(canInitiate === undefined ? {} : { can_initiate: canInitiate }),
});

/** The previous value of each flag. */
const previousFlags = (grant: Grant, flags: GrantPatch): GrantPatch => ({
  ...(flags.canRead === undefined ? {} : { canRead: grant.can_read }),
  ...(flags.canReply === undefined ? {} : { canReply: grant.can_reply }),
  ...(flags.replyMode === undefined ? {} : { replyMode: grant.reply_mode }),
  ...(flags.canInitiate === undefined ? {} : { canInitiate: grant.can_initiate }),
});

/** Shows this grant everywhere until the next refetch. */
function showGrant(queries: QueryClient, id: string, grant: Grant): void {
  const shown = (contact: ListedContact) => (contact.id === id ? { ...contact, grant } : contact);
  queries.setQueriesData<FoundContacts>({ queryKey: ['contacts', 'list'] }, (found) =>
    found === undefined ? found : { ...found, contacts: found.contacts.map(shown) },
  );
  queries.setQueriesData<ContactDetail>({ queryKey: ['contacts', 'one', id] }, (detail) =>
    detail === undefined ? detail : { ...detail, contact: shown(detail.contact) },
  );
}

// A removed permission can be restored for ten seconds: by the button of the toast, or by Ctrl+Z with any focus. The
// time stops while the pointer or the focus is in the toast.

const LASTS_MS = 10_000;
const TICK_MS = 200;

let shownToast: string | undefined;

/** One at a time: the newest. */
function offerUndo(text: string, undo: () => void): void {
  if (shownToast !== undefined) notifications.hide(shownToast);
  const hide = () => notifications.hide(id);
  const id = notifications.show({
    autoClose: false,
    closeButtonProps: { 'aria-label': t('common.action.close') },
    message: <UndoToast text={text} onUndo={undo} onEnd={() => hide()} />,
  });
  shownToast = id;
}

interface UndoToastProps {
  readonly text: string;
  onUndo(): void;
  onEnd(): void;
}

const isMac = navigator.userAgent.includes('Mac');

function UndoToast({ text, onUndo, onEnd }: UndoToastProps) {
  const [isHeld, setHeld] = useState(false);
  const [left, setLeft] = useState(LASTS_MS);
  const undo = useEffectEvent(() => {
    onEnd();
    onUndo();
  });
  const isOver = left <= 0;
  useEffect(() => {
    if (isHeld) return;
    const timer = setInterval(() => setLeft((ms) => ms - TICK_MS), TICK_MS);
    return () => clearInterval(timer);
  }, [isHeld]);
  const end = useEffectEvent(onEnd);
  useEffect(() => {
    if (isOver) end();
  }, [isOver]);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey)) return;
      if (event.shiftKey || event.defaultPrevented || isTyping(event.target)) return;
      event.preventDefault();
      undo();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  return (
    <div
      className={classes.undo}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
    >
      <span dir="auto">{text}</span>
      <button
        type="button"
        aria-keyshortcuts="Control+Z"
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
        onClick={() => {
          onEnd();
          onUndo();
        }}
      >
        {t('common.action.undo')}{' '}
        <kbd aria-hidden>{t(isMac ? 'people.undoKeysMac' : 'people.undoKeys')}</kbd>
      </button>
    </div>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('textarea, input:not([type=checkbox], [type=radio])') !== null;
