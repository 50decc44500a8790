// Digests of observed groups. The route is the verb of the port: nothing is decided here.
import { digestQuerySchema, digestsResponseSchema } from '@relay/core/api/digests';
import type { App } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { refusals } from './responses.ts';

export function digestRoutes(app: App, { digests }: Pick<HttpDeps, 'digests'>): void {
  app.get(
    '/api/digests',
    {
      schema: {
        operationId: 'readDigests',
        summary: 'What was said in observed groups on one day, by the day and by the hour',
        tags: ['groups'],
        querystring: digestQuerySchema,
        response: { 200: digestsResponseSchema, ...refusals(400, 404) },
      },
    },
    (request) => digests.digests(request.query),
  );
}
