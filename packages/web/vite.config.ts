// The console is served under a strict content policy: nothing inline, everything from itself. The nonce is a
// placeholder that the daemon fills in anew for every page it hands out.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PAGE_NONCE } from '@relay/core/console/pages';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

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

const HOME = 'src/pages/home/home.tsx';
const FONT = /inter-latin-opsz-normal[^/]*\.woff2$/;

/** Home and the letters it is written in are on their way while the first script is still being read. */
const ahead = (): Plugin => ({
  name: 'relay:ahead',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const home = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(HOME));
      if (home === undefined) throw new Error(`There is no ${HOME} in the build.`);
      const scripts = [home.fileName, ...home.imports].filter((name) => !html.includes(name));
      const fonts = Object.keys(bundle).filter((name) => FONT.test(name));
      const link = (name: string, attrs: Record<string, string>) => ({
        tag: 'link',
        attrs: { ...attrs, crossorigin: '', href: `/${name}` },
        injectTo: 'head' as const,
      });
      return [
        ...scripts.map((name) => link(name, { rel: 'modulepreload' })),
        ...fonts.map((name) => link(name, { rel: 'preload', as: 'font', type: 'font/woff2' })),
      ];
    },
  },
});

export default defineConfig({
  plugins: [react(), ahead(), compressed()],
  html: { cspNonce: PAGE_NONCE },
  build: {
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
  },
});
