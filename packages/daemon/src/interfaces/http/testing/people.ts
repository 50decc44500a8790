// Fixtures for grants and contacts: one permission, no contacts found, no message requests.
import type { Permission } from '@relay/contract/api/contacts';
import { RelayError } from '@relay/contract/errors';
import type { HttpDeps } from '../deps.ts';
import { AT } from './at.ts';
import type { Recorded } from './recorded.ts';

const RUNGS = { known: 0, open: 0, read: 0, reply: 0, auto: 0, start: 0 };

const permission: Permission = {
  id: '2d6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  phoneNumber: '14155551234',
  displayName: 'Mom',
  contactId: null,
  canRead: true,
  canReply: false,
  chatId: null,
  createdAt: AT,
  updatedAt: AT,
  kind: 'contact',
  jid: '14155551234@s.whatsapp.net',
  replyMode: 'auto',
  canInitiate: false,
  options: {},
};

export const peopleStandIns = (recorded: Recorded): Pick<HttpDeps, 'grants' | 'people'> => ({
  grants: {
    list: recorded('listPermissions', async () => [permission]),
    create: recorded('createPermission', async () => permission),
    update: recorded('updatePermission', async () => permission),
    remove: recorded('removePermission', async () => {}),
  },
  people: {
    find: recorded('findContacts', async () => ({
      contacts: [],
      total: 0,
      meant: null,
      number: null,
    })),
    counts: recorded('countContacts', async () => ({
      people: RUNGS,
      groups: RUNGS,
      in_conversations_only: 0,
      knocking: 0,
    })),
    detail: recorded('getContact', async () => {
      throw new RelayError('contact_not_found');
    }),
    messageRequests: recorded('listKnocks', async () => []),
    dismiss: recorded('dismissKnock', async () => {}),
  },
});
