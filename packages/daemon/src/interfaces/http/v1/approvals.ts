// Approvals and schedules of version 1. A client sees the approvals of its own requests; only the owner answers.
import { APPROVAL_STATES, type Approval } from '@relay/contract/api/approvals';
import { SCHEDULE_STATES } from '@relay/contract/api/schedules';
import { type V1, v1 } from '@relay/contract/api/v1';
import { RelayError } from '@relay/contract/errors';
import { approvalId, scheduleId } from '@relay/contract/ids';
import { z } from 'zod';
import type { App } from '../app.ts';
import { EXAMPLE } from './examples.ts';
import {
  clientBehind,
  OFFSET,
  operation,
  pageQuery,
  readPage,
  slicePage,
  toPage,
  UUID,
  type V1Context,
} from './operation.ts';

const params = { approval_id: z.guid() };
const path = '/approvals/:approval_id';
const named = { approval_id: EXAMPLE.approval.approval_id };

export function approvalOperations(app: App, context: V1Context): void {
  const { authenticator } = context;
  const tag = 'approvals';

  operation(app, context, {
    method: 'GET',
    path: '/approvals',
    operationId: 'approvals.list',
    summary: 'List pending approvals, oldest first, or answered ones, newest first',
    description: 'A client sees the approvals of its own requests.',
    tag,
    scope: 'approvals:read',
    query: z.strictObject({ ...pageQuery, state: z.enum(APPROVAL_STATES).default('pending') }),
    response: 'approvals',
    example: {
      query: { state: 'pending' },
      response: { data: [EXAMPLE.approval], next_cursor: null },
    },
    async run({ services, principal, query: { state, ...page } }) {
      const { cursor, limit } = readPage(tag, page, UUID);
      const client = clientBehind(principal);
      const found = await services.approvals.list(state, {
        limit: limit + 1,
        ...(cursor === null ? {} : { after: cursor }),
        ...(client === undefined ? {} : { requestedBy: `token:${client.id}` }),
      });
      const shown = found.slice(0, limit);
      const last = found.length > limit ? (shown.at(-1)?.id ?? null) : null;
      return toPage(tag, { data: shown.map(toApproval), next_cursor: last });
    },
  });

  operation(app, context, {
    method: 'GET',
    path,
    operationId: 'approvals.get',
    summary: 'Get an approval',
    tag,
    scope: 'approvals:read',
    params,
    response: 'approval',
    example: { params: named, response: EXAMPLE.approval },
    async run({ services, principal, params: { approval_id: id } }) {
      const approval = await services.approvals.show(approvalId(id));
      const client = clientBehind(principal);
      if (client !== undefined && approval.requested_by !== `token:${client.id}`) {
        throw new RelayError('approval_not_found', { id });
      }
      return toApproval(approval);
    },
  });

  operation(app, context, {
    method: 'POST',
    path: `${path}/approve`,
    operationId: 'approvals.approve',
    summary: 'Approve: carry out exactly what was shown, once',
    description:
      'With `shown`, the hash of the approval, the request is refused if the approval has changed since.',
    tag,
    params,
    body: v1.approve,
    response: 'approval',
    example: {
      params: named,
      body: { shown: EXAMPLE.approval.shown },
      response: { ...EXAMPLE.approval, state: 'approved', decided_at: EXAMPLE.approval.created_at },
    },
    async run({ services: { approvals }, principal, params, body }) {
      const id = approvalId(params.approval_id);
      // A stolen cookie must not widen what somebody is allowed.
      if (principal.kind === 'device' && (await approvals.show(id)).kind === 'manage_grant') {
        await authenticator.confirmDevice(principal);
      }
      return toApproval(await approvals.approve(id, body.shown));
    },
  });

  operation(app, context, {
    method: 'POST',
    path: `${path}/reject`,
    operationId: 'approvals.reject',
    summary: 'Decline an approval',
    tag,
    params,
    body: v1.reject,
    response: 'approval',
    example: {
      params: named,
      body: { explanation: 'Not now' },
      response: {
        ...EXAMPLE.approval,
        state: 'rejected',
        answer: 'Not now',
        decided_at: EXAMPLE.approval.created_at,
      },
    },
    run: async ({ services, params, body }) =>
      toApproval(
        await services.approvals.reject(approvalId(params.approval_id), body.explanation || null),
      ),
  });

  operation(app, context, {
    method: 'POST',
    path: `${path}/edit`,
    operationId: 'approvals.edit',
    summary: 'Change the text; the changed text needs a new approval',
    description: 'Nothing is sent. Returns the new approval; the former one is declined.',
    tag,
    params,
    body: v1.editApproval,
    response: 'approval',
    example: {
      params: named,
      body: { text: 'The parcel arrives on Wednesday.' },
      response: {
        ...EXAMPLE.approval,
        text: 'The parcel arrives on Wednesday.',
        reason: 'edited',
        explanation: 'You changed the text, so it needs a new approval.',
      },
    },
    run: async ({ services, params, body }) =>
      toApproval(await services.approvals.edit(approvalId(params.approval_id), body.text)),
  });
}

