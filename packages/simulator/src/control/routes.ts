// Every route of the control API: those of people, of groups, and of the service itself.
// Invariant: a route asks the typed API and nothing else, so both drive the network alike.

import { RequestError } from '../http.ts';
import type { Network } from '../whatsapp/network.ts';
import { finderOf } from './finding.ts';
import { peopleRoutes } from './people.ts';
import { done, made, type Routes, shown } from './router.ts';
import { CountsQuery, GroupChange, NewFaults, NewGroup, StanzasQuery } from './schemas.ts';
import { loggedView } from './views.ts';

export function routesOf(network: Network): Routes {
  return { ...peopleRoutes(network), ...groupRoutes(network), ...serviceRoutes(network) };
}

function groupRoutes(network: Network): Routes {
  const find = finderOf(network);
  return {
    'POST /groups': (ask) => {
      const { members, owner, ...rest } = ask.body(NewGroup);
      const people = { owner: find.person(owner), members: members.map(find.person) };
      const { jid, subject } = network.createGroup({ ...rest, ...people });
      return made({ id: jid, subject });
    },

    'POST /groups/:id/changes': (ask) => {
      const group = find.group(ask.param('id'));
      const { add, by, demote, promote, remove, subject } = ask.body(GroupChange);
      const actor = find.person(by);
      const [added = [], removed = [], raised = [], lowered = []] = [
        add,
        remove,
        promote,
        demote,
      ].map((phones) => phones?.map(find.person));
      for (const person of [actor, ...removed, ...raised, ...lowered]) {
        if (group.members.has(person) || added.includes(person)) continue;
        throw new RequestError(409, `${person.phone} is not in this group.`);
      }
      if (subject !== undefined) group.rename(actor, subject);
      if (added.length > 0) group.add(actor, added);
      if (raised.length > 0) group.setRole(actor, raised, 'admin');
      if (lowered.length > 0) group.setRole(actor, lowered, 'member');
      if (removed.length > 0) group.remove(actor, removed);
      return done;
    },
  };
}

function serviceRoutes(network: Network): Routes {
  const find = finderOf(network);
  return {
    'POST /faults': (ask) => {
      network.faults.set(ask.body(NewFaults));
      return shown(network.faults.current);
    },

    'DELETE /faults': () => {
      network.faults.clear();
      return done;
    },

    'GET /stanzas': (ask) => {
      const { account, direction, tag } = ask.query(StanzasQuery);
      const phone = account === undefined ? undefined : find.person(account).phone;
      const stanzas = network.stanzas.filter(
        (logged) =>
          (phone ?? logged.account) === logged.account &&
          (direction ?? logged.direction) === logged.direction &&
          (tag ?? logged.stanza.tag) === logged.stanza.tag,
      );
      return shown({ stanzas: stanzas.map(loggedView) });
    },

    'GET /counts': (ask) => {
      const { account } = ask.query(CountsQuery);
      return shown(account === undefined ? network.counts() : find.person(account).counts());
    },
  };
}
