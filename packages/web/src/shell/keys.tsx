// Letter keys for components: a page declares its own with `useKeys`, the shell listens once and lists them behind `?`.
// Each key also has a button or a link: it is never the only way.
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useEffectEvent, useLayoutEffect } from 'react';
import { loadWhenReachable } from '../data/lazy-load.ts';
import { t } from '../i18n.ts';
import { showDialog } from './dialog.tsx';
import {
  areLetterKeysOn,
  createLetterKeyboard,
  type KeyBindings,
  type KeyScope,
  keyFromPress,
  useAreLetterKeysOn,
} from './keyboard.ts';

const keyboard = createLetterKeyboard();

/**
 * Declares letter keys while the component is mounted: `useKeys({ j: next, k: previous }, t('approvals.keys.move'))`.
 * A key by its name (`a`, `1`, `/`, `Enter`); one that is `undefined` is neither handled nor listed.
 */
export function useKeys(keys: KeyBindings, description: string, scope: KeyScope = 'page'): void {
  const names = Object.keys(keys)
    .filter((key) => keys[key] !== undefined)
    .join('\n');
  const press = useEffectEvent((key: string) => keys[key]?.());
  // A layout effect: a key works as soon as its button is on screen.
  useLayoutEffect(() => {
    if (names === '') return;
    const acts = names.split('\n').map((key) => [key, () => press(key)] as const);
    return keyboard.declare({ scope, description, keys: Object.fromEntries(acts) });
  }, [names, description, scope]);
}

/** The key of a button, beside its label; the button has `aria-keyshortcuts` for screen readers. */
export function KeyHint({ children }: { readonly children: string }) {
  return useAreLetterKeysOn() && <kbd aria-hidden>{children}</kbd>;
}

export const loadKeysList = () => loadWhenReachable(() => import('./keys-list.tsx'));
const KeysList = lazy(async () => ({ default: (await loadKeysList()).KeysList }));

export const openKeysList = (): void => {
  const declared = keyboard.list();
  showDialog({
    title: t('common.keys.title'),
    children: (
      <Suspense>
        <KeysList declared={declared} />
      </Suspense>
    ),
  });
};

/** Used once, in the shell. */
export function useLetterKeyboard(): void {
  const navigate = useNavigate();
  // Focuses the field once the page is there: this key means that the owner wants to type.
  const search = async () => {
    await navigate({ to: '/search' });
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>('#main [type=search]')?.focus(),
    );
  };
  useKeys({ '/': () => void search() }, t('common.keys.search'), 'everywhere');
  useKeys({ '?': openKeysList }, t('common.keys.list'), 'everywhere');
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!areLetterKeysOn()) return;
      const focused = event.target instanceof Element ? event.target : null;
      const key = keyFromPress(event, {
        isIn: (selector) => focused !== null && focused.closest(selector) !== null,
        hasDialog: () =>
          document.querySelector('dialog[open], [role=dialog], [role=alertdialog]') !== null,
      });
      if (key !== undefined && keyboard.press(key)) event.preventDefault();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}
