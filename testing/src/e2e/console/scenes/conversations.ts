// Conversations in every state: waiting for a reply, queued, paused, completed, cancelled, and one whose message needs
// approval. The owner has confirmed writing to more new people than usual today.
import type { Demo } from '../../demo.ts';
import { eventually } from '../../gateway.ts';

const SAM = { phone: '14155550161', name: 'Sami Idowu' };
const PRINT = { phone: '14155550162', name: 'Bright Print Co.' };
const JO = { phone: '14155550163', name: 'Jo Mbeki' };
const LENA = { phone: '14155550164', name: 'Lena Fischer' };
const ALVIM = { phone: '14155550165', name: 'Rosa’s Vans' };

const BOOKING = 'VAN-2281-7764';

/** `owner` is linked; the conversation with `busy` is still open. */
export async function conversations(demo: Demo, owner: string, busy: string): Promise<void> {
  demo.model.rules([
    ...dialogue('boiler', 'Which day would suit you for the boiler?', 'Thursday', [
      call('mark_todo_item', { todo_id: '1', status: 'completed' }),
      call('send_message', { text: 'Thursday is fine. At what time?' }),
    ]),
    ...dialogue('flyers', 'What would 200 flyers cost?', 'let me ask', [
      call('schedule_next_heartbeat', { delay: 40_000_000 }),
    ]),
    ...dialogue('shift', 'Could we swap the Thursday shift?', 'fine with me', [
      call('mark_todo_item', { todo_id: '1', status: 'completed' }),
      call('send_message', { text: 'Thank you, Jo!' }),
      call('end_conversation', { reason: 'Jo takes the Thursday shift.' }),
    ]),
    ...dialogue('handover', 'When shall I bring the keys?', 'any time', [
      call('send_message', { text: 'I will ask Alex and come back to you.' }),
    ]),
    ...dialogue('van', `Hello, it is about booking ${BOOKING}.`, 'nothing', []),
  ]);
  await demo.relay.ok('PATCH', '/api/settings', {
    pacing: { first_contacts_per_day: 12, per_minute: 30 },
  });
  for (const { phone, name } of [SAM, PRINT, JO, LENA, ALVIM]) {
    await demo.phones.add(phone, name);
  }
  const begun = {
    sam: await begin(demo, SAM, 'Agree a date for the boiler check', ['A day', 'A time']),
    print: await begin(demo, PRINT, 'Price for 200 flyers', ['A price', 'Delivery', 'Paper']),
    jo: await begin(demo, JO, 'Swap the Thursday shift', ['A yes from Jo']),
    lena: await begin(demo, LENA, 'Plan the handover of keys', ['A day', 'A place', 'Who comes']),
    van: await begin(demo, ALVIM, `Book the van for Sunday, booking ${BOOKING}`, ['A price']),
    desk: await begin(demo, SAM, 'Sell the old desk', ['A buyer', 'A price']),
  };
  await begin(demo, { phone: busy }, 'Ask about the bathroom tap', ['A price', 'A date']);
  await demo.relay.ok('POST', `/api/instances/${begun.desk}/cancel`);
  await answers(demo, owner, SAM, begun.sam, 'Thursday would be good.');
  await answers(demo, owner, PRINT, begun.print, 'Sure, let me ask my colleague.');
  await answers(demo, owner, JO, begun.jo, 'That is fine with me.');
  await answers(demo, owner, LENA, begun.lena, 'Tell me any time.');
  await reaches(demo, begun.jo, 'COMPLETED');
  await reaches(demo, begun.van, 'NEEDS_HUMAN_INTERVENTION');
  await demo.relay.ok('POST', `/api/instances/${begun.lena}/pause`);
}

const call = (name: string, args: object) => ({ name, arguments: { ...args } });

/** Scripts the first message of this conversation, and the agent's action after an answer that contains `said`. */
const dialogue = (
  about: string,
  first: string,
  said: string,
  then: readonly ReturnType<typeof call>[],
) => [
  {
    when: { system: about, contains: 'first_message' },
    reply: { tool_calls: [call('send_message', { text: first })] },
  },
  { when: { system: about, contains: said }, reply: { tool_calls: [...then] } },
];

async function begin(
  demo: Demo,
  { phone }: { readonly phone: string },
  objective: string,
  todos: readonly string[],
): Promise<string> {
  const { id } = await demo.relay.ok<{ id: string }>('POST', '/api/instances', {
    objective,
    target_contact: `+${phone}`,
    todos: todos.map((text) => ({ text })),
  });
  return id;
}

/** Answers once the first message has arrived. */
async function answers(
  demo: Demo,
  owner: string,
  { phone }: { readonly phone: string },
  id: string,
  text: string,
): Promise<void> {
  await reaches(demo, id, 'WAITING_FOR_REPLY');
  await demo.phones.send(phone, owner, text);
  await eventually('the answer to be read', async () => {
    const lines = await demo.relay.ok<{ role: string }[]>('GET', `/api/instances/${id}/transcript`);
    return lines.some(({ role }) => role === 'contact') || undefined;
  });
}

const reaches = (demo: Demo, id: string, state: string) =>
  eventually(state, async () => {
    const instance = await demo.relay.ok<{ state: string }>('GET', `/api/instances/${id}`);
    return instance.state === state ? instance : undefined;
  });
