// Two contacts turn out to be one person. The merged contact has all aliases of both and what both
// were allowed: nothing where either had no grant. So no alias is ever allowed more than before.
//
// Why "no grant" counts as a no: it is what the owner sees as denied, and may have left so on
// purpose. If it counted as "no opinion", whoever could make WhatsApp claim that two identities are
// one would carry a friend's grant over to a stranger. The price is that a grant given to a phone
// number falls when its LID had been met before as somebody else; `withdrawn` says so, and the owner
// restores it with one yes. A LID first met together with the number costs nothing: it is a further
// alias of the granted contact, not a second contact.
import type { ContactId } from '../ids.ts';
import { type Alias, distinct } from './alias.ts';
import { type Grant, isWithin, narrowest } from './grants.ts';

export interface Contact {
  readonly id: ContactId;
  readonly aliases: readonly Alias[];
  /** Null means that the owner has granted nothing. */
  readonly grant: Grant | null;
}

export interface Merge {
  readonly into: ContactId;
  readonly from: ContactId;
  readonly grant: Grant | null;
  /** The grants that allowed more than the merged one does: what the owner may want to restore. */
  readonly withdrawn: readonly Grant[];
}

/** The lower id survives, so that the order of discovery does not decide who is who. */
export function mergeContacts(a: Contact, b: Contact): { contact: Contact; merge: Merge } {
  const [kept, gone] = a.id < b.id ? [a, b] : [b, a];
  const grant = narrowest(kept.grant, gone.grant);
  const withdrawn = [kept.grant, gone.grant].filter(
    (held): held is Grant => held !== null && !isWithin(held, grant),
  );
  return {
    contact: { id: kept.id, aliases: distinct([...kept.aliases, ...gone.aliases]), grant },
    merge: { into: kept.id, from: gone.id, grant, withdrawn },
  };
}
