// Answers who is on the network, with which devices and LID. An unregistered number is answered as `out`; another
// spelling of a number, with its registered address. Invariant: companions carry a key-index, and people requested by
// number get their LID if they have one; Baileys drops devices and recipients without them.
import { getAllBinaryNodeChildren } from '@whiskeysockets/baileys';
import type { SimulatedAccount } from '../../people/account.ts';
import { type Device, ownerJid } from '../../people/model.ts';
import { child, children, node, type Stanza, seconds } from '../../wire/nodes.ts';
import type { IqHandlers, IqRequest } from '../context.ts';

function deviceNode({ id, keyIndex }: Device): Stanza {
  return node('device', { id: String(id), 'key-index': id ? String(keyIndex) : undefined });
}

interface UsyncUser {
  readonly jid: string;
  /** The number as written in the request; the answer repeats it. */
  readonly number: string | undefined;
  readonly person: SimulatedAccount | undefined;
}

function facts(protocol: string, { jid, number, person }: UsyncUser): Stanza[] {
  if (protocol === 'contact') {
    const content = number === undefined ? undefined : Buffer.from(number);
    return [node('contact', { type: person ? 'in' : 'out' }, content)];
  }
  if (!person) return [];
  if (protocol === 'devices') {
    return [
      node('devices', {}, [
        node('device-list', { hash: '2:sim' }, person.devices().map(deviceNode)),
        node('key-index-list', { ts: seconds() }, Buffer.alloc(0)),
      ]),
    ];
  }
  if (protocol === 'lid' && jid.endsWith('@s.whatsapp.net') && person.knownAs !== 'pn') {
    return [node('lid', { val: ownerJid(person, 'lid') })];
  }
  return protocol === 'status' ? [node('status', { t: seconds() }, Buffer.from(''))] : [];
}

function answerUsync({ account, child: usync, world: { directory } }: IqRequest): Stanza {
  const query = child(usync, 'query');
  const protocols = (query ? getAllBinaryNodeChildren(query) : []).map(({ tag }) => tag);
  const users = children(child(usync, 'list'), 'user').map((user) => {
    const asked = readUsyncUser(user, directory);
    if (asked.person && protocols.includes('devices')) directory.noteAsker(asked.person, account);
    return node(
      'user',
      { jid: asked.jid },
      protocols.flatMap((protocol) => facts(protocol, asked)),
    );
  });
  const { context, mode, sid } = usync.attrs;
  return node('usync', { sid, index: '0', last: 'true', mode, context }, [
    node(
      'result',
      {},
      protocols.map((protocol) => node(protocol, { version: '2' })),
    ),
    node('list', {}, users),
  ]);
}

function readUsyncUser(user: Stanza, directory: IqRequest['world']['directory']): UsyncUser {
  const content = child(user, 'contact')?.content;
  if (!content) {
    const jid = user.attrs.jid ?? '';
    return { jid, number: undefined, person: directory.person(jid) };
  }
  const number = Buffer.from(content as Uint8Array).toString();
  const person = directory.registered(number);
  const jid = `${person?.phone ?? number.replace(/^\+/, '')}@s.whatsapp.net`;
  return { jid, number, person };
}

export const usyncHandlers: IqHandlers = {
  'usync/get/usync': (request) => ({ content: [answerUsync(request)] }),
};
