// How a word sounds, roughly and in no language in particular, and how far two words are apart by ear.
// Spellings of one name come out near each other: Annie, Any, Eni, ऐनी, آني, Энни.
import { UNWRITTEN } from './scripts.ts';

/** One letter a sound: S is sh, C is ch. */
export function soundOf(latin: string): string {
  let sound = latin;
  for (const [spelling, said] of SPELLINGS) sound = sound.replace(spelling, said);
  return sound;
}

const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/[^\p{L}ə]/gu, ''],
  [/(.)\1{2,}/gu, '$1$1'],
  [/sch|sh/g, 'S'],
  [/tch|ch/g, 'C'],
  [/zh/g, 'j'],
  [/ph/g, 'f'],
  [/ck|q(?:u(?=[aeio]))?/g, 'k'],
  [/c(?=[eiy])/g, 's'],
  [/c/g, 'k'],
  [/x/g, 'ks'],
  [/(?<=[^aeiouə])h|(?<=[aeiouə])h(?![aeiouə])/g, ''],
  // Between vowels, or before one, they are consonants.
  [/[yj](?=[aeiouə])/g, 'j'],
  [/w(?=[aeiouə])/g, 'v'],
  [/y/g, 'i'],
  [/w/g, 'u'],
  [/ee|ea|ie|ii|iə|əi/g, 'i'],
  [/oo|ou|uu|əu|uə/g, 'u'],
  [/ai|ae|ei|əe/g, 'e'],
  [/au/g, 'o'],
  [/ij(?=[aeiouə])/g, 'i'],
  [/(.)\1+/gu, '$1'],
  [/ə$/g, ''],
];

/** What it costs to hear one for the other; what is not here costs a whole sound. */
const NEAR = new Map<string, number>();
for (const [pairs, cost] of [
  ['ou sz', 0.3],
  ['ae ei vf vb vu rl', 0.4],
  ['pb td kg sS sC SC Cj jz jS pf ij', 0.5],
  ['ao mn hk', 0.6],
  ['ai', 0.8],
] as const) {
  for (const [one = '', other = ''] of pairs.split(' ')) {
    NEAR.set(one + other, cost);
    NEAR.set(other + one, cost);
  }
}

const VOWELS = new Set('aeiou');

function exchange(one: string, other: string): number {
  if (one === other) return 0;
  if (one === UNWRITTEN && VOWELS.has(other)) return 0.2;
  if (other === UNWRITTEN && VOWELS.has(one)) return 0.2;
  return NEAR.get(one + other) ?? 1;
}

function drop(sound: string): number {
  if (sound === UNWRITTEN) return 0.1;
  if (sound === 'h') return 0.4;
  // Many do not speak it before a consonant, nor write it.
  if (sound === 'r') return 0.5;
  return VOWELS.has(sound) ? 0.7 : 1;
}

/** The cheapest way from one to the other by exchanging, dropping and adding sounds. */
export function farApart(one: string, other: string): number {
  let above = [0];
  for (const sound of other) above.push((above.at(-1) ?? 0) + drop(sound));
  for (const heard of one) {
    const row = [(above[0] ?? 0) + drop(heard)];
    for (const [place, sound] of Array.from(other).entries()) {
      const across = (above[place] ?? 0) + exchange(heard, sound);
      const down = (above[place + 1] ?? 0) + drop(heard);
      row.push(Math.min(across, down, (row[place] ?? 0) + drop(sound)));
    }
    above = row;
  }
  return above.at(-1) ?? 0;
}
