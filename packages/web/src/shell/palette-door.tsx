// The palette costs nothing until somebody wants it: the first Ctrl K or press of its button loads it.
import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useCallback, useState } from 'react';

const loading = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await loading()).Palette }));

export function usePalette() {
  const [wanted, setWanted] = useState(false);
  const open = useCallback(() => {
    setWanted(true);
    void loading().then(({ openPalette }) => openPalette());
  }, []);
  // Once it is there it listens for itself.
  useHotkeys(wanted ? [] : [['mod+K', open]], []);
  const ready = useCallback(() => void loading().then(({ openPalette }) => openPalette()), []);
  const palette = wanted && (
    <Suspense>
      <Palette onReady={ready} />
    </Suspense>
  );
  return { open, palette };
}
