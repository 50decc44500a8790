// Follows plain links without leaving the page: one listener for all that stand within it. A link that watches the
// router costs more than the card it stands on, and there are hundreds.
import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, useCallback } from 'react';

/** For links with an address of the console's own; with a modifier the browser does as it is told. */
export function useFollow() {
  const { history } = useRouter();
  return useCallback(
    (event: MouseEvent) => {
      const address = (event.target as Element).closest('a')?.getAttribute('href');
      const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
      if (!address || !isPlain || event.button !== 0 || event.defaultPrevented) return;
      event.preventDefault();
      history.push(address);
    },
    [history],
  );
}
