import { expect, test } from 'vitest';
import { chooseMatch, type Findable, type MatchRank, rankMatch } from './match.ts';

const ANN: Findable = {
  id: '00000000-0000-4000-8000-000000000001',
  names: ['Ann Lee', 'annie 🌻'],
  addresses: ['14155551234', '14155551234@s.whatsapp.net', '90001', '90001@lid'],
};

test.each<[string, MatchRank | null]>([
  ['Ann Lee', 0],
  ['  ANN   lee ', 0],
  ['Änn Leé', 0],
  ['ann', 1],
  ['lee', 2],
  ['nn', 3],
  ['Bob', null],
  ['', null],
  ['14155551234', 0],
  ['+1 415 555-1234', 0],
  ['14155551234@s.whatsapp.net', 0],
  ['90001', 0],
  ['90001@lid', 0],
  ['555-1234', 3],
  ['0415 555', 3],
  ['555', null],
  [ANN.id, 0],
])('%j matches with rank %s', (query, rank) => {
  expect(rankMatch(query, ANN)).toBe(rank);
});

test.each<[string, string, MatchRank | null]>([
  ['мама', 'Мама', 0],
  ['أحمد', 'أحمد', 0],
  ['ｔａｎａｋａ', 'Tanaka', 0],
  ['田中', '田中 太郎', 1],
])('matches names of every script: %s', (query, name, rank) => {
  expect(rankMatch(query, { ...ANN, names: [name] })).toBe(rank);
});

test('chooses one full match over any number of partial ones', () => {
  expect(
    chooseMatch([
      { rank: 0, of: 'Ann' },
      { rank: 1, of: 'Anna' },
      { rank: 3, of: 'Joann' },
    ]),
  ).toEqual({ found: 'Ann' });
});

test('chooses none of two equal matches and returns both', () => {
  expect(
    chooseMatch([
      { rank: 0, of: 'a' },
      { rank: 0, of: 'b' },
      { rank: 1, of: 'c' },
    ]),
  ).toEqual({
    ambiguous: ['a', 'b'],
  });
  expect(
    chooseMatch([
      { rank: 1, of: 'a' },
      { rank: 3, of: 'b' },
    ]),
  ).toEqual({ ambiguous: ['a', 'b'] });
  expect(chooseMatch([{ rank: 3, of: 'a' }])).toEqual({ found: 'a' });
  expect(chooseMatch([])).toEqual({ nobody: true });
});

test('chooses nobody by a profile name, however well it matches', () => {
  const stranger = { rank: 0, of: 'stranger', byProfile: true } as const;
  expect(chooseMatch([stranger])).toEqual({ ambiguous: ['stranger'] });
  expect(chooseMatch([stranger, { rank: 1, of: 'Mom (mobile)' }])).toEqual({
    ambiguous: ['stranger', 'Mom (mobile)'],
  });
  expect(chooseMatch([{ rank: 0, of: 'Mom' }, stranger])).toEqual({ found: 'Mom' });
});
