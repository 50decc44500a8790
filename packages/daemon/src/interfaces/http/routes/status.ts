// Seed 003's status route, and the checks of `relay doctor`.

import { activityQuerySchema, activitySchema } from '@relay/contract/api/activity';
import { doctorQuerySchema, doctorReportSchema, statusSchema } from '@relay/contract/api/status';
import { z } from 'zod';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps } from '../deps.ts';

export function statusRoutes(app: App, deps: Pick<HttpDeps, 'status' | 'checks'>): void {
  app.get(
    '/api/status',
    {
      schema: {
        operationId: 'getStatus',
        summary: 'How the daemon, WhatsApp, the database and the jobs are',
        tags: ['daemon'],
        response: { 200: statusSchema, ...errorResponses() },
      },
    },
    () => deps.status(),
  );

  app.get(
    '/api/doctor',
    {
      schema: {
        operationId: 'runDoctor',
        summary: 'Check what the daemon depends on, and how to mend what is wrong',
        tags: ['daemon'],
        querystring: doctorQuerySchema,
        response: { 200: doctorReportSchema, ...errorResponses(400) },
      },
    },
    async ({ query }) => ({ checks: await deps.checks(query) }),
  );
}

// Counts of what happened in the last hours or days, for the home page.

export function activityRoutes(app: App, { activity }: Pick<HttpDeps, 'activity'>): void {
  app.get(
    '/api/activity',
    {
      schema: {
        operationId: 'getActivity',
        summary: 'What happened over the last hours or days, in numbers',
        description:
          'A day by the hour, a week or a month by the day of the owner: messages in and out, how long answers took, what models used, and whose turn it was.',
        tags: ['daemon'],
        querystring: activityQuerySchema,
        response: { 200: activitySchema, ...errorResponses(400) },
      },
    },
    ({ query: { hours } }) => activity.read(hours),
  );
}

// Metrics for a monitoring system. Allowed for the owner and for a token with the scope `metrics:read`.

export function metricsRoutes(app: App, { metrics }: Pick<HttpDeps, 'metrics'>): void {
  app.get(
    '/metrics',
    {
      config: { access: 'monitor' },
      schema: {
        operationId: 'getMetrics',
        summary: 'Figures for Prometheus: numbers and kinds, nobody’s words or names',
        tags: ['daemon'],
        response: { 200: z.string(), ...errorResponses() },
      },
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  );
}
