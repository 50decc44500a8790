// Chooses the members' names for a model and the owner. People choose their own names, so a name is made one short
// line, and equal names are distinguished by their address.
import { foldName } from '../contacts/match.ts';
import { shortName } from '../ledger/format.ts';

interface Sender {
  readonly sender: string;
  readonly name: string;
  readonly address: string | null;
}

/** The name of each sender. Names in `kept` stay with their holders, whoever else uses them. */
export function distinguishNames(
  senders: readonly Sender[],
  kept: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const people = new Map(senders.filter(({ sender }) => !kept.has(sender)).map(named));
  const uses = [...people.values(), ...[...kept.values()].map((name) => ({ name }))];
  const names = new Map(kept);
  for (const [sender, { name, address }] of people) {
    const shared = uses.filter((other) => foldName(other.name) === foldName(name)).length > 1;
    names.set(sender, shared ? `${name} (${ending(address ?? sender)})` : name);
  }
  return names;
}

const named = ({ sender, name, address }: Sender): [string, Omit<Sender, 'sender'>] => [
  sender,
  { name: shortName(name.replace(/[[\]<>]/g, ' ')) || ending(address ?? sender), address },
];

/** Enough to distinguish people, too little to call them. */
const ending = (address: string): string => `…${address.replace(/@.*$/, '').slice(-4)}`;
