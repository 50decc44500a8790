// Learns the weights of the noise filter: logistic regression with a penalty on large weights, by Newton's method.
// Deterministic: the same messages give the same weights.
import type { Signs, Weights } from '@relay/core/observer/noise/signs';

export interface Example {
  readonly signs: Signs;
  readonly content: boolean;
}

const ROUNDS = 10;

export function learn(examples: readonly Example[], penalty: number): Weights {
  const names = ['always', ...new Set(examples.flatMap(({ signs }) => [...signs.keys()]))];
  const place = new Map(names.map((name, at) => [name, at]));
  const rows = examples.map(({ signs }) => {
    const row = new Float64Array(names.length);
    row[0] = 1;
    for (const [name, size] of signs) row[place.get(name) ?? 0] = size;
    return row;
  });
  const weights = new Float64Array(names.length);
  for (let round = 0; round < ROUNDS; round++) {
    const { gradient, hessian } = slope(rows, examples, weights, penalty);
    const step = solve(hessian, gradient);
    for (let i = 0; i < weights.length; i++) weights[i] = weights[i]! - step[i]!;
  }
  return Object.fromEntries(names.map((name, at) => [name, weights[at]!]));
}

function slope(
  rows: readonly Float64Array[],
  examples: readonly Example[],
  weights: Float64Array,
  penalty: number,
) {
  const size = weights.length;
  const gradient = new Float64Array(size);
  const hessian = Array.from({ length: size }, () => new Float64Array(size));
  rows.forEach((row, n) => {
    let sum = 0;
    for (let i = 0; i < size; i++) sum += row[i]! * weights[i]!;
    const p = 1 / (1 + Math.exp(-sum));
    const miss = p - Number(examples[n]!.content);
    for (let i = 0; i < size; i++) {
      if (row[i] === 0) continue;
      gradient[i] = gradient[i]! + miss * row[i]!;
      const line = hessian[i]!;
      for (let j = 0; j < size; j++) line[j] = line[j]! + p * (1 - p) * row[i]! * row[j]!;
    }
  });
  for (let i = 0; i < size; i++) {
    const held = i === 0 ? 1e-6 : penalty;
    gradient[i] = gradient[i]! + held * weights[i]!;
    hessian[i]![i] = hessian[i]![i]! + held;
  }
  return { gradient, hessian };
}

/** Gaussian elimination with pivots. */
function solve(matrix: Float64Array[], right: Float64Array): Float64Array {
  const size = right.length;
  const rows = matrix.map((row, i) => Float64Array.of(...row, right[i]!));
  for (let at = 0; at < size; at++) {
    let pivot = at;
    for (let i = at + 1; i < size; i++) {
      if (Math.abs(rows[i]![at]!) > Math.abs(rows[pivot]![at]!)) pivot = i;
    }
    [rows[at], rows[pivot]] = [rows[pivot]!, rows[at]!];
    for (let i = at + 1; i < size; i++) {
      const factor = rows[i]![at]! / rows[at]![at]!;
      if (factor === 0) continue;
      for (let j = at; j <= size; j++) rows[i]![j] = rows[i]![j]! - factor * rows[at]![j]!;
    }
  }
  const answer = new Float64Array(size);
  for (let i = size - 1; i >= 0; i--) {
    let sum = rows[i]![size]!;
    for (let j = i + 1; j < size; j++) sum -= rows[i]![j]! * answer[j]!;
    answer[i] = sum / rows[i]![i]!;
  }
  return answer;
}
