// The console's build, for a strict content security policy: nothing inline, everything from its own origin. The nonce
// is a placeholder that the daemon replaces for every page it serves.

import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import {
  convertCssVariables,
  DEFAULT_THEME,
  deepMerge,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from '@mantine/core';
import { PAGE_NONCE } from '@relay/core/console/pages';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, transformWithOxc } from 'vite';
import { cssVariables, theme } from './src/theme/theme.ts';

const VARIABLES = 'virtual:variables.css';

/** The theme variables that Mantine's provider would compute in the page at every start. */
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

const CATALOGUE = /\/src\/locales\/[^/]+\/[^/]+\.json$/;

/** Compiles the texts, so that the page needs no parser for them. */
const texts = (): Plugin => ({
  name: 'relay:texts',
  apply: 'build',
  enforce: 'pre',
  transform(code, id) {
    if (!CATALOGUE.test(id)) return undefined;
    const messages = Object.entries(JSON.parse(code) as Record<string, string>);
    return JSON.stringify(
      Object.fromEntries(messages.map(([key, text]) => [key, compileMessageOrThrow(text)])),
    );
  },
});

const MANTINE = fileURLToPath(import.meta.resolve('@mantine/core/styles.css'));

const DRAWN = /\.(m_[0-9a-f]{5,8})\b/g;
const drawnBy = (css: string) => new Set(Array.from(css.matchAll(DRAWN), ([, name = '']) => name));

/** Fails the build if a Mantine component is used whose styles `theme/components.css` does not list. */
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
 * Almost all of the first script is needed at once. With this hint V8 compiles all of it off the main thread while it
 * loads, instead of each function on the main thread at its first call.
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

const WORKER = fileURLToPath(new URL('src/pages/push/service-worker.ts', import.meta.url));
const WORKER_PATH = '/service-worker.js';

/** The service worker with its texts in every language: one file without imports, because not every browser knows them. */
async function serviceWorker(): Promise<string> {
  const locales = globSync('src/locales/*/push.json', { cwd: import.meta.dirname });
  const texts = Object.fromEntries(
    locales.map((path) => [
      basename(dirname(path)),
      JSON.parse(readFileSync(join(import.meta.dirname, path), 'utf8')),
    ]),
  );
  const { code } = await transformWithOxc(readFileSync(WORKER, 'utf8'), WORKER);
  // It imports only types, but is transformed as a module; a browser loads it as a plain script.
  return `const __TEXTS__ = ${JSON.stringify(texts)};\n${code.replace(/^export \{\s*\};$/m, '')}`;
}

const worker = (): Plugin => ({
  name: 'relay:worker',
  async generateBundle() {
    const fileName = WORKER_PATH.slice(1);
    this.emitFile({ type: 'asset', fileName, source: await serviceWorker() });
  },
  configureServer(server) {
    server.middlewares.use(WORKER_PATH, (_request, response) => {
      void serviceWorker().then((code) =>
        response.setHeader('content-type', 'text/javascript').end(code),
      );
    });
  },
});

const FONT = /inter-latin-opsz-normal[^/]*\.woff2$/;

/** Preloads the fonts while the first script is still being compiled. */
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
  plugins: [react(), variables(), texts(), ahead(), dressed(), readAtOnce(), worker()],
  html: { cspNonce: PAGE_NONCE },
  build: {
    license: { fileName: 'licences.md' },
    assetsInlineLimit: 0,
    // The size of the first page is checked after compression, by the script that measures it.
    chunkSizeWarningLimit: 700,
    modulePreload: { polyfill: false },
    target: 'es2023',
    // The first page's code in one file: forty small ones would load more slowly.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } },
    },
  },
});
