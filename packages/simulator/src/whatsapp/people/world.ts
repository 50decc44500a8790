// What a simulated person may reach beyond themselves.
// Invariant: people know each other as owners of devices; the server knows them as accounts.
import type { Events } from '../events.ts';
import type { Faults } from '../faults.ts';
import type { MediaStore } from '../media/store.ts';
import type { PairingDesk } from '../pairing/desk.ts';
import type { Directory } from './directory.ts';
import type { Group, Owner } from './model.ts';

export interface PeopleWorld {
  readonly directory: Directory<Owner, Group>;
  readonly faults: Faults;
  readonly events: Events;
  readonly desk: PairingDesk;
  readonly media: MediaStore;
}
