// Routes that estimate and run Relay's evaluation sets with the owner's model. The run is streamed; closing its request
// ends it.
import { Readable } from 'node:stream';
import { type EvalEvent, evalPlanSchema, evalRequestSchema } from '@relay/contract/api/eval';
import { RelayError } from '@relay/contract/errors';
import { type App, errorResponses, streamSchema } from '../app.ts';
import type { HttpDeps, HttpLimits } from '../deps.ts';
import type { Authenticator } from '../guard.ts';
import { answerFrames, type OpenStreams } from '../streams.ts';

const tags = ['evaluation'];

export function evalRoutes(
  app: App,
  { evaluation, log }: Pick<HttpDeps, 'evaluation' | 'log'>,
  deps: { streams: OpenStreams; authenticator: Authenticator; limits: HttpLimits },
): void {
  app.get(
    '/api/eval',
    {
      schema: {
        operationId: 'planEvaluation',
        summary: 'Estimate the cost of an evaluation, without calling a model',
        tags,
        querystring: evalRequestSchema,
        response: { 200: evalPlanSchema, ...errorResponses(400) },
      },
    },
    (request) => evaluation.plan(request.query),
  );

  app.post(
    '/api/eval',
    {
      schema: {
        operationId: 'evaluate',
        summary: 'Evaluate your model with the built-in sets; progress as Server-Sent Events',
        description:
          '`progress` while it runs, then one `done` with the report or one `error`; each with its JSON. Spends model tokens. Closing the request ends it.',
        tags,
        body: evalRequestSchema,
        response: {
          200: { content: { 'text/event-stream': { schema: streamSchema } } },
          ...errorResponses(400, 413, 415),
        },
      },
    },
    async ({ principal, body, id }, reply) => {
      if (principal === null) throw new RelayError('unauthorized');
      const failed = (thrown: unknown): EvalEvent => {
        const known = thrown instanceof RelayError;
        if (!known) log.error('evaluation failed', { error: thrown, request: id });
        const { code, message } = known ? thrown : new RelayError('internal', { request: id });
        return { type: 'error', code, message };
      };
      const frames = answerFrames<EvalEvent>({
        ask: (sink, signal) => evaluation.run(body, sink, signal),
        failed,
        joined: (last, next) =>
          last.type === 'progress' && next.type === 'progress' && last.set === next.set
            ? next
            : null,
        signal: deps.streams.open(principal, reply.raw),
        allowed: () => deps.authenticator.holds(principal),
        limits: deps.limits,
      });
      const stream = Readable.from(frames, { objectMode: false });
      stream.on('error', (error) => log.warn('evaluation stream failed', { error }));
      return reply.type('text/event-stream').header('cache-control', 'no-store').send(stream);
    },
  );
}
