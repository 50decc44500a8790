// A group as a stanza describes it: for queries, for the news that it was made, for its members.
// Invariant: each participant carries both names, so a client can map LID and phone number, unless one is hidden.
import { node, type Stanza, seconds } from '../wire/nodes.ts';
import {
  type Addressing,
  type Group,
  type Owner,
  otherName,
  type Role,
  shownJid,
} from './model.ts';

export function participantNode(member: Owner, addressing: Addressing, role?: Role): Stanza {
  const other = otherName(member, addressing);
  return node('participant', {
    jid: shownJid(member, addressing),
    ...(addressing === 'lid' ? { phone_number: other } : { lid: other }),
    type: role === 'member' ? undefined : role,
  });
}

export function groupNode(group: Group): Stanza {
  const { addressing, createdAt, members, owner, subject } = group;
  const creator = shownJid(owner, addressing);
  const attrs = {
    id: group.jid.replace('@g.us', ''),
    subject,
    creation: seconds(createdAt),
    creator,
    creator_pn: addressing === 'lid' ? otherName(owner, addressing) : undefined,
    s_t: seconds(createdAt),
    s_o: creator,
    addressing_mode: addressing,
    size: String(members.size),
  };
  const participants = [...members].map(([member, role]) =>
    participantNode(member, addressing, role),
  );
  return node('group', attrs, participants);
}