const toApproval = (one: Approval): V1<'approval'> => ({
  approval_id: one.id,
  kind: one.kind,
  state: one.state,
  chat_id: one.chat_id,
  conversation_id: one.instance_id,
  recipient: one.recipient,
  recipient_name: one.recipient_name,
  text: one.text,
  ...(one.content === undefined ? {} : { content: one.content }),
  ...(one.media === undefined ? {} : { media: one.media }),
  ...(one.target === undefined ? {} : { target: one.target }),
  hidden_characters: one.hidden_characters,
  shown: one.shown,
  reason: one.reason_code,
  explanation: one.reason,
  risks: one.risks.map(({ code, sentence }) => ({ code, explanation: sentence })),
  requested_by: one.requested_by,
  answer: one.answer,
  replaced_by: one.replaced_by,
  created_at: one.created_at,
  expires_at: one.expires_at,
  decided_at: one.decided_at,
});

export function scheduleOperations(app: App, context: V1Context): void {
  const tag = 'schedules';

  operation(app, context, {
    method: 'GET',
    path: '/schedules',
    operationId: 'schedules.list',
    summary: 'List scheduled messages, next run first',
    description: 'A client sees those to its contacts, and the text of those that it created.',
    tag,
    scope: 'schedules:read',
    query: z.strictObject({
      ...pageQuery,
      state: z.enum([...SCHEDULE_STATES, 'all']).default('active'),
    }),
    response: 'schedules',
    example: {
      query: { state: 'active' },
      response: { data: [EXAMPLE.schedule], next_cursor: null },
    },
    run: async ({ surface, query: { state, ...page } }) =>
      toPage(tag, slicePage(await surface.listSchedules(state), readPage(tag, page, OFFSET))),
  });

  operation(app, context, {
    method: 'POST',
    path: '/schedules',
    operationId: 'schedules.create',
    summary: 'Schedule a message, once or repeatedly',
    description:
      'For a client it may wait for the owner: then `state` is `waiting_for_approval`, and nothing is scheduled before the approval.',
    tag,
    scope: 'schedules:write',
    body: v1.createSchedule,
    status: 201,
    response: 'createdSchedule',
    repeat: 'never',
    example: {
      body: { to: EXAMPLE.contact.contact_id, text: 'Good morning!', when: 'every weekday 9am' },
      response: {
        schedule_id: EXAMPLE.schedule.schedule_id,
        state: 'active',
        next_at: EXAMPLE.schedule.next_at,
        approval_id: null,
        reason: null,
        explanation: EXAMPLE.schedule.explanation,
      },
    },
    run: ({ surface, body }) => surface.createSchedule(body),
  });

  operation(app, context, {
    method: 'DELETE',
    path: '/schedules/:schedule_id',
    operationId: 'schedules.cancel',
    summary: 'Cancel a schedule, and what is queued of it',
    tag,
    scope: 'schedules:write',
    params: { schedule_id: z.guid() },
    response: 'schedule',
    example: {
      params: { schedule_id: EXAMPLE.schedule.schedule_id },
      response: { ...EXAMPLE.schedule, state: 'cancelled', next_at: null },
    },
    run: ({ surface, params }) => surface.cancelSchedule(scheduleId(params.schedule_id)),
  });
}
