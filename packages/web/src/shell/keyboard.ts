// Letter keys, without a browser: who declared which, and whether a press means one of them. Invariant: a press that
// may be meant for a field, a dialog or the browser is never taken.

/** What a key does; one that cannot be done right now is left out. */
export type Keys = Readonly<Record<string, (() => void) | undefined>>;

/** What the page at hand declares goes before what holds everywhere. */
export type Place = 'page' | 'everywhere';

export interface Declared {
  readonly place: Place;
  /** For the list behind `?`. */
  readonly words: string;
  readonly keys: Keys;
}

/** As much of a `KeyboardEvent` as is looked at. */
export interface Press {
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
export interface Around {
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
export function keyOf(press: Press, around: Around): string | undefined {
  if (press.ctrlKey || press.metaKey || press.altKey) return undefined;
  if (press.isComposing || press.defaultPrevented) return undefined;
  const key = named(press);
  if (press.shiftKey && /^[a-z0-9]$|^.{2,}$/.test(key)) return undefined;
  if (press.repeat && !MAY_REPEAT.has(key)) return undefined;
  if (around.isIn(TAKES_LETTERS) || around.hasDialog()) return undefined;
  if ((key === 'Enter' || key === ' ') && around.isIn(TAKES_ENTER)) return undefined;
  return key;
}

function named({ key, code }: Press): string {
  if (key.length > 1) return key;
  // On a keyboard of another script the letter is where it is on ours.
  const isOurs = (key.codePointAt(0) ?? 0) < 128;
  return (isOurs ? key : (/^Key([A-Z])$/.exec(code)?.[1] ?? key)).toLowerCase();
}

export interface Keyboard {
  declare(declared: Declared): () => void;
  /** Does what was declared for it; false if nobody wants it. */
  press(key: string): boolean;
  list(): readonly Declared[];
}

export function createKeyboard(): Keyboard {
  const all = new Set<Declared>();
  const of = (place: Place) => [...all].filter((declared) => declared.place === place);
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

const SIGNS: Readonly<Record<string, string>> = {
  Enter: '⏎',
  Escape: 'Esc',
  ' ': 'Space',
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
};

/** As they are shown: `J` `K`, and digits in a row as one. */
export function shown(keys: Keys): readonly string[] {
  const names = Object.keys(keys).filter((key) => keys[key] !== undefined);
  const digits = names.filter((key) => /^\d$/.test(key));
  const others = names.filter((key) => !/^\d$/.test(key));
  const row = digits.length > 2 ? [`${digits[0]}–${digits.at(-1)}`] : digits;
  return [...row, ...others.map((key) => SIGNS[key] ?? key.toUpperCase())];
}
