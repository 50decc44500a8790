import { expect, test } from 'vitest';
import {
  differingBits,
  dotProducts,
  mostDiffering,
  NearestDocuments,
  signBitsOf,
} from './memory-index.ts';
import { decodeVectors, toBuffer } from './vector-index.ts';

let state = 1;
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 31 - 1;
};

function unit(dims: number, near?: Float32Array): Float32Array {
  const raw = Float32Array.from({ length: dims }, (_, n) => random() + 10 * (near?.[n] ?? 0));
  const length = Math.hypot(...raw);
  return raw.map((value) => value / length);
}

const product = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, value, n) => sum + value * (b[n] ?? 0), 0);

test.each([0, 1, 3, 4, 7])('dot products are computed for any subset of rows: %i rows', (count) => {
  const dims = 100;
  const vectors = Array.from({ length: 10 }, () => Float16Array.from(unit(dims)));
  const query = unit(dims);
  const rows = Array.from({ length: count }, (_, n) => (3 * n + 2) % vectors.length);
  const products = dotProducts(query, Float16Array.from(vectors.flatMap((v) => [...v])), rows);
  const expected = rows.map((row) => product(query, vectors[row] ?? []));
  expect([...products]).toEqual(expected);
});

test.each([3, 32, 100, 384])('differing signs of %i numbers are counted', (dims) => {
  const [a, b] = [unit(dims), unit(dims)];
  const both = Int32Array.of(...signBitsOf(a), ...signBitsOf(b));
  const expected = a.filter((value, n) => value > 0 !== (b[n] ?? 0) > 0).length;
  expect(differingBits(signBitsOf(a), both, 0)).toBe(0);
  expect(differingBits(signBitsOf(a), both, signBitsOf(a).length)).toBe(expected);
});

test('the rows that differ least are included, as many as asked for and those that tie', () => {
  const differing = Uint16Array.of(5, 1, 0xffff, 3, 3, 0);
  expect(mostDiffering(differing, 1, 0)).toBe(0);
  expect(mostDiffering(differing, 3, 0)).toBe(3);
  expect(mostDiffering(differing, 0, 0.5)).toBe(3);
  expect(mostDiffering(differing, 100, 0)).toBe(5);
  expect(mostDiffering(Uint16Array.of(0xffff), 100, 0)).toBe(0);
});

test('of the ten nearest vectors nearly all are in the tenth whose signs differ least', () => {
  const dims = 384;
  const topics = Array.from({ length: 40 }, () => unit(dims));
  const vectors = Array.from({ length: 4_000 }, (_, n) => unit(dims, topics[n % topics.length]));
  let found = 0;
  for (let question = 0; question < 5; question++) {
    const query = unit(dims, topics[question]);
    const differing = Uint16Array.from(vectors, (vector) =>
      differingBits(signBitsOf(query), signBitsOf(vector), 0),
    );
    const most = mostDiffering(differing, 0, 1 / 10);
    const nearest = vectors
      .map((vector, row) => ({ row, similarity: product(vector, query) }))
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, 10);
    found += nearest.filter(({ row }) => (differing[row] ?? 0) <= most).length;
  }
  expect(found).toBeGreaterThanOrEqual(48);
});

test('the nearest documents are kept in any order of offers, and no more than wanted', () => {
  const nearest = new NearestDocuments(10);
  for (let n = 0; n < 500; n++) {
    const id = (n * 7_919) % 500;
    nearest.offer(id, -id);
  }
  expect(nearest.documents().map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const ties = new NearestDocuments(3);
  for (let id = 0; id < 9; id++) ties.offer(id, 0.5);
  expect(ties.documents()).toHaveLength(3);
});

test('a stored vector keeps three digits of each number', () => {
  const vector = unit(100);
  const stored = decodeVectors(toBuffer(Float16Array.from(vector)));
  for (const [n, value] of vector.entries()) expect(stored[n]).toBeCloseTo(value, 3);
});
