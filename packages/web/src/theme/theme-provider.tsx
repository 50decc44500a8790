// Mantine's provider, put together of its parts: its own works out some hundred variables of the theme at every start and
// writes them into the page. Ours never change, so the build writes them into the styles (`vite.config.ts`).
import {
  localStorageColorSchemeManager,
  MantineContext,
  MantineThemeProvider,
  useProviderColorScheme,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { theme } from './theme.ts';

const schemes = localStorageColorSchemeManager({ key: 'relay-colour-scheme' });
const getRootElement = () => document.documentElement;

export function ThemeProvider({ children }: { readonly children: ReactNode }) {
  const scheme = useProviderColorScheme({
    manager: schemes,
    defaultColorScheme: 'auto',
    forceColorScheme: undefined,
    getRootElement,
  });
  const context = {
    ...scheme,
    getRootElement,
    classNamesPrefix: 'mantine',
    getStyleNonce: styleNonce,
    cssVariablesSelector: ':root',
    withStaticClasses: true,
  };
  return (
    <MantineContext value={context}>
      <MantineThemeProvider theme={theme}>{children}</MantineThemeProvider>
    </MantineContext>
  );
}

// The nonce that the page was served with: what Mantine writes into the page as styles carries it, and nothing else
// may be written there.

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

const styleNonce = (): string => nonce;

/** By this name the lock of the page's scrolling, behind dialogs, finds it. */
Object.assign(globalThis, { __webpack_nonce__: nonce });
