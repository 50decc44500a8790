// What happened over the last hours or days, counted for Home.
import { activityQuerySchema, activitySchema } from '@relay/core/api/activity';
import type { App } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { refusals } from './responses.ts';

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
        response: { 200: activitySchema, ...refusals(400) },
      },
    },
    ({ query: { hours } }) => activity.read(hours),
  );
}
