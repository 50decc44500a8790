// The palette is no part of the first page: the first Ctrl K or press of its button loads it, or the page once it is at
// rest. What is typed until its field is there is kept for it.
import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useCallback, useState } from 'react';
import { expectField, keepTyping, letGo } from './early-typing.ts';

export const loadPalette = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));

export function usePalette() {
  const [wanted, setWanted] = useState(false);
  const open = useCallback(() => {
    keepTyping();
    // What Relay does not give right now is not waited for: until then no key would reach the page.
    void loadPalette().then(({ openPalette }) => {
      setWanted(true);
      openPalette();
      expectField();
    }, letGo);
  }, []);
  useHotkeys([['mod+K', open]], []);
  const palette = wanted && (
    <Suspense>
      <Palette />
    </Suspense>
  );
  return { open, palette };
}
