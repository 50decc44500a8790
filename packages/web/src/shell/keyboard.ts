// Letter keys, without a browser: who declared which, and whether a press means one of them. Invariant: a press that
// may be meant for a field, a dialog or the browser is never taken.
import { useSyncExternalStore } from 'react';

/** What a key does; one that cannot be done right now is left out. */
export type KeyBindings = Readonly<Record<string, (() => void) | undefined>>;

/** What the page at hand declares goes before what holds everywhere. */
export type KeyScope = 'page' | 'everywhere';

export interface DeclaredKeys {
  readonly place: KeyScope;
  /** For the list behind `?`. */
  readonly words: string;
  readonly keys: KeyBindings;
}

/** As much of a `KeyboardEvent` as is looked at. */
export interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly repeat: boolean;
  readonly isComposing: boolean;
  readonly defaultPrevented: boolean;
}

/** Where a press happens. */
export interface FocusContext {
  /** Whether what has the focus matches. */
  isIn(selector: string): boolean;
  hasDialog(): boolean;
}

const TAKES_LETTERS = [
  'input:not([type=checkbox],[type=radio],[type=button],[type=submit],[type=reset],[type=range])',
  'textarea',
  'select',
  '[contenteditable]:not([contenteditable=false])',
  ...['textbox', 'combobox', 'listbox', 'menu', 'tree'].map((role) => `[role=${role}]`),
].join();
const TAKES_ENTER = 'a, button, summary, input, [role=button], [role=tab], [role=option]';

/** Held down, only a movement goes on: nobody says yes twice by a slow finger. */
const MAY_REPEAT = new Set(['j', 'k', 'ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight']);

/** The key as it is declared, whatever the layout; nothing for one that belongs to somebody else. */
export function keyFromPress(press: KeyPress, around: FocusContext): string | undefined {
  if (press.ctrlKey || press.metaKey || press.altKey) return undefined;
  if (press.isComposing || press.defaultPrevented) return undefined;
  const key = declaredKeyName(press);
  if (press.shiftKey && /^[a-z0-9]$|^.{2,}$/.test(key)) return undefined;
  if (press.repeat && !MAY_REPEAT.has(key)) return undefined;
  if (around.isIn(TAKES_LETTERS) || around.hasDialog()) return undefined;
  if ((key === 'Enter' || key === ' ') && around.isIn(TAKES_ENTER)) return undefined;
  return key;
}

function declaredKeyName({ key, code }: KeyPress): string {
  if (key.length > 1) return key;
  // On a keyboard of another script the letter is where it is on ours.
  const isOurs = (key.codePointAt(0) ?? 0) < 128;
  return (isOurs ? key : (/^Key([A-Z])$/.exec(code)?.[1] ?? key)).toLowerCase();
}

interface LetterKeyboard {
  declare(declared: DeclaredKeys): () => void;
  /** Does what was declared for it; false if nobody wants it. */
  press(key: string): boolean;
  list(): readonly DeclaredKeys[];
}

export function createLetterKeyboard(): LetterKeyboard {
  const all = new Set<DeclaredKeys>();
  const of = (place: KeyScope) => [...all].filter((declared) => declared.place === place);
  return {
    declare(declared) {
      all.add(declared);
      return () => all.delete(declared);
    },
    press(key) {
      // The last who asked stands above the others.
      const asked = [...of('everywhere'), ...of('page')];
      const act = asked.findLast(({ keys }) => keys[key] !== undefined)?.keys[key];
      act?.();
      return act !== undefined;
    },
    list: () => [...of('page'), ...of('everywhere')],
  };
}

const KEY_SIGNS: Readonly<Record<string, string>> = {
  Enter: '⏎',
  Escape: 'Esc',
  ' ': 'Space',
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
};

/** As they are shown: `J` `K`, and digits in a row as one. */
export function keyLabels(keys: KeyBindings): readonly string[] {
  const names = Object.keys(keys).filter((key) => keys[key] !== undefined);
  const digits = names.filter((key) => /^\d$/.test(key));
  const others = names.filter((key) => !/^\d$/.test(key));
  const row = digits.length > 2 ? [`${digits[0]}–${digits.at(-1)}`] : digits;
  return [...row, ...others.map((key) => KEY_SIGNS[key] ?? key.toUpperCase())];
}

// Whether letter keys are on in this browser. Whoever speaks to the computer, or presses keys by accident, can switch
// them off (WCAG 2.1.4); the choice holds in every tab.

const LETTER_KEYS_STORAGE = 'relay.letter-keys';
const listeners = new Set<() => void>();

export const areLetterKeysOn = (): boolean => localStorage.getItem(LETTER_KEYS_STORAGE) !== 'off';

export function setLetterKeysOn(on: boolean): void {
  if (on) localStorage.removeItem(LETTER_KEYS_STORAGE);
  else localStorage.setItem(LETTER_KEYS_STORAGE, 'off');
  for (const listener of listeners) listener();
}

function onLetterKeysChange(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

// Whether letter keys are on, for components that show them or switch them.

export const useAreLetterKeysOn = (): boolean =>
  useSyncExternalStore(onLetterKeysChange, areLetterKeysOn);

// The key of commands as this machine writes it.

export const COMMAND_KEY = navigator.userAgent.includes('Mac') ? '⌘ K' : 'Ctrl K';
