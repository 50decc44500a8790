// The people who write to Relay and their grants; and a model whose every answer names the message it is for.
import type { ChatRequest, Reply } from '@relay/simulator/model/schemas';
import { newestUserText, roundsOfTurn, systemText } from '@relay/simulator/model/transcript';
import type { Demo } from '@relay/testing/e2e/demo';
import { OWNER } from '../harness.ts';

export const ROLES = [
  'granted',
  'read_only',
  'draft',
  'deaf',
  'quiet',
  'talker',
  'stranger',
  'admin',
] as const;
export type Role = (typeof ROLES)[number];

export interface Person {
  readonly phone: string;
  readonly name: string;
  readonly role: Role;
}

const COUNTS: Readonly<Record<Role, number>> = {
  granted: 6,
  read_only: 2,
  draft: 3,
  deaf: 2,
  quiet: 2,
  talker: 2,
  stranger: 4,
  admin: 1,
};

export const PEOPLE: readonly Person[] = ROLES.flatMap((role, r) =>
  Array.from({ length: COUNTS[role] }, (_, n) => ({
    phone: `15552${String(r).padStart(3, '0')}${String(n).padStart(3, '0')}`,
    name: `${role.replace('_', '')}${n}`,
    role,
  })),
);

export const withRole = (role: Role): readonly Person[] =>
  PEOPLE.filter((person) => person.role === role);

export const ADMINS = withRole('admin').map(({ phone }) => phone);
export const objectiveWith = ({ name }: Pick<Person, 'name'>): string => `Talk with ${name}`;

const TOKEN = /\bwhy\d+\b/g;
const LATER_MS = 3_600_000;

/** All that the model was shown, and by whom it was asked. */
export class Model {
  readonly shown = new Set<string>();

  play(request: ChatRequest): Reply | undefined {
    for (const [token] of JSON.stringify(request).matchAll(TOKEN)) this.shown.add(token);
    const asked = newestUserText(request).split('\n\nRelevant context')[0] ?? '';
    const tokens = [...asked.matchAll(TOKEN)].map(([token]) => token);
    if (/Talk with talker\d/.test(systemText(request))) {
      if (roundsOfTurn(request) > 0) return { text: '' };
      // All in one message: a turn sends only a few messages, however many it has read.
      const text = tokens.map((token) => `re ${token}`).join(', ') || 'Hello';
      return {
        tool_calls: [
          { name: 'send_message', arguments: { text } },
          { name: 'schedule_next_heartbeat', arguments: { delay: LATER_MS } },
        ],
      };
    }
    return { text: `re ${tokens.at(-1) ?? 'what I have not seen'}` };
  }
}

export interface Company {
  readonly model: Model;
  readonly group: { readonly jid: string; readonly subject: string };
}

export function invite({ simulator: { network }, model }: Demo): Company {
  const playing = new Model();
  model.play((request) => playing.play(request));
  const owner = network.addAccount({ phone: OWNER, name: 'Owner' });
  const members = PEOPLE.map(({ phone, name }) => network.addAccount({ phone, name }));
  const subject = 'Family';
  const [first, ...others] = members;
  if (first === undefined) throw new Error('nobody came');
  const group = network.createGroup({ subject, owner: first, members: [owner, ...others] });
  return { model: playing, group: { jid: group.jid, subject } };
}

/** Creates the grants over the API as the owner would. */
export async function grantAll({ relay }: Demo): Promise<void> {
  const granted: Readonly<Partial<Record<Role, object>>> = {
    granted: { canRead: true, canReply: true },
    read_only: { canRead: true },
    draft: { canRead: true, canReply: true, replyMode: 'draft' },
    deaf: { canReply: true },
    quiet: { canRead: true, canReply: true, options: { quietHours: aroundNow() } },
  };
  for (const { phone, name, role } of PEOPLE) {
    const rights = granted[role];
    if (rights === undefined) continue;
    const body = { phoneNumber: phone, displayName: name, ...rights };
    await relay.ok('POST', '/api/whatsapp/permissions', body);
  }
}

/** From an hour ago to some hours from now, whatever the time is. */
function aroundNow() {
  const at = (hours: number) =>
    `${String((new Date().getUTCHours() + hours + 24) % 24).padStart(2, '0')}:00`;
  return { from: at(-1), to: at(6), zone: 'UTC' };
}

/** The ids of the conversations, by phone. */
export async function beginConversations({ relay }: Demo): Promise<ReadonlyMap<string, string>> {
  const talks = new Map<string, string>();
  for (const person of withRole('talker')) {
    const { id } = await relay.ok<{ id: string }>('POST', '/api/instances', {
      objective: objectiveWith(person),
      target_contact: `+${person.phone}`,
      todos: [{ text: 'Talk' }],
      heartbeat_config: { interval_ms: LATER_MS, max_followups: 1 },
    });
    talks.set(person.phone, id);
  }
  return talks;
}
