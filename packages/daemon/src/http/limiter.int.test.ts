import { test } from 'vitest';
import { guessTimes } from './testing/guesses.ts';

test('100,000 wrong guesses with varied fields never pass and never avoid the limit', () =>
  guessTimes(100_000));
