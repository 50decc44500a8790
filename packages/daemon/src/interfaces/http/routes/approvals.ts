// Routes for approvals and for the hold. They only call the service.
import {
  type Approval,
  approvalDetailSchema,
  approvalSchema,
  approveApprovalSchema,
  editApprovalSchema,
  listApprovalsSchema,
  rejectApprovalSchema,
} from '@relay/contract/api/approvals';
import { holdSchema, setHoldSchema } from '@relay/contract/api/sending';
import type { BufferedMessage } from '@relay/contract/api/whatsapp';
import { recipientJid } from '@relay/core/contacts/alias';
import { z } from 'zod';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps } from '../deps.ts';

const tags = ['approvals'];
const params = z.strictObject({ id: z.string() });

export function approvalRoutes(
  app: App,
  { approvals, hold, ...deps }: Pick<HttpDeps, 'approvals' | 'hold' | 'ledger' | 'messages'>,
): void {
  app.get(
    '/api/approvals',
    {
      schema: {
        operationId: 'listApprovals',
        summary:
          'What waits for your yes, the oldest first; or what became of it, the newest first',
        tags,
        querystring: listApprovalsSchema,
        response: { 200: z.array(approvalSchema), ...errorResponses(400) },
      },
    },
    async ({ query: { state, ...page } }) => [...(await approvals.list(state, page))],
  );

  app.get(
    '/api/approvals/:id',
    {
      schema: {
        operationId: 'getApproval',
        summary: 'One of them, with what led to it',
        tags,
        params,
        response: { 200: approvalDetailSchema, ...errorResponses(400, 404) },
      },
    },
    async (request) => {
      const id = await approvals.find(request.params.id);
      const approval = await approvals.show(id);
      const [said, rows] = await Promise.all([
        saidBefore(deps, approval),
        deps.ledger.linesAboutApproval(id),
      ]);
      return { ...approval, said: [...said], rows: [...rows] };
    },
  );

  app.post(
    '/api/approvals/:id/approve',
    {
      schema: {
        operationId: 'approve',
        summary: 'Say yes: exactly what was shown is carried out, once',
        description:
          'With `shown`, the hash that the approval came with, it is refused when that is not what waits any more.',
        tags,
        params,
        // A missing body arrives here as null.
        body: approveApprovalSchema.nullish(),
        response: { 200: approvalSchema, ...errorResponses(400, 404, 409, 413, 415) },
      },
    },
    async (request) =>
      approvals.approve(await approvals.find(request.params.id), request.body?.shown),
  );

  app.post(
    '/api/approvals/:id/edit',
    {
      schema: {
        operationId: 'editApproval',
        summary: 'Choose other words: they wait for a yes of their own',
        description:
          'Nothing is sent. The answer is the approval that waits from now on; the one before is rejected and names it as `replaced_by`.',
        tags,
        params,
        body: editApprovalSchema,
        response: { 200: approvalSchema, ...errorResponses(400, 404, 409, 413, 415) },
      },
    },
    async (request) => approvals.edit(await approvals.find(request.params.id), request.body.text),
  );

  app.post(
    '/api/approvals/:id/reject',
    {
      schema: {
        operationId: 'reject',
        summary: 'Say no',
        tags,
        params,
        body: rejectApprovalSchema.nullish(),
        response: { 200: approvalSchema, ...errorResponses(400, 404, 409, 413, 415) },
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
        body: setHoldSchema.nullish(),
        response: { 200: holdSchema, ...errorResponses(400, 413, 415) },
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
        response: { 200: holdSchema, ...errorResponses(415) },
      },
    },
    () => hold.release(),
  );
}

/** Messages shown as context of an approval. */
const LINES = 6;

async function saidBefore(
  { messages }: Pick<HttpDeps, 'messages'>,
  { recipient, decided_at }: Approval,
): Promise<readonly BufferedMessage[]> {
  const chat = recipient === null ? null : recipientJid(recipient);
  if (chat === null) return [];
  const said = await messages.recent({ chat, limit: LINES });
  const end = decided_at === null ? Number.POSITIVE_INFINITY : Date.parse(decided_at);
  return said.filter(({ timestamp }) => timestamp <= end);
}
