// The console is served under a strict content policy: nothing inline, everything from itself. The nonce is a
// placeholder that the daemon fills in anew for every page it hands out.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import {
  convertCssVariables,
  DEFAULT_THEME,
  deepMerge,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from '@mantine/core';
import { PAGE_NONCE } from '@relay/core/console/pages';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { cssVariables, theme } from './src/theme/theme.ts';

const VARIABLES = 'virtual:variables.css';

/** What Mantine's provider would work out in the page at every start: the variables of our theme. */
const variables = (): Plugin => ({
  name: 'relay:variables',
  resolveId: (id) => (id === VARIABLES ? `\0${VARIABLES}` : undefined),
  load(id) {
    if (id !== `\0${VARIABLES}`) return undefined;
    const whole = mergeMantineTheme(DEFAULT_THEME, theme);
    const all = deepMerge(defaultCssVariablesResolver(whole), cssVariables(whole));
    const schemes = { '--mantine-color-scheme': 'dark' };
    return convertCssVariables(
      deepMerge(all, { dark: schemes, light: { '--mantine-color-scheme': 'light' } }),
      ':root',
    );
  },
});

const MANTINE = fileURLToPath(import.meta.resolve('@mantine/core/styles.css'));

/** Beside each file that shrinks, as the daemon hands it out to whoever can read it. */
const compressed = (): Plugin => ({
  name: 'relay:compressed',
  apply: 'build',
  writeBundle({ dir = '' }, bundle) {
    for (const name of Object.keys(bundle)) {
      if (!/\.(js|css|svg)$/.test(name)) continue;
      const file = join(dir, name);
      writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
    }
  },
});

const DRAWN = /\.(m_[0-9a-f]{5,8})\b/g;
const drawnBy = (css: string) => new Set(Array.from(css.matchAll(DRAWN), ([, name = '']) => name));

/** A component of Mantine's that is used and whose styles `theme/components.css` does not name would stand there bare. */
const dressed = (): Plugin => ({
  name: 'relay:dressed',
  apply: 'build',
  generateBundle(_options, bundle) {
    const files = Object.values(bundle);
    const scripts = files.flatMap((file) => (file.type === 'chunk' ? [file.code] : [])).join('\n');
    const styles = files.flatMap((file) =>
      file.type === 'asset' && file.fileName.endsWith('.css') ? [String(file.source)] : [],
    );
    const ours = drawnBy(styles.join('\n'));
    for (const name of drawnBy(readFileSync(MANTINE, 'utf8'))) {
      if (scripts.includes(name) && !ours.has(name)) {
        throw new Error(`theme/components.css lacks the styles of Mantine's .${name}.`);
      }
    }
  },
});

/**
 * Almost all of the first script is needed at once. Told so, V8 reads all of it beside the page while it arrives, in
 * place of each function in the page when it is first called.
 */
const readAtOnce = (): Plugin => ({
  name: 'relay:read-at-once',
  apply: 'build',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === 'chunk' && file.isEntry)
        file.code = `//# allFunctionsCalledOnLoad\n${file.code}`;
    }
  },
});

const FONT = /inter-latin-opsz-normal[^/]*\.woff2$/;

/** The letters are on their way while the first script is still being read. */
const ahead = (): Plugin => ({
  name: 'relay:ahead',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((name) => FONT.test(name))
        .map((name) => ({
          tag: 'link',
          attrs: {
            rel: 'preload',
            as: 'font',
            type: 'font/woff2',
            crossorigin: '',
            href: `/${name}`,
          },
          injectTo: 'head',
        })),
  },
});

export default defineConfig({
  plugins: [react(), variables(), ahead(), dressed(), readAtOnce(), compressed()],
  html: { cspNonce: PAGE_NONCE },
  build: {
    license: { fileName: 'licences.md' },
    assetsInlineLimit: 0,
    // What the first page may weigh is judged where it is compressed, by the script that counts it.
    chunkSizeWarningLimit: 700,
    modulePreload: { polyfill: false },
    target: 'es2023',
    // Whatever the first page needs in one file: forty small ones would each cost the page a turn.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } },
    },
  },
});
