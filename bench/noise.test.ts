import { judgeNoise } from '@relay/core/observer/noise/judge';
import { GROUPS, readWeek } from '@relay/testing/observer/weeks';
import { verifies } from '@relay/testing/verifies';
import { beforeAll, expect, test } from 'vitest';
import { judgeWeek, tally } from './noise/score.ts';
import { acrossGroups, type NoiseFigures } from './noise.ts';

let figures: NoiseFigures;

beforeAll(() => {
  figures = acrossGroups();
}, 60_000);

test('weights learnt on one group separate noise from content in the other', () => {
  const { holliday, casaLimon } = figures;
  for (const week of [holliday, casaLimon, [...holliday, ...casaLimon]]) {
    const { precision, recall } = tally(week);
    expect(precision).toBeGreaterThanOrEqual(0.97);
    expect(recall).toBeGreaterThanOrEqual(0.85);
  }
});

test('a filter learnt on the other group loses at most one content message in fifteen in every language', () => {
  const { holliday, casaLimon } = figures;
  const byLanguage = Map.groupBy([...holliday, ...casaLimon], ({ labelled }) => labelled.lang);
  for (const [lang, judgements] of byLanguage) {
    const content = judgements.filter(({ labelled }) => !labelled.noise);
    const lost = content.filter(({ dropped }) => dropped).length;
    expect(lost / content.length, lang).toBeLessThanOrEqual(1 / 15);
  }
});

test('the filter drops between 60 and 70 % of each recorded group', () => {
  verifies('004-T0-SHARE');
  for (const group of GROUPS) {
    const { share } = tally(judgeWeek(readWeek(group).messages, judgeNoise));
    expect(share).toBeGreaterThanOrEqual(0.6);
    expect(share).toBeLessThanOrEqual(0.7);
  }
});
