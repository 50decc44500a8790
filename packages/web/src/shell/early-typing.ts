// Buffers what is typed after the palette was opened and before its field exists. Invariant: meanwhile no key reaches
// the page, where it could approve something, and none is lost.

/** The fields of a `KeyboardEvent` that are used. */
export type KeyStroke = Pick<
  KeyboardEvent,
  'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing'
>;

export interface TypedAhead {
  readonly text: string;
  /** Enter was pressed, which selects the first entry; later keys are ignored. */
  readonly isChosen: boolean;
}

export const NOTHING_TYPED: TypedAhead = { text: '', isChosen: false };

/** Undefined for keys with another meaning: browser shortcuts, Tab, Escape. */
export function applyStroke(typed: TypedAhead, stroke: KeyStroke): TypedAhead | undefined {
  const { key } = stroke;
  if (stroke.ctrlKey || stroke.metaKey || stroke.altKey || stroke.isComposing) return undefined;
  if (key === 'Enter') return { ...typed, isChosen: true };
  if (key !== 'Backspace' && [...key].length !== 1) return undefined;
  if (typed.isChosen) return typed;
  return { ...typed, text: key === 'Backspace' ? typed.text.slice(0, -1) : typed.text + key };
}

/** The longest time that keys are kept from the page, whatever happens to the palette. */
const PATIENCE_MS = 3_000;

let typed: TypedAhead | null = null;
let isThere = false;
let patience: ReturnType<typeof setTimeout> | undefined;

const listen = (event: KeyboardEvent): void => {
  if (event.key === 'Escape') {
    stopBuffering();
    return;
  }
  const next = applyStroke(typed ?? NOTHING_TYPED, event);
  if (next === undefined) return;
  typed = next;
  event.preventDefault();
  event.stopImmediatePropagation();
};

export function bufferTyping(): void {
  if (isThere) return;
  typed ??= NOTHING_TYPED;
  addEventListener('keydown', listen, { capture: true });
  addEventListener('pointerdown', stopBuffering, { capture: true });
}

/** The palette's code is loaded: its field must follow. */
export function expectPaletteField(): void {
  clearTimeout(patience);
  patience = setTimeout(stopBuffering, PATIENCE_MS);
}

/** The field has the focus and receives keys itself. */
export const hasPaletteField = (): boolean => isThere;

export function onPaletteClosed(): void {
  isThere = false;
  stopBuffering();
}

/** The palette does not open, or the owner turned to something else. */
export function stopBuffering(): void {
  typed = null;
  clearTimeout(patience);
  removeEventListener('keydown', listen, { capture: true });
  removeEventListener('pointerdown', stopBuffering, { capture: true });
}

/** Types the buffered keys into the focused field. */
export function flushTypingInto(field: HTMLInputElement): void {
  const { text, isChosen } = typed ?? NOTHING_TYPED;
  isThere = true;
  stopBuffering();
  if (text !== '') {
    field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end');
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
  // Selects the first entry once the matches are shown.
  const enter = { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true };
  if (isChosen) setTimeout(() => field.dispatchEvent(new KeyboardEvent('keydown', enter)));
}
