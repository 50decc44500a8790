// Routes for schedules. They only call the service.
import {
  createScheduleSchema,
  listSchedulesSchema,
  schedulePreviewSchema,
  scheduleSchema,
} from '@relay/contract/api/schedules';
import { RelayError } from '@relay/contract/errors';
import { type ScheduleId, scheduleId } from '@relay/contract/ids';
import { z } from 'zod';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps } from '../deps.ts';

const tags = ['schedules'];
const params = z.strictObject({ id: z.string() });

/** A string that is not an id is answered with 404, like the id of a schedule that never existed. */
function named(id: string): ScheduleId {
  try {
    return scheduleId(id);
  } catch {
    throw new RelayError('schedule_not_found', { id });
  }
}

export function scheduleRoutes(app: App, { schedules }: Pick<HttpDeps, 'schedules'>): void {
  app.get(
    '/api/schedules',
    {
      schema: {
        operationId: 'listSchedules',
        summary: 'List schedules, next run first',
        tags,
        querystring: listSchedulesSchema,
        response: { 200: z.array(scheduleSchema), ...errorResponses(400) },
      },
    },
    async ({ query: { state, ...page } }) => [...(await schedules.list(state, page))],
  );

  app.post(
    '/api/schedules',
    {
      schema: {
        operationId: 'createSchedule',
        summary: 'Schedule a message, once or repeated',
        description:
          'Give the time in words (`when`: "every weekday 9am") or as a `rule`. Without `catch_up`, a single message that was missed is sent late, and missed runs of a repeated one are skipped.',
        tags,
        body: createScheduleSchema,
        response: { 201: scheduleSchema, ...errorResponses(400, 404, 409, 413, 415) },
      },
    },
    async (request, reply) => reply.code(201).send(await schedules.create(request.body)),
  );

  app.post(
    '/api/schedules/preview',
    {
      schema: {
        operationId: 'previewSchedule',
        summary: 'Preview a schedule and its next runs; changes nothing',
        tags,
        body: createScheduleSchema,
        response: { 200: schedulePreviewSchema, ...errorResponses(400, 404, 409, 413, 415) },
      },
    },
    (request) => schedules.preview(request.body),
  );

  app.delete(
    '/api/schedules/:id',
    {
      schema: {
        operationId: 'cancelSchedule',
        summary: 'Cancel a schedule, including its queued messages',
        tags,
        params,
        response: { 200: scheduleSchema, ...errorResponses(404, 409) },
      },
    },
    (request) => schedules.cancel(named(request.params.id)),
  );
}
