// Fifty chats, each with its own canary: those of the injection set and as many more, with grants from nothing to
// reading and replying. A few of them attack, each in a chat that may be answered.
import { createHash } from 'node:crypto';
import { type Fixtures, fixtures, type GrantedRights } from '../attacks/data.ts';

const CHATS = 50;
const GROUPS = 10;
export const ATTACKERS = ['attacker', 'attacks1', 'attacks2', 'attacks3'];

const GRANTS: readonly (GrantedRights | undefined)[] = [
  undefined,
  [true, false],
  [false, true],
  [true, true],
];

export function fiftyChats(): Fixtures {
  const given = fixtures();
  const attackers = ATTACKERS.slice(1).map((key, n) => ({
    ...{ key, name: `Attacker ${n + 1}`, phone: `1555020000${n + 1}`, canary: canaryOf(key) },
    grant: [true, true] as const,
  }));
  const people = [...given.contacts, ...attackers];
  const more = Array.from({ length: CHATS - GROUPS - people.length }, (_, n) => {
    const grant = GRANTS[n % GRANTS.length];
    const person = { key: `p${n}`, name: `Person ${n}`, phone: `15550300${100 + n}` };
    return { ...person, canary: canaryOf(person.key), ...(grant && { grant }) };
  });
  const groups = Array.from({ length: GROUPS - given.groups.length }, (_, n) => ({
    ...{ key: `g${n}`, name: `Group ${n}`, jid: `1203630000000001${10 + n}@g.us` },
    ...{ canary: canaryOf(`g${n}`), grant: [n % 2 === 0, false] as const },
  }));
  return { ...given, contacts: [...people, ...more], groups: [...given.groups, ...groups] };
}

const canaryOf = (key: string): string =>
  `CANARY-${key.toUpperCase()}-${createHash('sha256').update(key).digest('hex').slice(0, 6)}`;
