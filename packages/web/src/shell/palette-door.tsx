// The palette costs nothing until somebody wants it: the first Ctrl K or press of its button loads it. What is typed
// until its field is there is kept for it.
import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useCallback, useState } from 'react';
import { expectField, keepTyping, letGo } from './early-typing.ts';

const loading = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await loading()).Palette }));

export function usePalette() {
  const [wanted, setWanted] = useState(false);
  const open = useCallback(() => {
    keepTyping();
    setWanted(true);
    void loading().then(({ openPalette }) => {
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
