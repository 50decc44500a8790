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

test('recognizes a declared letter with caps lock and on another script', () => {
  expect(keyFromPress(press('j'), nowhere)).toBe('j');
  expect(keyFromPress(press('J'), nowhere)).toBe('j');
  expect(keyFromPress(press('о', { code: 'KeyJ' }), nowhere)).toBe('j');
  expect(keyFromPress(press('?', { shiftKey: true }), nowhere)).toBe('?');
  expect(keyFromPress(press('/', { shiftKey: true, code: 'Digit7' }), nowhere)).toBe('/');
});

test('ignores keys that may be meant for the browser', () => {
  for (const modifier of ['ctrlKey', 'metaKey', 'altKey', 'shiftKey'] as const) {
    expect(keyFromPress(press('k', { [modifier]: true }), nowhere)).toBeUndefined();
  }
  expect(keyFromPress(press('k', { isComposing: true }), nowhere)).toBeUndefined();
  expect(keyFromPress(press('k', { defaultPrevented: true }), nowhere)).toBeUndefined();
});

test('ignores keys while somebody types or a dialog is open', () => {
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

test('leaves Enter to the focused button', () => {
  const onButton = around((selector) => selector.includes('button, summary'));
  expect(keyFromPress(press('Enter'), onButton)).toBeUndefined();
  expect(keyFromPress(press('Enter'), nowhere)).toBe('Enter');
  expect(keyFromPress(press('a'), onButton)).toBe('a');
});

test('repeats movements of a held key but decides only once', () => {
  expect(keyFromPress(press('j', { repeat: true }), nowhere)).toBe('j');
  expect(keyFromPress(press('a', { repeat: true }), nowhere)).toBeUndefined();
});

test('prefers keys of the page over global ones and restores those when the page is left', () => {
  const keyboard = createLetterKeyboard();
  const said: string[] = [];
  const leave = keyboard.declare({
    scope: 'page',
    description: 'Find here',
    keys: { '/': () => said.push('page'), x: undefined },
  });
  keyboard.declare({
    scope: 'everywhere',
    description: 'Search',
    keys: { '/': () => said.push('shell') },
  });
  expect(keyboard.press('/')).toBe(true);
  expect(keyboard.press('x')).toBe(false);
  expect(keyboard.list().map(({ description }) => description)).toEqual(['Find here', 'Search']);
  leave();
  keyboard.press('/');
  expect(said).toEqual(['page', 'shell']);
});

test('shows keys as labelled on the keyboard', () => {
  const act = () => {};
  expect(keyLabels({ j: act, k: act })).toEqual(['J', 'K']);
  expect(keyLabels({ '1': act, '2': act, '3': act, Enter: act, a: undefined })).toEqual([
    '1–3',
    '⏎',
  ]);
});
