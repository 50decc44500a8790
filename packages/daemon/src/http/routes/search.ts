// Search over everything that was said. The route is the verb of the port: nothing is decided here.
import { searchQuerySchema, searchResponseSchema } from '@relay/core/api/search';
import type { App } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { refusals } from './responses.ts';

export function searchRoutes(app: App, { search }: Pick<HttpDeps, 'search'>): void {
  app.get(
    '/api/search',
    {
      schema: {
        operationId: 'search',
        summary: 'Messages that answer a question, the best first',
        description:
          '`as` looks through the eyes of your assistant or of a program: what they would find now, and nothing else. To look is no read of theirs.',
        tags: ['messages'],
        querystring: searchQuerySchema,
        response: { 200: searchResponseSchema, ...refusals(400, 404, 409) },
      },
    },
    (request) => search.search(request.query),
  );
}
