// `authenticate_qr` of seed 002: links the account, or says that it is linked. It starts linking, waits for a QR code
// and returns its picture; the next call returns the result.
import { connectionSentence, whatsappStatusOf } from '@relay/contract/connection/states';
import { RelayError } from '@relay/contract/errors';
import type { WhatsAppLink } from '@relay/core/ports/transport';
import { z } from 'zod';
import { reachabilityOf, SeedError } from '../reachability.ts';
import { type ClientCall, defineTool } from '../tool.ts';

const PATIENCE_MS = 30_000;
const PROGRESS_MS = 5_000;

export const authenticateQrTool = defineTool({
  name: 'authenticate_qr',
  title: 'Link WhatsApp',
  description:
    'Display QR code for WhatsApp Web authentication (first-time setup or session expired)',
  scope: 'link:write',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({}),
  output: z.object({
    qr_code_base64: z.string().optional().describe('QR code image as base64-encoded PNG'),
    status: z.enum(['waiting', 'authenticated']).describe('Authentication status'),
  }),
  async run(call) {
    const { transport, keepsSession, renderQr } = call.deps;
    if (isLinked(transport.link)) return { status: 'authenticated' as const };
    if (!(await keepsSession())) {
      throw new SeedError(
        'SESSION_PATH_INVALID',
        'The session cannot be stored. Run `relay doctor` to find out why.',
      );
    }
    if (transport.link.state === 'pairing_code_ready') {
      throw new RelayError('conflict', { what: connectionSentence('pairing_code_ready') });
    }
    transport.connect({ kind: 'qr' });
    const link = await waitForLinkChange(call);
    if (isLinked(link)) return { status: 'authenticated' as const };
    if (link.qr === null) {
      throw new SeedError('BROWSER_LAUNCH_FAILED', connectionSentence(link.state));
    }
    return { qr_code_base64: await renderQr(link.qr), status: 'waiting' as const };
  },
});

/** Also true while the connection is down: a linked account needs no code. */
function isLinked(link: WhatsAppLink): boolean {
  const reach = reachabilityOf(link);
  return reach === 'up' || (reach === 'away' && link.phone !== null);
}

/** Waits for a QR code, a link or the end of the attempts; after the time limit returns the current link. */
async function waitForLinkChange({ deps, signal, progress }: ClientCall): Promise<WhatsAppLink> {
  const { transport, wait } = deps;
  let changed = Promise.withResolvers<void>();
  const unsubscribe = transport.subscribe(() => changed.resolve());
  try {
    for (let waited = 0; waited < PATIENCE_MS && !isLinkOutcome(transport.link); ) {
      progress(connectionSentence(transport.link.state));
      changed = Promise.withResolvers<void>();
      const late = wait(PROGRESS_MS, signal).then(() => true);
      if (await Promise.race([late, changed.promise.then(() => false)])) waited += PROGRESS_MS;
    }
  } finally {
    unsubscribe();
  }
  return transport.link;
}

const isLinkOutcome = (link: WhatsAppLink): boolean =>
  link.qr !== null ||
  isLinked(link) ||
  (whatsappStatusOf(link.state) === 'disconnected' && link.retryAt === null);
