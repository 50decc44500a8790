// How much of the matter of a question a message has, by its vector: from 0 to 1, so that it can be weighed
// against words. Models differ in what they call near, and so do the languages one model reads: near is only
// what is nearer than small talk is to the question, and what is said again and again says less.

/** So much nearer than by chance is as near as it gets. */
const FULLY = 0.35;
/** A message that others repeat word for word must be nearer by this much. */
const REPEATED = 0.2;
/** How many of the crowd stand for chance: those of the question's own language, mostly. */
const NEAREST_OF_CROWD = 10;
const NEAREST_OF_LIKE = 3;

export const meaningOf = (beyondChance: number, repeated: number): number =>
  Math.min(1, Math.max(0, (beyondChance - REPEATED * repeated) / FULLY));

/** How near the question is to the nearest of the crowd. */
export function chanceOf(question: Float32Array, crowd: readonly Float32Array[]): number {
  const near = crowd.map((vector) => cosine(question, vector)).sort((a, b) => b - a);
  return mean(near.slice(0, NEAREST_OF_CROWD));
}

/** For each of the texts, how like the others the likest of them are, from 0 to 1, by their words. */
export function repetition(texts: readonly ReadonlySet<string>[]): readonly number[] {
  const count = texts.length;
  const shared = sharedWords(texts);
  return texts.map((text, n) => {
    const likeness = texts.map((other, m) => {
      const common = shared[n * count + m] ?? 0;
      return common === 0 ? 0 : common / (text.size + other.size - common);
    });
    const likest = likeness.sort((a, b) => b - a).slice(0, NEAREST_OF_LIKE);
    return likest.reduce((sum, each) => sum + each, 0) / NEAREST_OF_LIKE;
  });
}

/** A square of how many words each two share. By word, because most pairs share none. */
function sharedWords(texts: readonly ReadonlySet<string>[]): Uint16Array {
  const having = new Map<string, number[]>();
  texts.forEach((text, n) => {
    for (const word of text) {
      const others = having.get(word);
      if (others === undefined) having.set(word, [n]);
      else others.push(n);
    }
  });
  const count = texts.length;
  const shared = new Uint16Array(count * count);
  for (const of of having.values()) {
    for (const n of of) {
      for (const m of of) {
        if (n !== m) shared[n * count + m] = (shared[n * count + m] ?? 0) + 1;
      }
    }
  }
  return shared;
}

/** Of two vectors of length 1. */
function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let n = 0; n < a.length; n++) sum += (a[n] ?? 0) * (b[n] ?? 0);
  return sum;
}

const mean = (list: readonly number[]): number =>
  list.length === 0 ? 0 : list.reduce((sum, each) => sum + each, 0) / list.length;
