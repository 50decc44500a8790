// How memory compares by meaning: how far it is, what another model would mean, and the choice itself.
import {
  embeddingsChoiceSchema,
  embeddingsTrialSchema,
  memoryStatusSchema,
} from '@relay/core/api/memory';
import type { App } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { refusals } from './responses.ts';

export function memoryRoutes(app: App, { memory }: Pick<HttpDeps, 'memory'>): void {
  app.get(
    '/api/memory',
    {
      schema: {
        operationId: 'getMemory',
        summary: 'Which model compares texts by meaning, and how far it has come',
        tags: ['messages'],
        response: { 200: memoryStatusSchema, ...refusals() },
      },
    },
    () => memory.status(),
  );
  app.post(
    '/api/memory/embeddings/trial',
    {
      schema: {
        operationId: 'tryEmbeddings',
        summary: 'Ask a model for a few vectors; changes nothing',
        description:
          'Tells how many texts it would have to read, how fast, and where they would go.',
        tags: ['messages'],
        body: embeddingsChoiceSchema,
        response: { 200: embeddingsTrialSchema, ...refusals(400, 409, 413, 415, 502, 503) },
      },
    },
    ({ body }) => memory.tryOut(body),
  );
  app.patch(
    '/api/memory/embeddings',
    {
      schema: {
        operationId: 'chooseEmbeddings',
        summary: 'Choose the model that compares texts by meaning, or none',
        description:
          'With `endpoint`, the text of every message that can be found is sent there, the newest first.',
        tags: ['messages'],
        body: embeddingsChoiceSchema,
        response: { 200: memoryStatusSchema, ...refusals(400, 409, 413, 415, 502, 503) },
      },
    },
    ({ body }) => memory.choose(body),
  );
}
