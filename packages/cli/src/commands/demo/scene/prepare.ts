// The scene of the demo, played through the front doors before the visitor comes: phones write, the owner grants and
// asks over the API, the daemon does what it always does. Nothing is put into the database.
import { theFamily } from './group.ts';
import { DANA, KIT, MOM, OWNER, ROSA } from './people.ts';
import { type Props, type Scene, sceneOf } from './scene.ts';

/** `onToday` is called once the daemon has the clock of the machine: from then on a browser can stay signed in. */
export async function prepare(props: Props, onToday: () => void): Promise<void> {
  const scene = sceneOf(props);
  const { terminal } = props;
  terminal.progress('Linking a simulated phone …');
  await link(scene);
  await allow(scene);
  terminal.progress('A week goes by in the family’s group …');
  const { digested } = await theFamily(scene);
  onToday();
  terminal.progress('Mom writes, the plumber answers …');
  await Promise.all([digested, thePlumber(scene), theOthers(scene), schedules(scene)]);
}

/** The phone's camera looks at the code that the daemon shows. */
async function link({ api, control, until, signal }: Scene): Promise<void> {
  await api.post('/api/whatsapp/connect', { body: {} });
  const { qr } = await until('a QR code', () => api.get('/api/whatsapp/qr'));
  const answer = await fetch(`${control}/accounts/${OWNER.phone}/scan`, {
    method: 'POST',
    body: JSON.stringify({ qr }),
    signal,
  });
  if (!answer.ok) throw new Error(`the phone was not linked: ${await answer.text()}`);
  await until('the link', async () => {
    const { status } = await api.get('/api/whatsapp/status');
    return status === 'connected' || undefined;
  });
}

async function allow({ api }: Scene): Promise<void> {
  const grants = [
    { ...MOM, canRead: true, canReply: true, replyMode: 'auto' },
    { ...DANA, canRead: true, canReply: true, replyMode: 'draft' },
    { ...ROSA, canRead: true, canReply: false, canInitiate: true },
  ] as const;
  for (const { phone, name, ...grant } of grants)
    await api.post('/api/whatsapp/permissions', {
      body: { phoneNumber: phone, displayName: name, ...grant },
    });
}

const LEAK = {
  objective: 'Get a quote for the leak in the kitchen, and a day for the repair',
  target_contact: `+${ROSA.phone}`,
  todos: ['Which day she can come', 'What it will cost', 'What to prepare before'].map((text) => ({
    text,
  })),
  facts: [
    'The leak is under the kitchen sink, at the trap: about a cup an hour.',
    'It is a flat on the second floor, with a lift and parking in front of the house.',
  ],
};

/** Under way: she has named a day, and is asked for the price. */
async function thePlumber(scene: Scene): Promise<void> {
  const { api } = scene;
  const { id } = await api.post('/api/instances', { body: LEAK });
  await scene.hears(ROSA, 1);
  await scene.says(ROSA, OWNER.phone, 'Hello! I could come on Thursday at 9 am.');
  await scene.hears(ROSA, 2);
  await scene.until('the plumber’s turn', async () => {
    const { state } = await api.get('/api/instances/{id}', { path: { id } });
    return state === 'WAITING_FOR_REPLY' || undefined;
  });
}

async function theOthers(scene: Scene): Promise<void> {
  const { api } = scene;
  await scene.says(KIT, OWNER.phone, 'Hi, is the flat still free?');
  await scene.says(DANA, OWNER.phone, 'Are we still on for Friday? I would book a table.');
  await scene.says(MOM, OWNER.phone, 'Hello darling, how are you?');
  await scene.until('a draft for Dana', async () => (await api.get('/api/approvals'))[0]);
  await scene.hears(MOM, 1);
}

async function schedules({ api }: Scene): Promise<void> {
  const later = [
    { to: `+${MOM.phone}`, text: 'Good morning Mom! How did you sleep?', when: 'every sunday 9am' },
    { to: 'me', text: 'Pay the rent', when: 'every month on the 1st at 8' },
  ];
  for (const body of later) await api.post('/api/schedules', { body });
}
