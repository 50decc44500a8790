// Handles companions' requests to read, create and change groups. Invariant: members are notified of a companion's
// change exactly as of a phone's.
import type { SimulatedAccount } from '../../people/account.ts';
import { GroupChat, groupNode } from '../../people/group.ts';
import { attr, children, contentBytes, node, type Stanza } from '../../wire/nodes.ts';
import { type IqAnswer, type IqHandlers, type IqRequest, ITEM_NOT_FOUND } from '../context.ts';

function peopleIn(list: Stanza, { world: deps }: IqRequest): SimulatedAccount[] {
  return children(list, 'participant')
    .map((participant) => deps.directory.person(attr(participant, 'jid')))
    .filter((person) => person !== undefined);
}

function create(request: IqRequest): IqAnswer {
  const { account, child, world: deps } = request;
  const group = new GroupChat({
    subject: attr(child, 'subject'),
    owner: account,
    members: peopleIn(child, request),
  });
  deps.directory.addGroup(group);
  return { content: [groupNode(group)], after: () => group.announce() };
}

type Change = (group: GroupChat, by: SimulatedAccount, people: SimulatedAccount[]) => void;

function changing(change: Change): (request: IqRequest) => IqAnswer {
  return (request) => {
    const group = request.world.directory.group(attr(request.stanza, 'to'));
    if (!group) return ITEM_NOT_FOUND;
    const people = peopleIn(request.child, request);
    const done = children(request.child, 'participant').map(({ attrs }) =>
      node('participant', { jid: attrs.jid }),
    );
    return {
      content: [node(request.child.tag, {}, done)],
      after: () => change(group, request.account, people),
    };
  };
}

function leave({ account, child, world: deps }: IqRequest): IqAnswer {
  const groups = children(child, 'group').map((group) => deps.directory.group(attr(group, 'id')));
  return {
    after: () => {
      for (const group of groups) group?.remove(account, [account]);
    },
  };
}

function rename({ account, child, stanza, world: deps }: IqRequest): IqAnswer {
  const group = deps.directory.group(attr(stanza, 'to'));
  if (!group) return ITEM_NOT_FOUND;
  const subject = contentBytes(child).toString();
  return { after: () => group.rename(account, subject) };
}

export const groupHandlers: IqHandlers = {
  'w:g2/get/query': ({ stanza, world: deps }) => {
    const group = deps.directory.group(attr(stanza, 'to'));
    return group ? { content: [groupNode(group)] } : ITEM_NOT_FOUND;
  },
  'w:g2/get/participating': ({ account, world: deps }) => ({
    content: [node('groups', {}, deps.directory.groupsOf(account).map(groupNode))],
  }),
  'w:g2/set/create': create,
  'w:g2/set/subject': rename,
  'w:g2/set/leave': leave,
  'w:g2/set/add': changing((group, by, people) => group.add(by, people)),
  'w:g2/set/remove': changing((group, by, people) => group.remove(by, people)),
  'w:g2/set/promote': changing((group, by, people) => group.setRole(by, people, 'admin')),
  'w:g2/set/demote': changing((group, by, people) => group.setRole(by, people, 'member')),
};
