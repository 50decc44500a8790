// What is typed after the palette was asked for and before its field is there. Whoever knows the palette types on
// without looking. Invariant: meanwhile no letter reaches the page, where it could be a yes, and none is lost.

/** As much of a `KeyboardEvent` as is looked at. */
export type KeyStroke = Pick<
  KeyboardEvent,
  'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing'
>;

export interface TypedAhead {
  readonly text: string;
  /** Enter was pressed, which chooses what stands first; what comes after it counts no more. */
  readonly isChosen: boolean;
}

export const NOTHING_TYPED: TypedAhead = { text: '', isChosen: false };

/** Undefined for a stroke that means something else: the browser's own, Tab, Escape. */
export function applyStroke(typed: TypedAhead, stroke: KeyStroke): TypedAhead | undefined {
  const { key } = stroke;
  if (stroke.ctrlKey || stroke.metaKey || stroke.altKey || stroke.isComposing) return undefined;
  if (key === 'Enter') return { ...typed, isChosen: true };
  if (key !== 'Backspace' && [...key].length !== 1) return undefined;
  if (typed.isChosen) return typed;
  return { ...typed, text: key === 'Backspace' ? typed.text.slice(0, -1) : typed.text + key };
}

/** A page is never left without its keys for longer, whatever became of the palette. */
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

/** Its code is there: the field has to follow. */
export function expectPaletteField(): void {
  clearTimeout(patience);
  patience = setTimeout(stopBuffering, PATIENCE_MS);
}

/** It has the focus, and takes what is typed by itself. */
export const hasPaletteField = (): boolean => isThere;

export function onPaletteClosed(): void {
  isThere = false;
  stopBuffering();
}

/** The palette does not come, or somebody turned to something else. */
export function stopBuffering(): void {
  typed = null;
  clearTimeout(patience);
  removeEventListener('keydown', listen, { capture: true });
  removeEventListener('pointerdown', stopBuffering, { capture: true });
}

/** Into the field that has the focus now, as if it had been typed there. */
export function flushTypingInto(field: HTMLInputElement): void {
  const { text, isChosen } = typed ?? NOTHING_TYPED;
  isThere = true;
  stopBuffering();
  if (text !== '') {
    field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end');
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
  // The first is chosen once what fits stands there.
  const enter = { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true };
  if (isChosen) setTimeout(() => field.dispatchEvent(new KeyboardEvent('keydown', enter)));
}
