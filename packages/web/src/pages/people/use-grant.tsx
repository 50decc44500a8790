// Changes the grant of one person or group. Removing a permission shows at once and can be undone; granting one waits
// for the daemon, so that nothing is shown as allowed before it is.

import { notifications } from '@mantine/notifications';
import type { ContactDetail, FoundContacts, ListedContact } from '@relay/contract/api/contacts';
import type { Grant as Flagged } from '@relay/core/contacts/grants';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { contactLabel } from '../../parts/format.ts';
import classes from './undo.module.css';

/** Contains only the flags to change. */
export type GrantPatch = { readonly [Flag in keyof Flagged]?: Flagged[Flag] };
type Grant = NonNullable<ListedContact['grant']>;

export const GRANT_TOUCHES = [
  'contacts',
  'whatsapp-permissions',
  'knocks',
  'status',
  'ledger',
] as const;

export function useGrant(contact: ListedContact) {
  const queries = useQueryClient();
  const name = contactLabel(contact);
  const open = useAction({
    run: (flags: GrantPatch) => saveGrant(contact, flags),
    invalidates: GRANT_TOUCHES,
  });
  const reopen = useAction({
    run: (flags: GrantPatch) => saveGrant(contact, flags),
    invalidates: GRANT_TOUCHES,
    successMessage: `${name} is open again, as before.`,
  });
  const shut = useAction({
    run: (flags: GrantPatch) => saveGrant(contact, flags),
    invalidates: GRANT_TOUCHES,
  });
  const remove = useAction({
    run: async ({ grant }: ListedContact) => {
      if (grant === null) return;
      await relay.delete('/api/whatsapp/permissions/{id}', { path: { id: grant.id } });
    },
    invalidates: GRANT_TOUCHES,
    successMessage: `${name} is closed and gone from the list.`,
  });
  const close = async (flags: GrantPatch, says: string) => {
    const { grant } = contact;
    if (grant === null) return;
    await queries.cancelQueries({ queryKey: ['contacts'] });
    showGrant(queries, contact.id, { ...grant, ...toGrantColumns(flags) });
    const closing = shut.mutateAsync(flags);
    offerUndo(says, () =>
      // The removal must be saved before the undo, so that the undo wins.
      closing.then(
        () => reopen.mutate(previousFlags(grant, flags)),
        () => {},
      ),
    );
  };
  return { open, close, remove, isBusy: open.isPending || reopen.isPending || remove.isPending };
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
  const whom = kind === 'group' ? { group: jid ?? '' } : { contactId: id };
  // Drafts unless the owner says otherwise: sending without asking is never a default here.
  const body = {
    replyMode: 'draft' as const,
    ...flags,
    ...whom,
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
function offerUndo(says: string, undo: () => void): void {
  if (shownToast !== undefined) notifications.hide(shownToast);
  const hide = () => notifications.hide(id);
  const id = notifications.show({
    autoClose: false,
    closeButtonProps: { 'aria-label': 'Dismiss' },
    message: <UndoToast says={says} onUndo={undo} onOver={() => hide()} />,
  });
  shownToast = id;
}

interface UndoToastProps {
  readonly says: string;
  onUndo(): void;
  onOver(): void;
}

const UNDO_KEY = navigator.userAgent.includes('Mac') ? '⌘ Z' : 'Ctrl Z';

function UndoToast({ says, onUndo, onOver }: UndoToastProps) {
  const [isHeld, setHeld] = useState(false);
  const [left, setLeft] = useState(LASTS_MS);
  const undo = useEffectEvent(() => {
    onOver();
    onUndo();
  });
  const isOver = left <= 0;
  useEffect(() => {
    if (isHeld) return;
    const timer = setInterval(() => setLeft((ms) => ms - TICK_MS), TICK_MS);
    return () => clearInterval(timer);
  }, [isHeld]);
  const over = useEffectEvent(onOver);
  useEffect(() => {
    if (isOver) over();
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
      <span dir="auto">{says}</span>
      <button
        type="button"
        aria-keyshortcuts="Control+Z"
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
        onClick={() => {
          onOver();
          onUndo();
        }}
      >
        Undo <kbd aria-hidden>{UNDO_KEY}</kbd>
      </button>
    </div>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('textarea, input:not([type=checkbox], [type=radio])') !== null;
