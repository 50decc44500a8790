// What waits for the owner's yes, and the hold. Each route is one verb of the port: nothing is decided here.
import {
  approvalSchema,
  listApprovalsSchema,
  rejectApprovalSchema,
} from '@relay/core/api/approvals';
import { holdSchema, setHoldSchema } from '@relay/core/api/hold';
import { z } from 'zod';
import type { App } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { refusals } from './responses.ts';

const tags = ['approvals'];
const params = z.strictObject({ id: z.string() });

export function approvalRoutes(
  app: App,
  { approvals, hold }: Pick<HttpDeps, 'approvals' | 'hold'>,
): void {
  app.get(
    '/api/approvals',
    {
      schema: {
        operationId: 'listApprovals',
        summary: 'What waits for your yes, the oldest first; or what became of it',
        tags,
        querystring: listApprovalsSchema,
        response: { 200: z.array(approvalSchema), ...refusals(400) },
      },
    },
    async (request) => [...(await approvals.list(request.query.state))],
  );

  app.post(
    '/api/approvals/:id/approve',
    {
      schema: {
        operationId: 'approve',
        summary: 'Say yes: exactly what was shown is carried out, once',
        tags,
        params,
        response: { 200: approvalSchema, ...refusals(400, 404, 409, 415) },
      },
    },
    async (request) => approvals.approve(await approvals.find(request.params.id)),
  );

  app.post(
    '/api/approvals/:id/reject',
    {
      schema: {
        operationId: 'reject',
        summary: 'Say no',
        tags,
        params,
        body: rejectApprovalSchema.optional(),
        response: { 200: approvalSchema, ...refusals(400, 404, 409, 413, 415) },
      },
    },
    async (request) => {
      const id = await approvals.find(request.params.id);
      return approvals.reject(id, request.body?.reason || null);
    },
  );

  app.post(
    '/api/hold',
    {
      schema: {
        operationId: 'hold',
        summary: 'Stop all sending at once, until it is released',
        tags,
        body: setHoldSchema.optional(),
        response: { 200: holdSchema, ...refusals(400, 413, 415) },
      },
    },
    (request) => hold.hold(request.body?.reason ?? ''),
  );

  app.post(
    '/api/release',
    {
      schema: {
        operationId: 'release',
        summary: 'Let messages leave again',
        tags,
        response: { 200: holdSchema, ...refusals(415) },
      },
    },
    () => hold.release(),
  );
}
