// Whether letter keys are on in this browser. Whoever speaks to the computer, or presses keys by accident, can switch
// them off (WCAG 2.1.4); the choice holds in every tab.

const KEPT_AS = 'relay.letter-keys';
const listeners = new Set<() => void>();

export const lettersAreOn = (): boolean => localStorage.getItem(KEPT_AS) !== 'off';

export function switchLetters(on: boolean): void {
  if (on) localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, 'off');
  for (const listener of listeners) listener();
}

export function onLettersSwitched(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}
