// Letter keys, independent of the browser: which are declared, and whether a key press means one of them. Invariant: a
// press that may be meant for a field, a dialog or the browser is never used.
import { useSyncExternalStore } from 'react';

/** The action of each key; undefined if it is not possible right now. */
export type KeyBindings = Readonly<Record<string, (() => void) | undefined>>;

/** Keys of the current page take precedence over global ones. */
export type KeyScope = 'page' | 'everywhere';

export interface DeclaredKeys {
  readonly scope: KeyScope;
  /** For the list behind `?`. */
  readonly description: string;
  readonly keys: KeyBindings;
}

/** The fields of a `KeyboardEvent` that are used. */
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

/** Where a key press happens. */
export interface FocusContext {
  /** Whether the focused element matches. */
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

/** Only movements repeat while a key is held: a decision never runs twice. */
const MAY_REPEAT = new Set(['j', 'k', 'ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight']);

/** The declared key, whatever the layout; undefined for a press with another meaning. */
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
  // On a keyboard with another script, uses the position of the key.
  const isOurs = (key.codePointAt(0) ?? 0) < 128;
  return (isOurs ? key : (/^Key([A-Z])$/.exec(code)?.[1] ?? key)).toLowerCase();
}

interface LetterKeyboard {
  declare(declared: DeclaredKeys): () => void;
  /** Runs the action of the key; false if there is none. */
  press(key: string): boolean;
  list(): readonly DeclaredKeys[];
}

export function createLetterKeyboard(): LetterKeyboard {
  const all = new Set<DeclaredKeys>();
  const of = (scope: KeyScope) => [...all].filter((declared) => declared.scope === scope);
  return {
    declare(declared) {
      all.add(declared);
      return () => all.delete(declared);
    },
    press(key) {
      // The last one declared wins.
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
  ' ': '␣',
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
};

/** As displayed: `J` `K`, and a series of digits as one. */
export function keyLabels(keys: KeyBindings): readonly string[] {
  const names = Object.keys(keys).filter((key) => keys[key] !== undefined);
  const digits = names.filter((key) => /^\d$/.test(key));
  const others = names.filter((key) => !/^\d$/.test(key));
  const row = digits.length > 2 ? [`${digits[0]}–${digits.at(-1)}`] : digits;
  return [...row, ...others.map((key) => KEY_SIGNS[key] ?? key.toUpperCase())];
}

// Whether letter keys are on in this browser. People who use voice control or press keys by accident can switch them
// off (WCAG 2.1.4); the choice applies to all tabs.

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

// The hook for components that show letter keys or switch them.

export const useAreLetterKeysOn = (): boolean =>
  useSyncExternalStore(onLetterKeysChange, areLetterKeysOn);

// The name of the command key on this machine.

export const COMMAND_KEY = navigator.userAgent.includes('Mac') ? '⌘ K' : 'Ctrl K';
