// The scene of the console tests: a day of an owner on the simulated network. Everything in it arrived through the
// normal interfaces.
import type { Demo } from '../demo.ts';
import { eventually } from '../gateway.ts';
import { approvals } from './scenes/approvals.ts';
import { askBefore } from './scenes/assistant.ts';
import { conversations } from './scenes/conversations.ts';
import { groups } from './scenes/groups.ts';
import { schedules } from './scenes/schedules.ts';
import { sayToFind } from './scenes/search.ts';

export const OWNER = '14155550142';

const PEOPLE = {
  dana: { phone: '14155550101', name: 'Dana Whitfield' },
  priya: { phone: '14155550102', name: 'Priya Raman' },
  marta: { phone: '14155550103', name: 'Marta Oliveira' },
  mum: { phone: '14155550104', name: 'Mum' },
  stranger: { phone: '447700900417', name: 'Kit' },
  rosa: { phone: '14155550106', name: 'Rosa Alvim' },
} as const;

type Somebody = (typeof PEOPLE)[keyof typeof PEOPLE];

/** Adds the people; Relay is not linked yet. */
export async function addScenePeople(demo: Demo): Promise<void> {
  await demo.phones.add(OWNER, 'Alex');
  for (const { phone, name } of Object.values(PEOPLE)) await demo.phones.add(phone, name);
}

/** Also links Relay with the owner's phone. */
export async function linkScene(demo: Demo): Promise<void> {
  await addScenePeople(demo);
  await demo.link(OWNER);
}

/** Linked, with grants, a draft, a conversation that needs its owner, answers, and a message request. */
export async function playScene(demo: Demo): Promise<void> {
  const { dana, priya, marta, mum, stranger } = PEOPLE;
  await demo.link(OWNER);
  await allow(demo, dana, { canRead: true, canReply: true, replyMode: 'draft' });
  await allow(demo, priya, { canRead: true, canReply: true });
  await allow(demo, mum, { canRead: true });
  await allow(demo, marta, { canRead: true, canReply: true, canInitiate: true });
  demo.model.rules([
    says(dana, 'spare keys', 'Yes, 18:30 works. Alex will bring the spare keys.'),
    says(priya, 'lunch', 'Lunch at one sounds good, see you there!'),
    {
      when: { system: 'Kitchen leak', contains: 'first_message' },
      reply: {
        tool_calls: [
          { name: 'send_message', arguments: { text: 'Hello Marta, could you quote the leak?' } },
        ],
      },
    },
    {
      when: { contains: 'deposit' },
      reply: {
        tool_calls: [
          {
            name: 'request_human_intervention',
            arguments: { reason: 'Marta asks for a deposit of €80.' },
          },
        ],
      },
    },
  ]);
  const { id } = await demo.relay.ok<{ id: string }>('POST', '/api/instances', {
    objective: 'Kitchen leak quote by Friday',
    target_contact: `+${marta.phone}`,
    todos: [{ text: 'A price' }, { text: 'A date' }],
  });
  await reaches(demo, id, 'WAITING_FOR_REPLY');
  // Before Dana's question: a later message would replace the draft.
  await sayToFind(demo, OWNER);
  await demo.phones.send(dana.phone, OWNER, 'Can you bring the spare keys at 18:30?');
  await demo.phones.send(priya.phone, OWNER, 'Are we still on for lunch?');
  await demo.phones.send(mum.phone, OWNER, 'Call me when you can.');
  await demo.phones.send(stranger.phone, OWNER, 'Hi, is the flat still free?');
  await demo.phones.send(stranger.phone, OWNER, 'Hello?');
  await demo.phones.send(marta.phone, OWNER, 'I need a deposit of 80 euros first.');
  await eventually('a draft', async () => {
    const waiting = await demo.relay.ok<{ text: string }[]>('GET', '/api/approvals');
    return waiting.find(({ text }) => text.includes('18:30'));
  });
  await reaches(demo, id, 'NEEDS_HUMAN_INTERVENTION').catch(() => {});
  await conversations(demo, OWNER, marta.phone);
  await groups(demo, OWNER);
  await approvals(demo, OWNER);
  await schedules(demo);
  await askBefore(demo);
}

const allow = (demo: Demo, { phone, name }: Somebody, grant: object) =>
  demo.relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: phone,
    displayName: name,
    ...grant,
  });

const says = ({ name }: Somebody, contains: string, text: string) => ({
  when: { system: name, contains },
  reply: { text },
});

const reaches = (demo: Demo, id: string, state: string) =>
  eventually(state, async () => {
    const instance = await demo.relay.ok<{ state: string }>('GET', `/api/instances/${id}`);
    return instance.state === state ? instance : undefined;
  });
