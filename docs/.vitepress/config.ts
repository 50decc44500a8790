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
    search: {
      provider: 'local',
      options: {
        // Every word is meant. Without this the page with the most words stands first, whatever was asked.
        miniSearch: {
          searchOptions: {
            combineWith: 'AND',
            fuzzy: 0.1,
            boost: { title: 4, titles: 2, text: 1 },
          },
        },
        // What changed when is no answer to how something is done.
        _render: async (source, env, markdown) => {
          const html = await markdown.renderAsync(source, env);
          return env.relativePath === 'CHANGELOG.md' ? '' : html;
        },
      },
    },
    outline: [2, 3],
    nav: [
      page('Start', 'start'),
      page('Concepts', 'concepts'),
      page('Guides', 'guides/link'),
      page('Reference', 'reference/commands'),
      page('Operations', 'operations'),
      page('Limits', 'limits'),
    ],
    sidebar: [
      {
        text: 'Start',
        items: [
          { text: 'Relay', link: '/' },
          page('Start', 'start'),
          page('Installation', 'install'),
          page('Models', 'models'),
          page('Concepts', 'concepts'),
          page('Glossary', 'glossary'),
          page('Limits', 'limits'),
        ],
      },
      {
        text: 'Guides',
        items: [
          page('Link a phone', 'guides/link'),
          page('Confirm with a WhatsApp passkey', 'guides/link-passkey'),
          page('People and grants', 'guides/people'),
          page('Delegate a conversation', 'guides/delegate'),
          page('Answer with drafts', 'guides/drafts'),
          page('Approve from the console', 'guides/approve'),
          page('Get notified', 'guides/notifications'),
          page('Use the console from your phone', 'guides/phone'),
          page('Read and send messages', 'guides/messages'),
          page('Photos, voice messages and files', 'guides/media'),
          page('Digests of a group', 'guides/digests'),
          page('Search, and why', 'guides/search'),
          page('Use Relay from your own program', 'guides/clients'),
          page('Connect an MCP client', 'guides/mcp'),
          page('Receive events with a webhook', 'guides/webhooks'),
          page('Use Relay in n8n', 'guides/n8n'),
          page('Use Relay in Home Assistant', 'guides/home-assistant'),
          page('Run Relay in containers', 'guides/containers'),
          page('Use your own PostgreSQL', 'guides/postgresql'),
          page('Back up, restore, upgrade', 'guides/backup'),
        ],
      },
      {
        text: 'In depth',
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
        text: 'Reference',
        items: [
          page('Commands', 'reference/commands'),
          page('Configuration', 'configuration'),
          page('Settings', 'reference/settings'),
          page('API', 'api'),
          page('Routes', 'reference/api'),
          page('Error codes', 'reference/errors'),
          page('Tokens', 'tokens'),
          page('MCP', 'mcp'),
          page('TypeScript client', 'client'),
          page('Webhooks', 'webhooks'),
        ],
      },
      {
        text: 'Operations',
        items: [
          page('Operations', 'operations'),
          page('Several accounts', 'accounts'),
          page('Many accounts', 'scale'),
          { text: 'Security', link: '/SECURITY' },
        ],
      },
      {
        text: 'Building it',
        collapsed: true,
        items: [
          { text: 'Architecture', link: '/ARCHITECTURE' },
          page('Internals', 'internals'),
          { text: 'Contributing', link: '/CONTRIBUTING' },
          page('Development', 'development'),
          page('Simulator', 'simulator'),
          page('Dependencies', 'dependencies'),
          { text: 'Changes', link: '/CHANGELOG' },
        ],
      },
      {
        text: 'Decisions',
        collapsed: true,
        items: [page('All of them', 'decisions/'), ...decisions()],
      },
    ],
  },
  async buildEnd({ outDir }) {
    for (const file of FILES) {
      await mkdir(dirname(join(outDir, file)), { recursive: true });
      await copyFile(join(ROOT, file), join(outDir, file));
    }
  },
});
