// What a companion says about its own connection: that it listens, that it does not, that it leaves.
// Invariant: nothing is handed over before the companion has asked for it.
import { S_WHATSAPP_NET } from '@whiskeysockets/baileys';
import type { Companion } from '../../people/companion.ts';
import { node } from '../../wire/nodes.ts';
import { type Handlers, NOTHING } from './request.ts';

/** Says how much waits; the client then asks for it. */
function preview({ link, pending }: Companion): void {
  const count = (tag: string) => String(pending.filter((stanza) => stanza.tag === tag).length);
  const offline = node('offline_preview', {
    count: String(pending.length),
    message: count('message'),
    receipt: count('receipt'),
    notification: count('notification'),
    appdata: '0',
  });
  link?.send(node('ib', { from: S_WHATSAPP_NET }, [offline]));
}

export const sessionHandlers: Handlers = {
  'passive/set/active': ({ companion }) => ({ after: () => preview(companion) }),
  'passive/set/passive': ({ companion }) => {
    companion.listening = false;
    return NOTHING;
  },
  'md/set/remove-companion-device': ({ account, companion }) => ({
    after: () => account.unlink(companion.id),
  }),
};
