// The initial state of a link, for scripted transports.
import type { WhatsAppLink } from '@relay/core/ports/transport';

export const UNLINKED: WhatsAppLink = {
  state: 'disconnected',
  since: new Date('2026-11-15T02:00:00.000Z'),
  phone: null,
  lid: null,
  name: null,
  qr: null,
  qrExpiresAt: null,
  pairingCode: null,
  passkey: null,
  replaying: null,
  timeLockedUntil: null,
  fault: null,
  retryAt: null,
  health: {
    lastStanzaAt: null,
    pingMs: null,
    flaps: 0,
    received: 0,
    undecryptable: 0,
    restarts: 0,
  },
};
