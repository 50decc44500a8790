// Where digests go outside of Relay. A secret is given out once, when it is made.
import {
  changedOutsideMemorySchema,
  changeOutsideMemorySchema,
  outsideMemoryStateSchema,
} from '@relay/core/api/outside-memory';
import type { App } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { refusals } from './responses.ts';

const tags = ['memory'];
const PATH = '/api/outside-memory';

export function outsideMemoryRoutes(
  app: App,
  { outsideMemory }: Pick<HttpDeps, 'outsideMemory'>,
): void {
  app.get(
    PATH,
    {
      schema: {
        operationId: 'getOutsideMemory',
        summary: 'Where digests and facts go outside of Relay',
        tags,
        response: { 200: outsideMemoryStateSchema, ...refusals() },
      },
    },
    () => outsideMemory.state(),
  );

  app.patch(
    PATH,
    {
      config: { access: 'token' },
      schema: {
        operationId: 'changeOutsideMemory',
        summary: 'Give digests and facts to a folder or a webhook; what is not named stays',
        tags,
        body: changeOutsideMemorySchema,
        response: { 200: changedOutsideMemorySchema, ...refusals(400, 413, 415) },
      },
    },
    async ({ body }, reply) => {
      reply.header('cache-control', 'no-store');
      return outsideMemory.change(body);
    },
  );
}
