// The owner's grants and the people they are for, as routes and commands call them. Every change goes
// through the gate; every refusal is a RelayError from the one table.
import type {
  ContactCounts,
  ContactDetail,
  ContactQuery,
  FoundContacts,
  Knock,
} from '../api/contacts.ts';
import type {
  CreatePermission,
  Permission,
  PermissionKind,
  UpdatePermission,
} from '../api/permissions.ts';
import type { ContactId, GrantId } from '../ids.ts';

export interface GrantVerbs {
  /** Sorted by name. */
  list(kind: PermissionKind): Promise<readonly Permission[]>;
  create(given: CreatePermission): Promise<Permission>;
  /** Changes only what is given. */
  update(id: GrantId, changes: UpdatePermission): Promise<Permission>;
  remove(id: GrantId): Promise<void>;
}

export interface PeopleVerbs {
  find(query: ContactQuery): Promise<FoundContacts>;
  counts(): Promise<ContactCounts>;
  /** A person by the contact's id, a group by the chat's. */
  detail(id: string): Promise<ContactDetail>;
  /** Who wrote without being allowed to be read, the latest first. */
  knocks(): Promise<readonly Knock[]>;
  /** They are shown again when they write again. */
  dismiss(contact: ContactId): Promise<void>;
}
