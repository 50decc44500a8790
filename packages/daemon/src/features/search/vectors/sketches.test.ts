import { expect, test } from 'vitest';
import { NearestDocuments, SketchTable } from './memory-index.ts';
import { decodeVectors, encodeVector, maxSketchDistance, toSketch } from './vector-index.ts';

const DIMS = 100;

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

const LEVELS = [-3, -1, 1, 3];
/** What the planes stand for: one of four numbers for each of the vector's. */
function levels(vector: Float32Array): number[] {
  const middle = 1 / Math.sqrt(vector.length);
  return [...vector].map(
    (value) => LEVELS[+(value > -middle) + +(value > 0) + +(value > middle)] ?? 0,
  );
}

const product = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, value, n) => sum + value * (b[n] ?? 0), 0);

test.each([3, 64, 100, 384, 1_536])(
  'distances order %i numbers as the products of their levels do',
  (dims) => {
    const vectors = Array.from({ length: 50 }, () => unit(dims));
    const sketches = new SketchTable(dims);
    for (const [row, vector] of vectors.entries()) sketches.put(row, toSketch(vector));
    const asked = unit(dims);
    const distances = sketches.distances(toSketch(asked), 0, vectors.length);
    // A product of levels is 9 for each number where both are furthest to the same side, and falls by 2 with each
    // step of the distance.
    const expected = vectors.map(
      (vector) => (9 * dims - product(levels(vector), levels(asked))) / 2,
    );
    expect([...distances]).toEqual(expected);
  },
);

test('rows are moved, cleared and grown into without disturbing others', () => {
  const sketches = new SketchTable(DIMS);
  const many = 30_000;
  const [first, last] = [unit(DIMS), unit(DIMS)];
  for (let row = 0; row < many; row++) sketches.put(row, toSketch(row === 0 ? first : last));
  const distance = (vector: Float32Array, row: number) =>
    sketches.distances(toSketch(vector), row, row + 1)[0];
  expect(distance(first, 0)).toBe(distance(first, 0));
  expect(distance(last, many - 1)).toBe(distance(last, 1));
  sketches.move(0, 7);
  expect(distance(first, 7)).toBe(distance(first, 0));
  sketches.clear(0);
  expect(distance(first, 0)).not.toBe(distance(first, 7));
  expect(distance(last, 8)).toBe(distance(last, 1));
});

test('the nearest are kept, whatever the order they come in, and no more than are wanted', () => {
  const distances = Array.from({ length: 500 }, (_, n) => (n * 7_919) % 500);
  const nearest = new NearestDocuments(10, 1_000);
  for (const distance of distances) nearest.offer(distance, distance);
  expect(nearest.documents()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(nearest.reach).toBeLessThan(20);
  const ties = new NearestDocuments(3, 10);
  for (let document = 0; document < 9; document++) ties.offer(document, 5);
  expect(ties.documents()).toHaveLength(3);
});

test('of the ten nearest by their vectors nearly all are among the four hundred nearest by their sketches', () => {
  const dims = 384;
  const topics = Array.from({ length: 40 }, () => unit(dims));
  const vectors = Array.from({ length: 3_000 }, (_, n) => unit(dims, topics[n % topics.length]));
  const sketches = new SketchTable(dims);
  for (const [row, vector] of vectors.entries()) sketches.put(row, toSketch(vector));
  let found = 0;
  for (let question = 0; question < 5; question++) {
    const asked = unit(dims, topics[question]);
    const nearest = new NearestDocuments(400, maxSketchDistance(dims));
    const distances = sketches.distances(toSketch(asked), 0, vectors.length);
    for (const [row, distance] of distances.entries()) nearest.offer(row, distance);
    const kept = new Set(nearest.documents());
    const exact = vectors
      .map((vector, row) => ({ row, near: product(vector, asked) }))
      .sort((a, b) => b.near - a.near)
      .slice(0, 10);
    found += exact.filter(({ row }) => kept.has(row)).length;
  }
  expect(found).toBeGreaterThanOrEqual(48);
});

test('what is stored comes back to three digits', () => {
  const vector = unit(DIMS);
  const back = decodeVectors(encodeVector(vector));
  for (const [n, value] of vector.entries()) expect(back[n]).toBeCloseTo(value, 3);
});
