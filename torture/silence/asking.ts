// The owner asks in both groups, faster than the cadence lets anybody answer, over lines that break and a
// daemon that is killed in between. What comes back is read off the wire.
import { zoneNamed } from '@relay/core/schedule/zone';
import { OWNER } from '../ground.ts';
import type { Cast } from './people.ts';
import type { SilenceStage } from './stage.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** Minutes after ten of two days: ten requests in each group. */
const DAYS: readonly (readonly number[])[] = [
  [0, 2, 5, 7, 11, 17, 23, 29],
  [0, 2],
];
const MOST_A_DAY = 5;
const MINUTES_BETWEEN = 5;

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

export async function ask(
  stage: SilenceStage,
  casts: readonly Cast[],
  random: () => number,
): Promise<Spoken> {
  const sent = new Map(casts.map(({ chat }) => [chat.jid, new Map<string, Date>()]));
  stage.simulator.network.events.on('stanza', ({ account, direction, stanza }) => {
    const { to = '', id = '' } = stanza.attrs;
    const before = sent.get(to);
    if (account !== OWNER || direction !== 'in' || stanza.tag !== 'message') return;
    // Sent again under the same id it is still the same message.
    if (before !== undefined && !before.has(id)) before.set(id, stage.clock.now());
  });
  const noon = Math.ceil(stage.clock.now().getTime() / DAY) * DAY + DAY / 2;
  let requests = 0;
  for (const [day, minutes] of DAYS.entries()) {
    for (const minute of minutes) {
      stage.clock.set(new Date(noon + day * DAY + minute * MINUTE));
      for (const { chat } of casts) {
        const text = WORDS[requests % WORDS.length] ?? '';
        const options = { at: stage.clock.now(), addressing: chat.addressing };
        await stage.owner.send(chat, text, options);
        requests += 1;
      }
      if (minute === 5) await stage.kill();
      else if (random() < 0.3) stage.owner.disconnect();
      await stage.relay.connected(90_000);
      await stage.quiet();
    }
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

export const beyondCadence = ({ groups }: Spoken): readonly string[] =>
  groups.flatMap(({ name, zone: zoneName, answers }) => {
    const zone = zoneNamed(zoneName);
    if (zone === null) return [`${zoneName} is no zone`];
    const times = answers.map((at) => at.getTime()).toSorted((a, b) => a - b);
    const days = Map.groupBy(times, (at) => Math.floor(zone.localAt(at) / DAY));
    return [
      ...(times.length === 0 ? [`${name}: the owner was never answered`] : []),
      ...[...days.values()]
        .filter(({ length }) => length > MOST_A_DAY)
        .map(({ length }) => `${name}: ${length} answers in a day`),
      ...times
        .slice(1)
        .filter((at, n) => at - (times[n] ?? 0) < MINUTES_BETWEEN * MINUTE)
        .map((at) => `${name}: two answers within five minutes at ${new Date(at).toISOString()}`),
    ];
  });
