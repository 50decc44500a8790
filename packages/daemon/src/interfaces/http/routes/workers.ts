// The route that lists the processes which hold accounts.
import { workersSchema } from '@relay/contract/api/workers';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps } from '../deps.ts';

export function workerRoutes(app: App, deps: Pick<HttpDeps, 'listWorkers'>): void {
  app.get(
    '/api/workers',
    {
      config: { subject: 'machine' },
      schema: {
        operationId: 'listWorkers',
        summary: 'List the workers: the processes that hold accounts',
        tags: ['daemon'],
        response: { 200: workersSchema, ...errorResponses() },
      },
    },
    () => deps.listWorkers(),
  );
}
