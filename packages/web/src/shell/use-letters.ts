// Whether letter keys are on, for components that show them or switch them.
import { useSyncExternalStore } from 'react';
import { lettersAreOn, onLettersSwitched } from './letter-keys.ts';

export const useLettersAreOn = (): boolean => useSyncExternalStore(onLettersSwitched, lettersAreOn);
