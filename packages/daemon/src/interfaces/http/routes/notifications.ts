// Routes for notifications: devices of signed-in browsers, ntfy and the webhook, and a test.
import {
  addPushDeviceSchema,
  addressedChannelSchema,
  addressedSchema,
  notificationsOverviewSchema,
  pushDeviceSchema,
  setChannelSchema,
  testedNotificationsSchema,
  testNotificationSchema,
} from '@relay/contract/api/notifications';
import { z } from 'zod';
import { type App, errorResponses, type Principal } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import type { Authenticator } from '../guard.ts';

const tags = ['notifications'];

const sessionOf = (principal: Principal | null | undefined): string | null =>
  principal?.kind === 'session' || principal?.kind === 'device' ? principal.hash : null;

export function notificationRoutes(
  app: App,
  { notifications }: Pick<HttpDeps, 'notifications'>,
  authenticator: Authenticator,
): void {
  app.get(
    '/api/notifications',
    {
      schema: {
        operationId: 'getNotifications',
        summary: 'Show where you are notified, and the latest deliveries',
        tags,
        response: { 200: notificationsOverviewSchema, ...errorResponses() },
      },
    },
    ({ principal }) => notifications.overview(sessionOf(principal)),
  );

  app.post(
    '/api/notifications/devices',
    {
      schema: {
        operationId: 'addPushDevice',
        summary: 'Turn on notifications for this browser, with its push subscription',
        description:
          'The device is removed when this browser signs out, when its paired device is removed, or when the push service says that the subscription ended.',
        tags,
        body: addPushDeviceSchema,
        response: { 201: pushDeviceSchema, ...errorResponses(400, 404, 409, 413, 415) },
      },
    },
    async ({ body, principal }, reply) => {
      // A stolen cookie must not subscribe a browser of its own; a phone renews its subscription with every visit.
      if (principal?.kind === 'device' && !body.renew) await authenticator.confirmDevice(principal);
      return reply.code(201).send(await notifications.addDevice(body, sessionOf(principal)));
    },
  );

  app.delete(
    '/api/notifications/devices/:device',
    {
      schema: {
        operationId: 'removePushDevice',
        summary: 'Turn off notifications for a device',
        tags,
        params: z.strictObject({ device: z.uuid() }),
        response: { 204: z.null().describe('Removed'), ...errorResponses(400, 404) },
      },
    },
    async ({ params: { device } }, reply) => {
      await notifications.removeDevice(device);
      return reply.code(204).send(null);
    },
  );

  app.patch(
    '/api/notifications/channels/:channel',
    {
      // Whoever sets the address decides who reads the notifications.
      config: { subject: 'home', access: 'confirmed' },
      schema: {
        operationId: 'setNotificationChannel',
        summary: 'Set or remove the address and the token of ntfy or of the webhook',
        description:
          'An omitted field stays unchanged; null removes it. A new address removes the old token.',
        tags,
        params: z.strictObject({ channel: addressedChannelSchema }),
        body: setChannelSchema,
        response: { 200: addressedSchema, ...errorResponses(400, 413, 415) },
      },
    },
    ({ params: { channel }, body }) => notifications.setChannel(channel, body),
  );

  app.post(
    '/api/notifications/test',
    {
      schema: {
        operationId: 'testNotifications',
        summary: 'Send a test notification and report the result',
        tags,
        body: testNotificationSchema,
        response: { 200: testedNotificationsSchema, ...errorResponses(400, 404, 413, 415) },
      },
    },
    ({ body }) => notifications.test(body),
  );
}
