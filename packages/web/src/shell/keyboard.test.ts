import { expect, test } from 'vitest';
import {
  createLetterKeyboard,
  type FocusContext,
  type KeyPress,
  keyFromPress,
  keyLabels,
} from './keyboard.ts';

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  repeat: false,
  isComposing: false,
  defaultPrevented: false,
  ...more,
});
const around = (inside: (selector: string) => boolean, dialog = false): FocusContext => ({
  isIn: inside,
  hasDialog: () => dialog,
});
const nowhere = around(() => false);

test('a letter is taken as it is declared, with caps lock and on another script', () => {
  expect(keyFromPress(press('j'), nowhere)).toBe('j');
  expect(keyFromPress(press('J'), nowhere)).toBe('j');
  expect(keyFromPress(press('о', { code: 'KeyJ' }), nowhere)).toBe('j');
  expect(keyFromPress(press('?', { shiftKey: true }), nowhere)).toBe('?');
  expect(keyFromPress(press('/', { shiftKey: true, code: 'Digit7' }), nowhere)).toBe('/');
});

test('what may be meant for the browser is left alone', () => {
  for (const modifier of ['ctrlKey', 'metaKey', 'altKey', 'shiftKey'] as const) {
    expect(keyFromPress(press('k', { [modifier]: true }), nowhere)).toBeUndefined();
  }
  expect(keyFromPress(press('k', { isComposing: true }), nowhere)).toBeUndefined();
  expect(keyFromPress(press('k', { defaultPrevented: true }), nowhere)).toBeUndefined();
});

test('nothing is taken while somebody types or a dialog is open', () => {
  const typing = around((selector) => selector.includes('textarea'));
  expect(keyFromPress(press('j'), typing)).toBeUndefined();
  expect(keyFromPress(press('?', { shiftKey: true }), typing)).toBeUndefined();
  expect(
    keyFromPress(
      press('j'),
      around(() => false, true),
    ),
  ).toBeUndefined();
});

test('Enter belongs to the button that has the focus', () => {
  const onButton = around((selector) => selector.includes('button, summary'));
  expect(keyFromPress(press('Enter'), onButton)).toBeUndefined();
  expect(keyFromPress(press('Enter'), nowhere)).toBe('Enter');
  expect(keyFromPress(press('a'), onButton)).toBe('a');
});

test('a key held down moves on, and decides once', () => {
  expect(keyFromPress(press('j', { repeat: true }), nowhere)).toBe('j');
  expect(keyFromPress(press('a', { repeat: true }), nowhere)).toBeUndefined();
});

test('the page goes before what holds everywhere, and gives it back when it leaves', () => {
  const keyboard = createLetterKeyboard();
  const said: string[] = [];
  const leave = keyboard.declare({
    place: 'page',
    words: 'Find here',
    keys: { '/': () => said.push('page'), x: undefined },
  });
  keyboard.declare({
    place: 'everywhere',
    words: 'Search',
    keys: { '/': () => said.push('shell') },
  });
  expect(keyboard.press('/')).toBe(true);
  expect(keyboard.press('x')).toBe(false);
  expect(keyboard.list().map(({ words }) => words)).toEqual(['Find here', 'Search']);
  leave();
  keyboard.press('/');
  expect(said).toEqual(['page', 'shell']);
});

test('keys are shown as they stand on the keyboard', () => {
  const act = () => {};
  expect(keyLabels({ j: act, k: act })).toEqual(['J', 'K']);
  expect(keyLabels({ '1': act, '2': act, '3': act, Enter: act, a: undefined })).toEqual([
    '1–3',
    '⏎',
  ]);
});
