// Seed 003's status route, and the checks of `relay doctor`.

import { activityQuerySchema, activitySchema } from '@relay/contract/api/activity';
import { doctorQuerySchema, doctorReportSchema, statusSchema } from '@relay/contract/api/status';
import { HOME_OWNER } from '@relay/contract/ids';
import { z } from 'zod';
import { mayKnowOf, runsMachine } from '../account-scope.ts';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps } from '../deps.ts';

export function statusRoutes(app: App, deps: Pick<HttpDeps, 'status' | 'checks'>): void {
  app.get(
    '/api/status',
    {
      config: { subject: 'figures' },
      schema: {
        operationId: 'getStatus',
        summary: 'Get the status of the daemon, WhatsApp, the database and the jobs',
        tags: ['daemon'],
        response: { 200: statusSchema, ...errorResponses() },
      },
    },
    async ({ account, principal }) => {
      const status = await deps.status();
      const isOwn =
        principal !== null && 'owner' in principal && principal.owner.id === account?.owner;
      return isOwn ? status : { ...status, whatsapp: { ...status.whatsapp, phone_number: null } };
    },
  );

  app.get(
    '/api/doctor',
    {
      schema: {
        operationId: 'runDoctor',
        summary: 'Run the health checks; each problem comes with its fix',
        tags: ['daemon'],
        querystring: doctorQuerySchema,
        response: { 200: doctorReportSchema, ...errorResponses(400) },
      },
    },
    async ({ query }) => ({ checks: await deps.checks(query) }),
  );
}

// For whoever keeps the daemon running. Without a token, so they say nothing about the owner.

export function healthRoutes(app: App, { events }: Pick<HttpDeps, 'events'>): void {
  app.get(
    '/healthz',
    {
      config: { access: 'open' },
      schema: {
        operationId: 'getLiveness',
        summary: 'Ask whether the process answers; needs no token',
        tags: ['daemon'],
        response: { 200: z.object({ status: z.literal('ok') }), ...errorResponses() },
      },
    },
    async () => ({ status: 'ok' as const }),
  );

  app.get(
    '/readyz',
    {
      config: { access: 'open' },
      schema: {
        operationId: 'getReadiness',
        summary: 'Ask whether the database and the account are ready; needs no token',
        description:
          'Otherwise the status is 503, or 507 if a disk is full, and the error has the code of the reason.',
        tags: ['daemon'],
        response: { 200: z.object({ status: z.literal('ready') }), ...errorResponses() },
      },
    },
    async () => {
      await events.latest();
      return { status: 'ready' as const };
    },
  );
}

// Counts of what happened in the last hours or days, for the home page.

export function activityRoutes(app: App, { activity }: Pick<HttpDeps, 'activity'>): void {
  app.get(
    '/api/activity',
    {
      schema: {
        operationId: 'getActivity',
        summary: 'Get activity figures for the last hours or days',
        description:
          'A day by hour, a week or a month by day, in the owner’s time zone: messages received and sent, answer times, model usage, and conversations by turn.',
        tags: ['daemon'],
        querystring: activityQuerySchema,
        response: { 200: activitySchema, ...errorResponses(400) },
      },
    },
    ({ query: { hours } }) => activity.read(hours),
  );
}

// Metrics for a monitoring system. Allowed for the owner and for a token with the scope `metrics:read`. They are about the
// caller's account, and name only accounts that the caller may know of. Those of the machine are for whoever runs it.

export function metricsRoutes(
  app: App,
  deps: Pick<HttpDeps, 'metrics' | 'accounts' | 'status' | 'figures'>,
): void {
  const { metrics, accounts } = deps;
  app.get(
    '/metrics',
    {
      config: { subject: 'figures', access: 'monitor' },
      schema: {
        operationId: 'getMetrics',
        summary: 'Get metrics for Prometheus: numbers and kinds, without texts and names',
        tags: ['daemon'],
        response: { 200: z.string(), ...errorResponses() },
      },
    },
    async (request, reply) => {
      const text = await metrics.text({
        status: () => deps.status(),
        figures: () => deps.figures(),
        isMain: request.account?.id === accounts.defaultOf(HOME_OWNER)?.id,
        seesMachine: runsMachine(request),
        shows: (name) => mayKnowOf(request, accounts.find(name)),
      });
      return reply.type(metrics.contentType).send(text);
    },
  );
}
