// A fake transport controlled by the test: `become` changes the link, as WhatsApp would.
import type { LinkPasskeyAnswer } from '@relay/contract/api/whatsapp';
import type { MessageId } from '@relay/contract/ids';
import type {
  LinkMethod,
  Transport,
  TransportEvent,
  WhatsAppLink,
} from '@relay/core/ports/transport';
import { UNLINKED } from '@relay/testing/link';

export interface ScriptedTransport extends Transport {
  become(changed: Partial<WhatsAppLink>): void;
  receipt(id: string): void;
  listeners(): number;
  /** The linking methods it was called with, oldest first. */
  readonly methods: (LinkMethod | undefined)[];
  readonly disconnects: { readonly forget: boolean }[];
  /** The answers to a passkey request that it was given. */
  readonly passkeys: LinkPasskeyAnswer[];
  /** Runs at every `connect`. */
  onConnect(act: () => void): void;
}

export function scriptedTransport(): ScriptedTransport {
  let link = UNLINKED;
  let act = () => {};
  const listeners = new Set<(event: TransportEvent) => void>();
  const methods: (LinkMethod | undefined)[] = [];
  const disconnects: { readonly forget: boolean }[] = [];
  const passkeys: LinkPasskeyAnswer[] = [];
  const tell = (event: TransportEvent) => {
    for (const listener of [...listeners]) listener(event);
  };
  const become = (changed: Partial<WhatsAppLink>) => {
    link = { ...link, since: new Date(link.since.getTime() + 1_000), ...changed };
    tell({ type: 'link', link });
  };
  return {
    become,
    methods,
    disconnects,
    passkeys,
    answerPasskey: (answer) => void passkeys.push(answer),
    listeners: () => listeners.size,
    receipt(id) {
      const chat = `${link.phone}@s.whatsapp.net`;
      tell({ type: 'receipt', id: id as MessageId, chat, status: 'sent', at: new Date() });
    },
    onConnect(given) {
      act = given;
    },
    get link() {
      return link;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    connect(method) {
      methods.push(method);
      act();
    },
    resume() {},
    async disconnect(options) {
      disconnects.push(options);
      become({ state: 'disconnected', qr: null, pairingCode: null });
    },
    send: async () => {},
    close: async () => {},
    capabilities: {},
  };
}
