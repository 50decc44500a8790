// Seed 003's `/init`: keeps the model's key and provider, and the web search's key, then begins to link.
import { initResponseSchema, initSchema } from '@relay/core/api/link';
import { statusOf } from '@relay/core/connection/states';
import type { Link } from '@relay/core/ports/transport';
import type { App } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import type { Limits } from '../limits.ts';
import { beginLinking, isConnected, linkMethod, untilLink } from '../linking.ts';
import { refusals } from './responses.ts';

export function initRoutes(
  app: App,
  deps: Pick<HttpDeps, 'whatsapp' | 'settings'>,
  limits: Limits,
): void {
  app.post(
    '/api/init',
    {
      schema: {
        operationId: 'init',
        summary: 'Configure the model and begin to link WhatsApp',
        description:
          'Answers when there is a QR code to scan, or none will come: then `whatsapp_qr_displayed` is false and `GET /api/whatsapp/link` says why.',
        tags: ['daemon'],
        body: initSchema,
        response: { 200: initResponseSchema, ...refusals(400, 413, 415) },
      },
    },
    async ({ body }) => {
      const { phone, ...settings } = body ?? {};
      const method = linkMethod(phone);
      if (Object.keys(settings).length > 0) await deps.settings.change(settings);
      if (isConnected(deps.whatsapp)) return { whatsapp_qr_displayed: false };
      const before = deps.whatsapp.link.since.getTime();
      await beginLinking(deps.whatsapp, method);
      const decided = ({ state, since, pairingCode }: Link) =>
        pairingCode !== null || (since.getTime() !== before && statusOf(state) !== 'connecting');
      const link = await untilLink(
        deps.whatsapp,
        (now) => now.qr !== null || decided(now),
        limits.initMs,
      );
      return { whatsapp_qr_displayed: link.qr !== null };
    },
  );
}
