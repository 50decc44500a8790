// The site: what is in docs/ and the pages at the root of the repository, searchable, without anything from outside.
// Invariant: `npm run docs` fails on a link that leads nowhere.
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitepress';
import { asInTheRepository, decisions, FILES, POLICY, REWRITES, ROOT } from './pages.ts';

const page = (text: string, name: string) => ({ text, link: `/docs/${name}` });

export default defineConfig({
  title: 'Relay',
  description: "AI agents on WhatsApp, under their owner's control.",
  lang: 'en',
  head: [['meta', { 'http-equiv': 'Content-Security-Policy', content: POLICY }]],
  srcDir: '..',
  srcExclude: ['!(docs)/**/*'],
  rewrites: { ...REWRITES },
  outDir: '../dist-docs',
  cacheDir: '../node_modules/.cache/vitepress',
  markdown: { html: false, config: asInTheRepository },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Relay', link: '/' },
      page('Console', 'console'),
      page('Operations', 'operations'),
      page('Decisions', 'decisions/'),
    ],
    sidebar: [
      {
        text: 'Start',
        items: [{ text: 'Relay', link: '/' }],
      },
      {
        text: 'What it does',
        items: [
          page('Console', 'console'),
          page('Conversations', 'conversations'),
          page('People', 'people'),
          page('Assistant', 'assistant'),
          page('Schedules', 'schedules'),
          page('Groups', 'observer'),
          page('Memory', 'memory'),
          page('Ledger', 'ledger'),
          page('Privacy', 'privacy'),
        ],
      },
      {
        text: 'For programs',
        items: [
          page('Tokens', 'tokens'),
          page('MCP', 'mcp'),
          page('Client', 'client'),
          page('Webhooks', 'webhooks'),
        ],
      },
      {
        text: 'Operations',
        items: [page('Running it', 'operations'), { text: 'Security', link: '/SECURITY' }],
      },
      {
        text: 'Building it',
        collapsed: true,
        items: [
          { text: 'Architecture', link: '/ARCHITECTURE' },
          { text: 'Contributing', link: '/CONTRIBUTING' },
          page('Simulator', 'simulator'),
          page('Dependencies', 'dependencies'),
          { text: 'Changes', link: '/CHANGELOG' },
        ],
      },
      { text: 'Decisions', collapsed: true, items: decisions() },
    ],
  },
  async buildEnd({ outDir }) {
    for (const file of FILES) {
      await mkdir(dirname(join(outDir, file)), { recursive: true });
      await copyFile(join(ROOT, file), join(outDir, file));
    }
  },
});
