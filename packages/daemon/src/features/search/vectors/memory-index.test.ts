import { expect, test } from 'vitest';
import { dotProducts, NearestDocuments } from './memory-index.ts';
import { decodeVectors, toBuffer } from './vector-index.ts';

let state = 1;
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 31 - 1;
};

function unit(dims: number): Float32Array {
  const raw = Float32Array.from({ length: dims }, random);
  const length = Math.hypot(...raw);
  return raw.map((value) => value / length);
}

test.each([0, 1, 3, 4, 7])('dot products are computed for any subset of rows: %i rows', (count) => {
  const dims = 100;
  const vectors = Array.from({ length: 10 }, () => Float16Array.from(unit(dims)));
  const query = unit(dims);
  const rows = Array.from({ length: count }, (_, n) => (3 * n + 2) % vectors.length);
  const products = dotProducts(query, Float16Array.from(vectors.flatMap((v) => [...v])), rows);
  const expected = rows.map((row) =>
    query.reduce((sum, value, n) => sum + value * (vectors[row]?.[n] ?? 0), 0),
  );
  expect([...products]).toEqual(expected);
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
