// The owner asks in both groups more often than the cadence allows answers, over broken connections and a daemon that
// is killed in between. The answers are counted on the simulated network.
import { OWNER } from '../harness.ts';
import type { SilenceHarness } from './harness.ts';
import type { Cast } from './people.ts';

const ROUNDS = 10;
export const ANSWERS_A_DAY = 5;
/** After these rounds no time passes: the next request comes within the pause. */
const WITHIN_THE_PAUSE = [0, 3, 6];

const WORDS = [
  'Annie, what is the plan for Saturday?',
  'annie who brings what?',
  'Hey Annie, when do we meet?',
  'Annie please sum up what was decided',
];

export interface AskingResult {
  readonly requests: number;
  readonly groups: readonly {
    readonly name: string;
    /** How many answers were sent between two moments at which the pause was over. */
    readonly answers: readonly number[];
  }[];
}

/**
 * Time passes by moving earlier answers into the past. The database only has the machine's clock, and the pause must be
 * much longer than the rounds between which no time may pass.
 */
export async function askInGroups(
  stage: SilenceHarness,
  casts: readonly Cast[],
  minutes: number,
): Promise<AskingResult> {
  const sent = new Map(casts.map(({ chat }) => [chat.jid, new Map<string, number>()]));
  let pause = 0;
  stage.simulator.network.events.on('stanza', ({ account, direction, stanza }) => {
    const { to = '', id = '' } = stanza.attrs;
    const before = sent.get(to);
    if (account !== OWNER || direction !== 'in' || stanza.tag !== 'message') return;
    // Resent under the same id it is still the same message.
    if (before !== undefined && !before.has(id)) before.set(id, pause);
  });
  stage.clock.letGo();
  await stage.query('UPDATE relay.observed_groups SET zone = $1', [zoneAtNoon()]);
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
    await stage.rest();
    if (WITHIN_THE_PAUSE.includes(round)) continue;
    await moveAnswersBack(stage, minutes);
    pause += 1;
  }
  return {
    requests,
    groups: casts.map(({ name, chat }) => {
      const pauses = [...(sent.get(chat.jid)?.values() ?? [])];
      return {
        name,
        answers: Array.from({ length: pause }, (_, n) => pauses.filter((at) => at === n).length),
      };
    }),
  };
}

/** So that the answers stay within one day, however far they are moved back. */
function zoneAtNoon(): string {
  const offset = 12 - new Date().getUTCHours();
  // The signs in these names are the reverse of the usual ones.
  return `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
}

async function moveAnswersBack(stage: SilenceHarness, minutes: number): Promise<void> {
  await stage.query(
    `UPDATE relay.outbox SET sent_at = sent_at - $1 * interval '1 minute',
       attempted_at = attempted_at - $1 * interval '1 minute'`,
    [minutes],
  );
}

export const beyondCadence = ({ groups }: AskingResult): readonly string[] =>
  groups.flatMap(({ name, answers }) => {
    const total = answers.reduce((sum, count) => sum + count, 0);
    return [
      ...(total === 0 ? [`${name}: the owner was never answered`] : []),
      ...(total > ANSWERS_A_DAY ? [`${name}: ${total} answers in a day`] : []),
      ...answers.flatMap((count, n) =>
        count > 1 ? [`${name}: ${count} answers within pause ${n + 1}`] : [],
      ),
    ];
  });
