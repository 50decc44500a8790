import { expect, test } from 'vitest';
import { applyStroke, type KeyStroke, NOTHING_TYPED, type TypedAhead } from './early-typing.ts';

const stroke = (key: string, more: Partial<KeyStroke> = {}): KeyStroke => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  ...more,
});
const type = (...keys: string[]): TypedAhead =>
  keys.reduce((typed, key) => applyStroke(typed, stroke(key)) ?? typed, NOTHING_TYPED);

test('buffers letters, spaces and signs in order and handles Backspace', () => {
  expect(type('H', 'o', ' ', '1', '?')).toEqual({ text: 'Ho 1?', isChosen: false });
  expect(type('a', 'b', 'Backspace', 'c').text).toBe('ac');
  expect(type('Backspace')).toEqual(NOTHING_TYPED);
});

test('Enter selects, and later keys change nothing', () => {
  expect(type('h', 'o', 'Enter', 'x', 'Enter')).toEqual({ text: 'ho', isChosen: true });
});

test('leaves browser shortcuts and focus keys alone', () => {
  for (const key of ['Tab', 'F5', 'Shift', 'ArrowDown', 'Dead'])
    expect(applyStroke(NOTHING_TYPED, stroke(key))).toBeUndefined();
  for (const modifier of ['ctrlKey', 'metaKey', 'altKey', 'isComposing'] as const)
    expect(applyStroke(NOTHING_TYPED, stroke('k', { [modifier]: true }))).toBeUndefined();
});
