// Two observed groups: a street with a day of hourly and daily digests, and a building with few messages.
import { dayBefore, dayContaining } from '@relay/core/observer/digest/periods';
import { findZone } from '@relay/core/schedule/zone';
import pg from 'pg';
import type { Demo } from '../../demo.ts';
import { eventually } from '../../gateway.ts';

export const STREET = 'Elm Street Neighbours';
const BUILDING = 'Building 7 Parents';

const TOMAS = '14155550121';
const AYLIN = '14155550122';

const SAID = [
  [9, 12, TOMAS, 'Good morning everyone 🌞'],
  [9, 40, AYLIN, 'The water company turns the water off on Friday from 8 am to 11 am'],
  [9, 44, TOMAS, 'I can lend a ladder on Saturday'],
  [9, 45, AYLIN, '👍'],
  [9, 46, AYLIN, 'haha'],
  [12, 5, TOMAS, 'Street party is final: 21 November at 3 pm'],
  [12, 9, AYLIN, 'I will bring the tables for the party on Saturday'],
  [12, 11, TOMAS, '😂😂😂'],
  [13, 30, AYLIN, 'Who can look after the cats on Sunday?'],
  [13, 31, TOMAS, 'ok'],
] as const;

const WATER = 'The water company turns the water off on Friday from 8 to 11 am.';
const LADDER = 'Tomás can lend a ladder on Saturday.';
const PARTY = 'Street party is final: Saturday, 21 November at 3 pm.';
const TABLES = 'Aylin brings the tables.';
const CATS = 'Aylin asks who can look after her cats on Sunday.';

const fact = (text: string, hour: string, who = '', when = '') => ({ text, who, when, hour });

/** As a good model would sum up the day. */
const DIGESTS = [
  { of: 'hour', said: 'The water company', digest: { digest: `${WATER} ${LADDER}` } },
  { of: 'hour', said: 'Street party', digest: { digest: `${PARTY} ${TABLES}` } },
  { of: 'hour', said: 'the cats', digest: { digest: `${CATS} Nobody has offered yet.` } },
  {
    of: 'day',
    said: 'Street party',
    digest: {
      summary: `${PARTY} ${TABLES} ${WATER} Aylin still needs somebody for her cats on Sunday.`,
      decisions: [fact('Street party is final: 3 pm', '12:00', '', '21 November')],
      events: [fact('Water is off from 8 to 11 am', '09:00', '', 'Friday')],
      action_items: [
        fact('Bring the tables', '12:00', 'Aylin', 'Saturday'),
        fact('Lend a ladder', '09:00', 'Tomás', 'Saturday'),
      ],
      open_questions: [fact('Who looks after the cats?', '13:00', 'Aylin', 'Sunday')],
      mood: '',
    },
  },
];

/** `owner` is linked and a member of both. */
export async function groups(demo: Demo, owner: string): Promise<void> {
  demo.model.rules(
    DIGESTS.map(({ of, said, digest }) => ({
      when: { system: `You sum up one ${of} of a WhatsApp group`, contains: said },
      reply: { text: JSON.stringify(digest) },
    })),
  );
  await demo.phones.add(TOMAS, 'Tomás');
  await demo.phones.add(AYLIN, 'Aylin');
  const street = await observed(demo, STREET, owner);
  await observed(demo, BUILDING, owner);
  const yesterday = yesterdayHere();
  for (const [hour, minute, who, text] of SAID) {
    const at = new Date(yesterday.getTime() + ((hour - 4) * 60 + minute) * 60_000);
    await demo.phones.send(who, street, text, { at });
  }
  await eventually('the digest of yesterday', () => digested(demo), 60_000);
}

async function observed(demo: Demo, subject: string, owner: string): Promise<string> {
  const address = await demo.phones.group(subject, TOMAS, [owner, AYLIN]);
  await demo.phones.send(TOMAS, address, 'hello everybody');
  await eventually(`${subject} to be known`, async () => {
    const { status } = await demo.relay.call('POST', '/api/observed-groups', {
      group: subject,
      announced: true,
    });
    return status === 201 || undefined;
  });
  return address;
}

/** The start of yesterday in this machine's time zone. */
function yesterdayHere(): Date {
  const zone = findZone(Intl.DateTimeFormat().resolvedOptions().timeZone);
  if (zone === null) throw new Error('this machine is in no zone');
  const cut = { zone, dailyAt: '04:00' };
  return dayBefore(dayContaining(new Date(), cut), cut).start;
}

/** Skips the minute of waiting for late messages. */
async function digested(demo: Demo): Promise<true | undefined> {
  const client = new pg.Client({ connectionString: await demo.database() });
  await client.connect();
  try {
    const { rows } = await client.query(
      'SELECT coalesce(sum(messages_kept + messages_cut), 0)::int AS heard FROM relay.observer_usage',
    );
    if (rows[0].heard < SAID.length) return undefined;
    await client.query(
      "UPDATE relay.timers SET due_at = now() - interval '1 minute' WHERE kind = 'digest'",
    );
    const { rowCount } = await client.query("SELECT 1 FROM relay.digests WHERE kind = 'daily'");
    return rowCount === 0 ? undefined : true;
  } finally {
    await client.end();
  }
}
