// Changes what is open for one person or group. Closing shows at once and can be undone; opening waits for the daemon,
// so that nothing is ever shown as allowed before it is.
import type { ContactDetail, FoundContacts, ListedContact } from '@relay/core/api/contacts';
import type { Grant as Flagged } from '@relay/core/contacts/grants';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { relay } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { calledIn } from '../../parts/somebody.ts';
import { offerUndo } from './undo.tsx';

/** What is to change, and only that. */
export type Flags = { readonly [Flag in keyof Flagged]?: Flagged[Flag] };
type Grant = NonNullable<ListedContact['grant']>;

export const TOUCHES = ['contacts', 'whatsapp-permissions', 'knocks', 'status', 'ledger'] as const;

export function useGrant(contact: ListedContact) {
  const queries = useQueryClient();
  const name = calledIn(contact);
  const open = useAct({ act: (flags: Flags) => save(contact, flags), touches: TOUCHES });
  const reopen = useAct({
    act: (flags: Flags) => save(contact, flags),
    touches: TOUCHES,
    done: `${name} is open again, as before.`,
  });
  const shut = useAct({
    act: (flags: Flags) => save(contact, flags),
    touches: TOUCHES,
  });
  const remove = useAct({
    act: async ({ grant }: ListedContact) => {
      if (grant === null) return;
      await relay.delete('/api/whatsapp/permissions/{id}', { path: { id: grant.id } });
    },
    touches: TOUCHES,
    done: `${name} is closed and gone from the list.`,
  });
  const close = async (flags: Flags, says: string) => {
    const { grant } = contact;
    if (grant === null) return;
    await queries.cancelQueries({ queryKey: ['contacts'] });
    showAs(queries, contact.id, { ...grant, ...inRows(flags) });
    const closing = shut.mutateAsync(flags);
    offerUndo(says, () =>
      // What was not closed yet is closed first: the last word is the undoing.
      closing.then(
        () => reopen.mutate(before(grant, flags)),
        () => {},
      ),
    );
  };
  return { open, close, remove, isBusy: open.isPending || reopen.isPending || remove.isPending };
}

/** `name` is what the owner calls somebody new; what they call themselves is never taken as a name. */
export async function save(contact: ListedContact, flags: Flags, name = ''): Promise<void> {
  const { grant, kind, id, jid } = contact;
  if (grant !== null) {
    await relay.patch('/api/whatsapp/permissions/{id}', { path: { id: grant.id }, body: flags });
    return;
  }
  const whom = kind === 'group' ? { group: jid ?? '' } : { contactId: id };
  // Drafts until the owner says otherwise: what leaves without asking is never a default here.
  const body = {
    replyMode: 'draft' as const,
    ...flags,
    ...whom,
    ...(name !== '' && { displayName: name }),
  };
  await relay.post('/api/whatsapp/permissions', { body });
}

const inRows = ({ canRead, canReply, replyMode, canInitiate }: Flags): Partial<Grant> => ({
  ...(canRead === undefined ? {} : { can_read: canRead }),
  ...(canReply === undefined ? {} : { can_reply: canReply }),
  ...(replyMode === undefined ? {} : { reply_mode: replyMode }),
  ...(canInitiate === undefined ? {} : { can_initiate: canInitiate }),
});

/** As each of the flags stood. */
const before = (grant: Grant, flags: Flags): Flags => ({
  ...(flags.canRead === undefined ? {} : { canRead: grant.can_read }),
  ...(flags.canReply === undefined ? {} : { canReply: grant.can_reply }),
  ...(flags.replyMode === undefined ? {} : { replyMode: grant.reply_mode }),
  ...(flags.canInitiate === undefined ? {} : { canInitiate: grant.can_initiate }),
});

/** Wherever somebody is shown, they are shown with this grant until the daemon is asked again. */
function showAs(queries: QueryClient, id: string, grant: Grant): void {
  const shown = (contact: ListedContact) => (contact.id === id ? { ...contact, grant } : contact);
  queries.setQueriesData<FoundContacts>({ queryKey: ['contacts', 'list'] }, (found) =>
    found === undefined ? found : { ...found, contacts: found.contacts.map(shown) },
  );
  queries.setQueriesData<ContactDetail>({ queryKey: ['contacts', 'one', id] }, (detail) =>
    detail === undefined ? detail : { ...detail, contact: shown(detail.contact) },
  );
}
