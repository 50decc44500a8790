// A household for the owner's first week: who writes when, drawn from a seed. Most messages are of a group that is
// observed; the rest are of contacts with automatic replies, of contacts whose replies are drafts, and of strangers.
import type { Network } from '@relay/simulator/whatsapp/network';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import type { GroupChat } from '@relay/simulator/whatsapp/people/group';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export type Kind = 'auto' | 'draft' | 'stranger' | 'never_written';

export interface Person {
  readonly name: string;
  readonly kind: Kind;
  readonly account: SimulatedAccount;
}

export interface Household {
  readonly people: readonly Person[];
  readonly group: GroupChat;
  readonly members: readonly SimulatedAccount[];
}

const PEOPLE: readonly (readonly [name: string, kind: Kind])[] = [
  ['Mum', 'auto'],
  ['Ana Ruiz', 'auto'],
  ['Kofi', 'auto'],
  ['Sam', 'draft'],
  ['Ben next door', 'draft'],
  ['Landlord', 'draft'],
  ['Piano teacher', 'never_written'],
  ['Dentist', 'never_written'],
  ['Football coach', 'never_written'],
  ['Vet', 'never_written'],
  ['Unknown 1', 'stranger'],
  ['Unknown 2', 'stranger'],
];

const MEMBERS = ['Priya', 'Tom', 'Lea', 'Yusuf', 'Nora', 'Ines'];

export function moveIn(network: Network, owner: SimulatedAccount): Household {
  const people = PEOPLE.map(([name, kind], n) => ({
    name,
    kind,
    account: network.addAccount({ phone: `155503${String(n).padStart(5, '0')}`, name }),
  }));
  const members = MEMBERS.map((name, n) =>
    network.addAccount({ phone: `155504${String(n).padStart(5, '0')}`, name }),
  );
  const [first] = members;
  if (first === undefined) throw new Error('a group without members');
  const group = network.createGroup({
    subject: 'Class 3b',
    owner: first,
    members: [owner, ...members],
    addressing: 'lid',
  });
  // What the other phones of the group read does not matter here.
  for (const member of members.slice(1)) member.switchOff();
  return { people, group, members };
}

export interface Line {
  readonly at: Date;
  /** Null: in the group. */
  readonly by: Person | null;
  readonly author: SimulatedAccount;
  readonly text: string;
}

/** The share of each kind of sender; the rest is the group's. */
const SHARES: readonly (readonly [kind: Kind, share: number])[] = [
  ['auto', 0.2],
  ['draft', 0.06],
  ['stranger', 0.02],
];

const TEXTS = [
  'Are you free on Saturday?',
  'Can you bring the blue folder tomorrow?',
  'Did the parcel arrive?',
  'What time should I come?',
  'The meeting moves to Thursday at four.',
  'Could you send me the address again?',
  'Thank you, that worked well!',
  'Who brings the cake this time?',
];

/** One day's messages, from the morning until late in the evening, in the order of their times. */
export function linesOfDay(
  { people, members }: Household,
  day: Date,
  count: number,
  random: () => number,
): Line[] {
  const pick = <T>(list: readonly T[]): T => {
    const one = list[Math.floor(random() * list.length)];
    if (one === undefined) throw new Error('nothing to pick from');
    return one;
  };
  return Array.from({ length: count }, (_, n): Line => {
    const at = new Date(day.getTime() + 7 * HOUR + Math.floor(random() * 16.5 * HOUR));
    const text = `${pick(TEXTS)} (${n + 1})`;
    const kind = kindAt(random());
    if (kind === null) return { at, by: null, author: pick(members), text };
    const by = pick(people.filter((person) => person.kind === kind));
    return { at, by, author: by.account, text };
  }).toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

function kindAt(drawn: number): Kind | null {
  let sum = 0;
  for (const [kind, share] of SHARES) {
    sum += share;
    if (drawn < sum) return kind;
  }
  return null;
}
