// A fixture with one account, of the home's owner.
import type { ListedAccount, ListedOwner } from '@relay/contract/api/accounts';
import type { HttpDeps } from '../deps.ts';
import { AT } from './at.ts';
import type { Recorded } from './recorded.ts';

const account: ListedAccount = {
  name: 'default',
  default: true,
  owner: 'owner',
  own: true,
  served: true,
  state: 'disconnected',
  sentence: 'Not connected to WhatsApp. Link your account with `relay init`.',
  phone_number: null,
  profile_name: null,
  created_at: AT,
  waiting_count: 0,
  hold: false,
  sent_today: 0,
};

const owner: ListedOwner = { name: 'owner', role: 'owner', created_at: AT, accounts: ['default'] };

export const accountStandIns = (
  recorded: Recorded,
): Pick<HttpDeps, 'accountService' | 'owners'> => ({
  accountService: {
    list: recorded('listAccounts', async () => [account]),
    add: recorded('addAccount', async () => account),
    change: recorded('changeAccount', async () => account),
    settings: recorded('accountSettings', async () => ({ proxy: null, has_model_key: false })),
    changeSettings: recorded('changeAccountSettings', async () => ({
      proxy: null,
      has_model_key: false,
    })),
    remove: recorded('removeAccount', async () => account),
    inbox: recorded('inbox', async () => ({ accounts: [account], chats: [], approvals: [] })),
  },
  owners: {
    list: recorded('listOwners', async () => [owner]),
    add: recorded('addOwner', async () => ({ ...owner, token: 'relay_new_owner' })),
    remove: recorded('removeOwner', async () => owner),
    findByToken: async () => null,
    replaceToken: recorded('replaceOwnerToken', async () => 'relay_replaced'),
  },
});
