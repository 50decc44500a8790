// The owner asks in both groups, faster than the cadence lets anybody answer, over lines that break and a
// daemon that is killed in between. What comes back is read off the wire.
import { setTimeout as sleep } from 'node:timers/promises';
import { zoneNamed } from '@relay/core/schedule/zone';
import { OWNER } from '../ground.ts';
import type { Cast } from './people.ts';
import type { SilenceStage } from './stage.ts';

const DAY = 86_400_000;
const ROUNDS = 10;
export const ANSWERS_A_DAY = 5;

const WORDS = [
  'Annie, what is the plan for Saturday?',
  'annie who brings what?',
  'Hey Annie, when do we meet?',
  'Annie please sum up what was decided',
];

export interface Spoken {
  readonly requests: number;
  readonly groups: readonly {
    readonly name: string;
    readonly zone: string;
    /** When each answer left, by the clock of all. */
    readonly answers: readonly Date[];
  }[];
}

/** By the machine's own clock: when something left is told by the database, which has no other. */
export async function ask(
  stage: SilenceStage,
  casts: readonly Cast[],
  pauseMs: number,
): Promise<Spoken> {
  const sent = new Map(casts.map(({ chat }) => [chat.jid, new Map<string, Date>()]));
  stage.simulator.network.events.on('stanza', ({ account, direction, stanza }) => {
    const { to = '', id = '' } = stanza.attrs;
    const before = sent.get(to);
    if (account !== OWNER || direction !== 'in' || stanza.tag !== 'message') return;
    // Sent again under the same id it is still the same message.
    if (before !== undefined && !before.has(id)) before.set(id, new Date());
  });
  stage.clock.letGo();
  let requests = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const { chat } of casts) {
      await stage.owner.send(chat, WORDS[requests % WORDS.length] ?? '', {
        addressing: chat.addressing,
      });
      requests += 1;
    }
    if (round === 2) await stage.kill();
    if (round % 3 === 1) stage.owner.disconnect();
    await sleep(pauseMs * 0.4);
    await stage.rest();
  }
  return {
    requests,
    groups: casts.map(({ name, week, chat }) => ({
      name,
      zone: week.zone,
      answers: [...(sent.get(chat.jid)?.values() ?? [])],
    })),
  };
}

export const beyondCadence = ({ groups }: Spoken, pauseMs: number): readonly string[] =>
  groups.flatMap(({ name, zone: zoneName, answers }) => {
    const zone = zoneNamed(zoneName);
    if (zone === null) return [`${zoneName} is no zone`];
    const times = answers.map((at) => at.getTime()).toSorted((a, b) => a - b);
    const days = Map.groupBy(times, (at) => Math.floor(zone.localAt(at) / DAY));
    return [
      ...(times.length === 0 ? [`${name}: the owner was never answered`] : []),
      ...[...days.values()]
        .filter(({ length }) => length > ANSWERS_A_DAY)
        .map(({ length }) => `${name}: ${length} answers in a day`),
      ...times
        .slice(1)
        .filter((at, n) => at - (times[n] ?? 0) < pauseMs)
        .map((at) => `${name}: two answers within the pause at ${new Date(at).toISOString()}`),
    ];
  });
