// Conversations and schedules that clients start and stop, end to end: the shipped daemon, the official client, the
// scripted model and the simulated network.
import { expect, test } from 'vitest';
import { BEN, startLinkedRelay } from '../linked.ts';
import { connect, makeToken } from './client.ts';

const OBJECTIVE = 'Agree on a day for tea';

test('a client starts a conversation with approval, stops it, and schedules what waits for the owner', {
  timeout: 120_000,
}, async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  const { api, model, phones, relay } = linked.demo;
  await relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: BEN,
    displayName: 'Ben',
    canRead: true,
    canReply: true,
    canInitiate: true,
  });
  await linked.talk('Hello');
  const say = { name: 'send_message', arguments: { text: 'Tea on Thursday?' } };
  model.rules([{ when: { contains: 'first_message' }, reply: { tool_calls: [say] } }]);
  const { secret } = await makeToken(linked, {
    scopes: ['conversations:read', 'conversations:write', 'schedules:read', 'schedules:write'],
  });

  const asked: string[] = [];
  const here = await connect(api, secret, 'http', 'current', {
    capabilities: { elicitation: { form: {} } },
  });
  here.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: { send: true } };
  });
  const begun = await here.callTool({
    name: 'create_conversation',
    arguments: { chat_id: 'Ben', objective: OBJECTIVE },
  });
  expect(begun.structuredContent).toMatchObject({ status: 'created' });
  expect(asked).toEqual([expect.stringMatching(`Ben[^]*“${OBJECTIVE}”`)]);
  await phones.sees(BEN, { text: 'Tea on Thursday?' });

  const there = await connect(api, secret, 'pipe', 'previous');
  const { id } = begun.structuredContent as { id: string };
  for (const [action, state] of [
    ['pause', 'PAUSED'],
    ['cancel', 'FAILED'],
  ]) {
    const controlled = await there.callTool({
      name: 'control_conversation',
      arguments: { id, action },
    });
    expect(controlled.structuredContent).toEqual({ id, state });
  }

  const schedule = async () => {
    const answer = await fetch(new URL('/api/tools/schedule_message', api), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        'idempotency-key': 'tea',
      },
      body: JSON.stringify({ chat_id: 'Ben', message: 'Bring cake', time: '09:00' }),
    });
    return (await answer.json()) as { status: string; approval_id: string };
  };
  const waits = await schedule();
  expect([waits.status, await schedule()]).toEqual(['waiting_for_approval', waits]);
  await relay.ok('POST', `/api/approvals/${waits.approval_id}/approve`, {});
  const listed = await there.callTool({ name: 'list_schedules', arguments: {} });
  expect(listed.structuredContent).toMatchObject({
    schedules: [{ name: 'Ben', message: 'Bring cake', created_by_you: true }],
  });
  await here.close();
  await there.close();
});
