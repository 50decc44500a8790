// Routes of the owner's assistant: a question answered as a stream, the history, and a new session. Closing the request
// of a question stops its turn, unless it was asked in the background.
import { Readable } from 'node:stream';
import {
  type AssistantEvent,
  askAssistantSchema,
  assistantLineSchema,
  listAssistantLinesSchema,
} from '@relay/contract/api/assistant';
import { RelayError } from '@relay/contract/errors';
import { parseSlashCommand } from '@relay/core/assistant/commands';
import { z } from 'zod';
import { type App, errorResponses, streamSchema } from '../app.ts';
import type { HttpDeps, HttpLimits } from '../deps.ts';
import type { Authenticator } from '../guard.ts';
import { answerFrames, type OpenStreams } from '../streams.ts';

const tags = ['assistant'];
const BUSY_SECONDS = 10;

export function assistantRoutes(
  app: App,
  { assistant, log }: Pick<HttpDeps, 'assistant' | 'log'>,
  deps: { streams: OpenStreams; authenticator: Authenticator; limits: HttpLimits },
): void {
  let open = 0;

  app.post(
    '/api/assistant/messages',
    {
      schema: {
        operationId: 'askAssistant',
        summary: 'Ask your assistant; the answer is a stream of Server-Sent Events',
        description:
          '`run`, then `text`, `text_reset`, `tool_call`, `tool_result` and `approval` as they occur, then one `done` or `error`; each with its JSON. Closing the request stops the turn, unless it was asked with `background`. Answer an `approval` with `/api/approvals/{id}/approve` or `/reject`.',
        tags,
        body: askAssistantSchema,
        response: {
          200: { content: { 'text/event-stream': { schema: streamSchema } } },
          ...errorResponses(400, 413, 415),
        },
      },
    },
    async ({ principal, body, id }, reply) => {
      if (principal === null) throw new RelayError('unauthorized');
      // Commands are carried out without a model and can widen: /approve a grant, /release the hold.
      if (principal.kind === 'device' && parseSlashCommand(body.text) !== null)
        await deps.authenticator.confirmDevice(principal);
      if (open >= deps.limits.questionsAtOnce)
        throw new RelayError('rate_limited', { seconds: BUSY_SECONDS });
      open += 1;
      const work = body.background ? deps.streams.openWork(principal) : null;
      const finished = () => {
        work?.close();
        open -= 1;
      };
      if (work === null) reply.raw.once('close', finished);
      const question = { session: 'owner', channel: 'chat', text: body.text } as const;
      const failed = (thrown: unknown): AssistantEvent => {
        const known = thrown instanceof RelayError;
        if (!known) log.error('assistant turn failed', { error: thrown, request: id });
        const { code, message } = known ? thrown : new RelayError('internal', { request: id });
        return { type: 'error', code, message };
      };
      const frames = answerFrames<AssistantEvent>({
        ask: (sink, signal) =>
          work === null
            ? assistant.ask(question, sink, signal)
            : assistant.ask(question, sink, work.signal).finally(finished),
        failed,
        joined: (last, next) =>
          last.type === 'text' && next.type === 'text'
            ? { type: 'text', delta: last.delta + next.delta }
            : null,
        signal: deps.streams.open(principal, reply.raw),
        allowed: () => deps.authenticator.holds(principal),
        limits: deps.limits,
      });
      const stream = Readable.from(frames, { objectMode: false });
      stream.on('error', (error) => log.warn('assistant stream failed', { error }));
      return reply.type('text/event-stream').header('cache-control', 'no-store').send(stream);
    },
  );

  app.get(
    '/api/assistant/messages',
    {
      schema: {
        operationId: 'listAssistantMessages',
        summary:
          'List recent messages with your assistant, oldest first; with `before`, those before a line',
        tags,
        querystring: listAssistantLinesSchema,
        response: { 200: z.array(assistantLineSchema), ...errorResponses(400) },
      },
    },
    async (request) => [...(await assistant.history(request.query))],
  );

  app.post(
    '/api/assistant/stop',
    {
      schema: {
        operationId: 'stopAssistant',
        summary: 'Stop the answer that is being given; what was done by then stays done',
        tags,
        response: { 204: z.null(), ...errorResponses(415) },
      },
    },
    async (_request, reply) => {
      await assistant.stop();
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/api/assistant/reset',
    {
      schema: {
        operationId: 'resetAssistant',
        summary: 'Start a new session without earlier messages',
        tags,
        response: { 204: z.null(), ...errorResponses(415) },
      },
    },
    async (_request, reply) => {
      await assistant.reset();
      return reply.code(204).send(null);
    },
  );
}
