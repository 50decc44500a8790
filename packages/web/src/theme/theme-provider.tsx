// Mantine's provider, assembled from its parts: its own computes about a hundred theme variables at every start and
// writes them into the page. Ours never change, so the build writes them into the stylesheet (`vite.config.ts`).
import {
  DirectionProvider,
  localStorageColorSchemeManager,
  MantineContext,
  MantineThemeProvider,
  useProviderColorScheme,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { theme } from './theme.ts';

const schemes = localStorageColorSchemeManager({ key: 'relay-colour-scheme' });
const getRootElement = () => document.documentElement;

/** Set with the language before the first render; another language loads the page again. */
const pageDirection = () => (document.documentElement.dir === 'rtl' ? 'rtl' : 'ltr');

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
    <DirectionProvider initialDirection={pageDirection()} detectDirection={false}>
      <MantineContext value={context}>
        <MantineThemeProvider theme={theme}>{children}</MantineThemeProvider>
      </MantineContext>
    </DirectionProvider>
  );
}

// The nonce of the page: styles that Mantine writes into the page need it, and nothing else may be written there.

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

const styleNonce = (): string => nonce;

/** The scroll lock behind dialogs reads it under this name. */
Object.assign(globalThis, { __webpack_nonce__: nonce });
