// A transport's link as the API shows it. Pure; the one place where its dates become text.
import type { LinkBody } from '../api/link.ts';
import type { WhatsAppStatusBody } from '../api/whatsapp.ts';
import type { Link } from '../ports/transport.ts';
import { connectionSentence, statusOf } from './states.ts';

/** Seed 000's view: the number is told only while connected. */
export function publicStatus({ state, phone }: Pick<Link, 'state' | 'phone'>): WhatsAppStatusBody {
  const status = statusOf(state);
  return { status, phoneNumber: status === 'connected' ? phone : null };
}

export function linkBody(link: Link): LinkBody {
  const { health } = link;
  return {
    state: link.state,
    status: statusOf(link.state),
    sentence: linkSentence(link),
    since: link.since.toISOString(),
    phone: link.phone,
    name: link.name,
    qr: link.qr,
    qrExpiresAt: iso(link.qrExpiresAt),
    pairingCode: link.pairingCode,
    retryAt: iso(link.retryAt),
    replaying: link.replaying,
    timeLockedUntil: iso(link.timeLockedUntil),
    health: {
      lastStanzaAt: iso(health.lastStanzaAt),
      pingMs: health.pingMs,
      flaps: health.flaps,
      received: health.received,
      undecryptable: health.undecryptable,
      restarts: health.restarts,
    },
  };
}

/** The state's sentence, with the one figure that makes waiting bearable. */
function linkSentence({ state, replaying }: Link): string {
  if (state !== 'syncing' || replaying === null || replaying === 0)
    return connectionSentence(state);
  return `Connected. Messages that waited are still arriving: ${replaying} left.`;
}

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;
