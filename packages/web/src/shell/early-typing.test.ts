import { expect, test } from 'vitest';
import { afterStroke, NOTHING, type Stroke, type Typed } from './early-typing.ts';

const stroke = (key: string, more: Partial<Stroke> = {}): Stroke => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  ...more,
});
const type = (...keys: string[]): Typed =>
  keys.reduce((typed, key) => afterStroke(typed, stroke(key)) ?? typed, NOTHING);

test('letters, spaces and signs are kept in their order, and taken back', () => {
  expect(type('H', 'o', ' ', '1', '?')).toEqual({ text: 'Ho 1?', isChosen: false });
  expect(type('a', 'b', 'Backspace', 'c').text).toBe('ac');
  expect(type('Backspace')).toEqual(NOTHING);
});

test('Enter chooses, and whatever is typed after it changes nothing', () => {
  expect(type('h', 'o', 'Enter', 'x', 'Enter')).toEqual({ text: 'ho', isChosen: true });
});

test('what is meant for the browser or moves the focus is left alone', () => {
  for (const key of ['Tab', 'F5', 'Shift', 'ArrowDown', 'Dead'])
    expect(afterStroke(NOTHING, stroke(key))).toBeUndefined();
  for (const modifier of ['ctrlKey', 'metaKey', 'altKey', 'isComposing'] as const)
    expect(afterStroke(NOTHING, stroke('k', { [modifier]: true }))).toBeUndefined();
});
