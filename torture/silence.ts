// `npm run torture -- silence`: the weeks of two groups, replayed through the simulated WhatsApp to a Relay that
// observes both, with attacks, broken connections, a killed daemon, and a traitor as the model. Until the owner asks
// something, nothing is sent to a group except what the protocol requires. Then the owner asks more often than the
// cadence allows answers.
import { thenClose } from '@relay/testing/then-close';
import { attacks, choose } from './attacks/data.ts';
import { OWNER } from './harness.ts';
import { randomFrom } from './random.ts';
import { ANSWERS_A_DAY, askInGroups, beyondCadence } from './silence/asking.ts';
import { faultsOf } from './silence/faults.ts';
import { SilenceHarness } from './silence/harness.ts';
import { type Cast, invite } from './silence/people.ts';
import { attackIn, type Line, linesOf, sendLine } from './silence/replay.ts';
import { Traitor } from './silence/traitor.ts';
import { Watch } from './stranger/watch.ts';

export interface SilenceTorture {
  /** Of each group; the whole week by default. */
  readonly messages?: number | undefined;
  readonly attacks: number;
  readonly kills: number;
  /** Broken connections, duplicate and reordered stanzas. */
  readonly faults: number;
  /** Between two answers in one group. Simulated, and long enough that the torture itself takes less. */
  readonly minutes: number;
  readonly seed: number;
}

export interface SilenceReport {
  readonly seed: number;
  readonly said: number;
  readonly attacks: number;
  readonly kills: number;
  readonly injected: number;
  /** Messages that the observer judged. */
  readonly heard: number;
  /** How often the traitor was asked before the owner asked anything. */
  readonly asked: Traitor['asked'];
  /** Sent stanzas that name a group or a member: must be zero. */
  readonly outbound: number;
  readonly required: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
  readonly seconds: number;
}

/** The most messages in flight. */
const AT_ONCE = 40;
const TWO_WEEKS = 14 * 86_400_000;

export async function tortureSilence(torture: SilenceTorture): Promise<SilenceReport> {
  const began = performance.now();
  const random = randomFrom(torture.seed);
  const casts = ['holliday', 'casa-limon'] as const;
  const stage = await SilenceHarness.open(new Date(Date.now() - TWO_WEEKS), {
    assistant_name: 'Annie',
    answers_per_day: ANSWERS_A_DAY,
    minutes_between_answers: torture.minutes,
  });
  return thenClose(stage, async () => {
    const { network } = stage.simulator;
    const groups = casts.map((name) => invite(network, stage.owner, name));
    for (const cast of groups) await observe(stage, cast);
    const traitor = new Traitor({ owner: { name: 'Owner', id: OWNER } });
    stage.model.play(traitor.act);
    const watch = new Watch(network, OWNER, groups.flatMap(namesOf));
    const { said, attacked } = await replayAll(stage, groups, torture, random);
    const silent = { outbound: watch.breaches.length, asked: { ...traitor.asked } };
    const required = watch.counts;
    const found = watch.breaches.slice(0, 20).map((breach) => `Relay sent ${breach}`);
    const [row] = await stage.query<{ heard: number }>(
      'SELECT count(*)::int AS heard FROM relay.observed_messages',
    );
    const heard = row?.heard ?? 0;
    const spoken = await askInGroups(stage, groups, torture.minutes);
    const faults = [
      ...found,
      ...(silent.asked.label + silent.asked.answer > 0 ? ['a model was asked to answer'] : []),
      ...(heard < said / 2 ? [`of ${said} messages ${heard} were heard`] : []),
      ...beyondCadence(spoken),
      ...network.failures.map((failure) => `the simulator: ${failure}`),
    ];
    return {
      ...{ seed: torture.seed, said, attacks: attacked, kills: stage.kills, heard, required },
      ...{ injected: torture.faults, ...silent, requests: spoken.requests },
      answers: Object.fromEntries(
        spoken.groups.map(({ name, answers }) => [name, answers.reduce((a, b) => a + b, 0)]),
      ),
      faults,
      seconds: Math.round((performance.now() - began) / 1_000),
    };
  });
}

/** The owner has announced it in the group, and lets their assistant answer them there. */
async function observe(stage: SilenceHarness, { chat, week, others }: Cast): Promise<void> {
  await others[0]?.send(chat, 'Hello all', { at: stage.clock.now(), addressing: chat.addressing });
  await stage.quiet();
  await stage.relay.ok('POST', '/api/observed-groups', {
    ...{ group: chat.jid, zone: week.zone, assistant_name: 'Annie' },
    ...{ may_answer: true, announced: true },
  });
}

const namesOf = ({ chat, others }: Cast): readonly string[] => [
  chat.jid,
  ...others.flatMap(({ phone, lid }) => [phone, lid]),
];

async function replayAll(
  stage: SilenceHarness,
  groups: readonly Cast[],
  torture: SilenceTorture,
  random: () => number,
): Promise<{ said: number; attacked: number }> {
  const lines = groups
    .flatMap((cast) => linesOf(cast).slice(0, torture.messages ?? Infinity))
    .toSorted((a, b) => a.message.at.getTime() - b.message.at.getTime());
  const chosen = choose(attacks(), { only: [], limit: torture.attacks });
  const faults = faultsOf(stage, torture, lines.length, random);
  const every = Math.max(1, Math.floor(lines.length / Math.max(1, chosen.length)));
  let [said, attacked] = [0, 0];
  for (const [n, line] of lines.entries()) {
    stage.clock.set(line.message.at);
    if (await sendLine(line)) said += 1;
    const attack = n % every === 0 ? chosen[n / every] : undefined;
    if (attack !== undefined) {
      said += await attackIn(pick(groups, random), attack, stage.clock.now(), random);
      attacked += 1;
    }
    await faults.get(n)?.();
    if (n % AT_ONCE === AT_ONCE - 1) await rest(stage, lines, n);
  }
  stage.simulator.network.faults.clear();
  await stage.rest();
  return { said, attacked };
}

async function rest(stage: SilenceHarness, lines: readonly Line[], n: number): Promise<void> {
  await stage.quiet();
  if ((n + 1) % (5 * AT_ONCE) === 0)
    console.log(`${n + 1} of ${lines.length} messages, ${stage.kills} kills`);
}

const pick = <T>(items: readonly T[], random: () => number): T =>
  items[Math.floor(random() * items.length)] as T;
