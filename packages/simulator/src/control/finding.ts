// Who a request speaks of: people by phone number, groups by id.
// Invariant: who is not on the network is a 404 with the name that was asked for.

import { RequestError } from '../http.ts';
import type { Network } from '../whatsapp/network.ts';
import type { Account } from '../whatsapp/people/account.ts';
import type { GroupChat } from '../whatsapp/people/group.ts';

export interface Finder {
  person(phone: string): Account;
  group(id: string): GroupChat;
  /** A person or a group, by what the typed API calls the chat. */
  chat(name: string): Account | GroupChat;
}

export function finderOf(network: Network): Finder {
  function person(phone: string): Account {
    const found = network.account(phone);
    if (!found) throw new RequestError(404, `Nobody on this network is ${phone}.`);
    return found;
  }

  function group(id: string): GroupChat {
    const found = network.group(id);
    if (!found) throw new RequestError(404, `No group on this network is ${id}.`);
    return found;
  }

  return { person, group, chat: (name) => (name.includes('@') ? group(name) : person(name)) };
}
