// How well the filter separates noise from content on two labelled weeks. Weights learnt on one group are scored on the
// other, both ways: those are the figures. The shipped table learnt from both, so its own score is only a fit.

import { NOISE_CATEGORIES, type NoiseJudge } from '@relay/core/observer/message';
import { createNoiseJudge, judgeNoise } from '@relay/core/observer/noise/judge';
import { GROUPS, readWeek } from '@relay/testing/observer/weeks';
import type { Limit } from './figures.ts';
import { type Judgement, judgeWeek, type Tally, tally, tallyLine } from './noise/score.ts';
import { learnTables } from './noise/tables.ts';

export interface NoiseFigures {
  readonly holliday: readonly Judgement[];
  readonly casaLimon: readonly Judgement[];
}

/** Each week judged by weights learnt on the other. */
export function acrossGroups(): NoiseFigures {
  const family = readWeek('holliday').messages;
  const work = readWeek('casa-limon').messages;
  return {
    holliday: judgeWeek(family, createNoiseJudge(learnTables(work))),
    casaLimon: judgeWeek(work, createNoiseJudge(learnTables(family))),
  };
}

export async function benchNoise(): Promise<readonly Limit[]> {
  const { holliday, casaLimon } = acrossGroups();
  const all = [...holliday, ...casaLimon];
  console.log(`${''.padEnd(26)} precis.  recall`);
  for (const [name, some] of table(holliday, casaLimon)) console.log(tallyLine(name, tally(some)));
  for (const category of NOISE_CATEGORIES) {
    const of = all.filter(({ labelled }) => labelled.category === category);
    const dropped = of.filter((one) => one.dropped).length;
    console.log(`${`labelled ${category}`.padEnd(26)} ${dropped} of ${of.length} dropped`);
  }
  console.log(`${tallyLine('the shipped table (a fit)', tally(judgeBoth(judgeNoise)))}\n`);
  return [
    ...bars('holliday, learnt on casa-limon', tally(holliday)),
    ...bars('casa-limon, learnt on holliday', tally(casaLimon)),
    ...bars('both', tally(all)),
    { name: 'messages judged in a second', measured: speed(), unit: '/s', atLeast: 1_000 },
  ];
}

export function* table(
  holliday: readonly Judgement[],
  casaLimon: readonly Judgement[],
): Generator<readonly [string, readonly Judgement[]]> {
  const all = [...holliday, ...casaLimon];
  for (const [name, some] of Object.entries({ holliday, 'casa-limon': casaLimon, both: all })) {
    yield [name, some];
    for (const [lang, of] of Map.groupBy(some, ({ labelled }) => labelled.lang)) {
      yield [`${name} ${lang}`, of];
    }
    yield [`${name} hard`, some.filter(({ labelled }) => labelled.hard)];
  }
}

const bars = (name: string, { precision, recall, share }: Tally): readonly Limit[] => [
  { name: `${name}: precision`, measured: precision, unit: '×', atLeast: 0.97 },
  { name: `${name}: recall`, measured: recall, unit: '×', atLeast: 0.85 },
  { name: `${name}: share filtered out`, measured: share, unit: '×', atLeast: 0.55, atMost: 0.7 },
];

const judgeBoth = (by: NoiseJudge): readonly Judgement[] =>
  GROUPS.flatMap((group) => judgeWeek(readWeek(group).messages, by));

/** Messages per second of CPU time. */
function speed(): number {
  const begun = process.cpuUsage();
  const judged = judgeBoth(judgeNoise).length;
  const { user, system } = process.cpuUsage(begun);
  return judged / ((user + system) / 1e6);
}
