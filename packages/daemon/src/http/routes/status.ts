// How the daemon is: seed 003's status, and what `relay doctor` checks.
import { doctorQuerySchema, doctorReportSchema } from '@relay/core/api/doctor';
import { statusSchema } from '@relay/core/api/status';
import type { App } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { refusals } from './responses.ts';

export function statusRoutes(app: App, deps: Pick<HttpDeps, 'status' | 'checks'>): void {
  app.get(
    '/api/status',
    {
      schema: {
        operationId: 'getStatus',
        summary: 'How the daemon, WhatsApp, the database and the jobs are',
        tags: ['daemon'],
        response: { 200: statusSchema, ...refusals() },
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
        response: { 200: doctorReportSchema, ...refusals(400) },
      },
    },
    async ({ query }) => ({ checks: await deps.checks(query) }),
  );
}
