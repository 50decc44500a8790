// A client's requests for approval: a long first message, a message to one person after reading another's chat, and a
// schedule; one declined and one approved. All came over the client's own interface.
import type { Demo } from '../../demo.ts';
import { eventually } from '../../gateway.ts';

export const JONAS = { phone: '14155550131', name: 'Jonas Beck' };
export const SAM = { phone: '14155550132', name: 'Sam Okafor' };
export const CLIENT_NAME = 'Claude Desktop';

export const SHORT = 'Sam can only do Thursday after 16:00. Shall I move our call to 16:30?';
/** Longer than a screen, so that it must be scrolled. */
export const LONG = [
  'Dear Jonas,',
  'This is what is left to do in the flat before the handover on the 30th:',
  ...['kitchen', 'bathroom', 'hall', 'bedroom', 'study', 'balcony', 'cellar'].flatMap((room) => [
    `The ${room}: clean the floor and the windows.`,
    `The ${room}: fill the holes in the walls and paint over them.`,
    `The ${room}: check the lamps and note the defects.`,
  ]),
  'Could you tell me by Friday which of this your team takes over?',
  'Kind regards, Alex',
].join('\n\n');

/** `owner` is linked. */
export async function approvals(demo: Demo, owner: string): Promise<void> {
  await demo.phones.add(JONAS.phone, JONAS.name);
  await demo.phones.add(SAM.phone, SAM.name);
  await allow(demo, JONAS, { canRead: true, canReply: true });
  await allow(demo, SAM, { canRead: true });
  const ask = await program(demo);
  await ask('send_message', { chat_id: JONAS.name, message: LONG });
  await demo.phones.send(SAM.phone, owner, 'Thursday after 16:00 is all I have.');
  await eventually('what Sam wrote', async () => {
    const { messages } = await ask<{ messages: unknown[] }>('read_messages', { chat_id: SAM.name });
    return messages.length > 0 || undefined;
  });
  await ask('send_message', { chat_id: JONAS.name, message: SHORT });
  await ask('schedule_message', {
    chat_id: JONAS.name,
    message: 'Are we still on for this week?',
    pattern: 'weekly',
    days: ['mon'],
    time: '09:00',
  });
  await answered(demo, ask, 'Jonas, when do you pay?', 'reject', { reason: 'Not in this tone.' });
  await answered(demo, ask, 'Thank you for the invoice, Jonas.', 'approve', {});
}

/** Another client has read Sam's chat and would write to Jonas. */
export async function askAgain(demo: Demo, message: string): Promise<void> {
  const ask = await program(demo, 'Editor');
  await ask('read_messages', { chat_id: SAM.name });
  await ask('send_message', { chat_id: JONAS.name, message });
}

type Ask = <Answer>(tool: string, input: object) => Promise<Answer>;

async function program(demo: Demo, name = CLIENT_NAME): Promise<Ask> {
  const { secret } = await demo.relay.ok<{ secret: string }>('POST', '/api/tokens', {
    name,
    scopes: ['messages:read', 'messages:send', 'schedules:write'],
  });
  const headers = { authorization: `Bearer ${secret}` };
  return (tool, input) => demo.relay.ok('POST', `/api/tools/${tool}`, input, headers);
}

async function answered(demo: Demo, ask: Ask, message: string, verb: string, body: object) {
  const { approval_id } = await ask<{ approval_id: string }>('send_message', {
    chat_id: JONAS.name,
    message,
  });
  await demo.relay.ok('POST', `/api/approvals/${approval_id}/${verb}`, body);
}

const allow = (demo: Demo, { phone, name }: typeof JONAS, grant: object) =>
  demo.relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: phone,
    displayName: name,
    ...grant,
  });
