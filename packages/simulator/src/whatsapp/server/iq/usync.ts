// Who is on the network, with which devices and under which LID.
// Invariant: companions carry a key-index and people asked for by number get their LID;
// Baileys drops devices and recipients without them.
import { getAllBinaryNodeChildren } from '@whiskeysockets/baileys';
import { type Device, jidOf, type Owner } from '../../people/model.ts';
import { child, children, node, type Stanza, seconds } from '../../wire/nodes.ts';
import type { Handlers, Request } from './request.ts';

function deviceNode({ id, keyIndex }: Device): Stanza {
  return node('device', { id: String(id), 'key-index': id ? String(keyIndex) : undefined });
}

function facts(protocol: string, jid: string, person: Owner | undefined): Stanza[] {
  if (protocol === 'contact') return [node('contact', { type: person ? 'in' : 'out' })];
  if (!person) return [];
  if (protocol === 'devices') {
    return [
      node('devices', {}, [
        node('device-list', { hash: '2:sim' }, person.devices().map(deviceNode)),
        node('key-index-list', { ts: seconds() }, Buffer.alloc(0)),
      ]),
    ];
  }
  if (protocol === 'lid' && jid.endsWith('@s.whatsapp.net')) {
    return [node('lid', { val: jidOf(person, 'lid') })];
  }
  return protocol === 'status' ? [node('status', { t: seconds() }, Buffer.from(''))] : [];
}

function answer({ child: usync, world: { directory } }: Request): Stanza {
  const query = child(usync, 'query');
  const protocols = (query ? getAllBinaryNodeChildren(query) : []).map(({ tag }) => tag);
  const users = children(child(usync, 'list'), 'user').map((user) => {
    const asked = child(user, 'contact')?.content;
    const number = asked
      ? Buffer.from(asked as Uint8Array)
          .toString()
          .replace('+', '')
      : undefined;
    const jid = number ? `${number}@s.whatsapp.net` : (user.attrs.jid ?? '');
    const person = directory.person(jid);
    return node(
      'user',
      { jid },
      protocols.flatMap((protocol) => facts(protocol, jid, person)),
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

export const usyncHandlers: Handlers = {
  'usync/get/usync': (request) => ({ content: [answer(request)] }),
};
