// Shows a link being made until it stands or has stopped. Ctrl-C leaves at once and takes back a code
// that nobody has used.
import type { LinkBody } from '@relay/core/api/link';
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../api.ts';
import { phone as shown } from '../format.ts';
import type { Terminal } from '../terminal.ts';
import { followLink } from './follow.ts';
import { LinkScreen } from './screen.ts';

/** What waited may be much; a person need not watch all of it arrive. */
const SYNC_PATIENCE_MS = 60_000;
const INTERRUPTED = 130;

/** Resolves when connected; throws with the link's sentence when it has stopped. */
export async function untilLinked(home: string, terminal: Terminal): Promise<LinkBody> {
  const screen = new LinkScreen(terminal);
  let syncing: number | null = null;
  let last: LinkBody | null = null;
  const leave = () => void interrupted(home, terminal, last);
  const resized = () => void screen.again();
  process.once('SIGINT', leave);
  process.stdout.on('resize', resized);
  try {
    for await (const link of followLink(home)) {
      last = link;
      await screen.show(link);
      if (link.state === 'syncing') {
        syncing ??= Date.now();
        if (Date.now() - syncing > SYNC_PATIENCE_MS) return link;
      } else if (link.status === 'connected') return link;
      else if (link.status === 'disconnected' && link.retryAt === null) {
        throw new RelayError('whatsapp_not_connected', { sentence: link.sentence });
      }
    }
    throw new RelayError('daemon_not_running');
  } finally {
    process.off('SIGINT', leave);
    process.stdout.off('resize', resized);
    terminal.settle();
  }
}

export const connectedAs = ({ phone, name }: LinkBody): string => {
  if (phone === null) return 'Connected.';
  return name === null
    ? `Connected as ${shown(phone)}.`
    : `Connected as ${shown(phone)} (${name}).`;
};

async function interrupted(home: string, terminal: Terminal, link: LinkBody | null): Promise<void> {
  terminal.settle();
  const unused = link !== null && (link.qr !== null || link.pairingCode !== null);
  if (unused) {
    await clientOf(home)
      .post('/api/whatsapp/disconnect')
      .catch(() => {});
  }
  process.exit(INTERRUPTED);
}
