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
import type { Authenticator } from '../guard.ts';

const tags = ['approvals'];
const params = z.strictObject({ id: z.string() });

export function approvalRoutes(
  app: App,
  { approvals, hold, ...deps }: Pick<HttpDeps, 'approvals' | 'hold' | 'ledger' | 'messages'>,
  authenticator: Pick<Authenticator, 'confirmDevice'>,
): void {
  app.get(
    '/api/approvals',
    {
      schema: {
        operationId: 'listApprovals',
        summary: 'List pending approvals, oldest first, or answered ones, newest first',
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
        summary: 'Get an approval with its history',
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
        summary: 'Approve: carry out exactly what was shown, once',
        description:
          'With `shown`, the hash of the approval, the request is refused if the approval has changed since.',
        tags,
        params,
        // A missing body arrives here as null.
        body: approveApprovalSchema.nullish(),
        response: { 200: approvalSchema, ...errorResponses(400, 404, 409, 413, 415) },
      },
    },
    async ({ params: { id: written }, body, principal }) => {
      const id = await approvals.find(written);
      // A stolen cookie must not widen what somebody is allowed.
      const isDevice = principal?.kind === 'device';
      if (isDevice && (await approvals.show(id)).kind === 'manage_grant') {
        await authenticator.confirmDevice(principal);
      }
      return approvals.approve(id, body?.shown);
    },
  );

  app.post(
    '/api/approvals/:id/edit',
    {
      schema: {
        operationId: 'editApproval',
        summary: 'Change the text; the changed text needs a new approval',
        description:
          'Nothing is sent. Returns the new pending approval; the old one is rejected and names it in `replaced_by`.',
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
        summary: 'Decline an approval',
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
        summary: 'Hold all sending until it is released',
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
        summary: 'End the hold and continue sending',
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
