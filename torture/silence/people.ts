// The members of both groups on the simulated network. In the labelled weeks each group has another owner; here both
// belong to the one owner that Relay serves.
import type { Network } from '@relay/simulator/whatsapp/network';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import type { GroupChat } from '@relay/simulator/whatsapp/people/group';
import { type GroupName, readWeek, type Week } from '@relay/testing/observer/weeks';

export interface Cast {
  readonly name: GroupName;
  readonly week: Week;
  readonly chat: GroupChat;
  /** By their address in the week. */
  readonly members: ReadonlyMap<string, SimulatedAccount>;
  /** All but the owner. */
  readonly others: readonly SimulatedAccount[];
}

const ADDRESSING = { holliday: 'pn', 'casa-limon': 'lid' } as const;
const FIRST_PHONE = { holliday: 15_550_100_000, 'casa-limon': 15_550_200_000 } as const;

/** Members whose phones are on. The others can still send. */
const AWAKE = 2;
const WEEK = 7 * 86_400_000;

/** The week, shifted by whole weeks so that it has just ended. */
function lately(name: GroupName): Week {
  const week = readWeek(name);
  const last = week.messages.at(-1)?.message.at.getTime() ?? 0;
  const later = Math.floor((Date.now() - last) / WEEK) * WEEK;
  const messages = week.messages.map((labelled) => ({
    ...labelled,
    message: { ...labelled.message, at: new Date(labelled.message.at.getTime() + later) },
  }));
  return { ...week, messages };
}

export function invite(network: Network, owner: SimulatedAccount, name: GroupName): Cast {
  const week = lately(name);
  const members = new Map<string, SimulatedAccount>();
  for (const { message } of week.messages) {
    if (message.fromAssistant || members.has(message.sender)) continue;
    const phone = String(FIRST_PHONE[name] + members.size);
    const person = () => network.addAccount({ phone, name: message.senderName });
    members.set(message.sender, message.fromOwner ? owner : person());
  }
  const others = [...members.values()].filter((member) => member !== owner);
  const [first] = others;
  if (first === undefined) throw new Error(`nobody is in ${name}`);
  const chat = network.createGroup({
    subject: week.name,
    owner: first,
    members: [owner, ...others],
    addressing: ADDRESSING[name],
  });
  // What the group's other phones read does not matter here, and would cost as much as all the rest.
  for (const asleep of others.slice(AWAKE)) asleep.switchOff();
  return { name, week, chat, members, others };
}
