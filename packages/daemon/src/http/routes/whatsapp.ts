// Seed 000's routes of the connection, to the letter, and beside them the link as Relay knows it.
import { linkSchema } from '@relay/core/api/link';
import {
  connectResponseSchema,
  connectSchema,
  disconnectResponseSchema,
  disconnectSchema,
  noQrSchema,
  qrSchema,
  whatsappStatusSchema,
} from '@relay/core/api/whatsapp';
import { linkBody, publicStatus } from '@relay/core/connection/link';
import { sentence } from '@relay/core/errors';
import type { App } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { beginLinking, isConnected, linkMethod } from '../linking.ts';
import type { QrPicture } from '../qr-picture.ts';
import { refusals } from './responses.ts';

const tags = ['whatsapp'];

export function whatsappRoutes(
  app: App,
  deps: Pick<HttpDeps, 'whatsapp'>,
  picture: QrPicture,
): void {
  app.get(
    '/api/whatsapp/status',
    {
      schema: {
        operationId: 'getWhatsAppStatus',
        summary: 'Whether WhatsApp is connected, and as which number',
        tags,
        response: { 200: whatsappStatusSchema, ...refusals() },
      },
    },
    async () => publicStatus(deps.whatsapp.link),
  );

  app.get(
    '/api/whatsapp/link',
    {
      schema: {
        operationId: 'getLink',
        summary: 'The link with its sentence, what there is to scan or type, and its health',
        tags,
        response: { 200: linkSchema, ...refusals() },
      },
    },
    async (_request, reply) =>
      reply.header('cache-control', 'no-store').send(linkBody(deps.whatsapp.link)),
  );

  app.post(
    '/api/whatsapp/connect',
    {
      schema: {
        operationId: 'connectWhatsApp',
        summary: 'Begin to connect; what comes of it is told by the streams',
        description:
          'Without a body an account that is not linked yet gets a QR code; with `phone` it gets a code to type on that phone.',
        tags,
        body: connectSchema,
        response: { 200: connectResponseSchema, ...refusals(400, 413, 415) },
      },
    },
    async ({ body }) => {
      const method = linkMethod(body?.phone);
      if (isConnected(deps.whatsapp)) {
        const { phoneNumber } = publicStatus(deps.whatsapp.link);
        return { status: 'already_connected' as const, phoneNumber };
      }
      await beginLinking(deps.whatsapp, method);
      return { status: 'connecting' as const };
    },
  );

  app.get(
    '/api/whatsapp/qr',
    {
      schema: {
        operationId: 'getQr',
        summary: 'The QR code to scan, as a PNG in a data URL',
        tags,
        response: { 200: qrSchema, ...refusals(), 404: noQrSchema },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'no-store');
      const { qr } = deps.whatsapp.link;
      // The seed gives this one body without a code.
      if (qr === null) return reply.code(404).send({ error: sentence('no_qr_code') });
      return reply.send({ qr: await picture(qr) });
    },
  );

  app.post(
    '/api/whatsapp/disconnect',
    {
      schema: {
        operationId: 'disconnectWhatsApp',
        summary: 'Disconnect; with `clearSession` also unlink this device',
        tags,
        body: disconnectSchema.nullish(),
        response: { 200: disconnectResponseSchema, ...refusals(400, 413, 415) },
      },
    },
    async ({ body }) => {
      await deps.whatsapp.disconnect({ forget: body?.clearSession ?? false });
      return { status: 'disconnected' as const };
    },
  );
}
