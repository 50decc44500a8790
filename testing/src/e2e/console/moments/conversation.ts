// Moments of one conversation: its views and the owner's actions.
import type { Page } from 'playwright-core';
import type { Demo } from '../../demo.ts';
import { button, failing, gone, loading, type Moment, type Moments } from './moment.ts';

/** The conversation that needs its owner gets its address only when it exists. */
async function open(page: Page, { relay }: Demo, rest = ''): Promise<void> {
  const asking = await relay.ok<{ id: string; objective: string }[]>(
    'GET',
    '/api/instances?state=NEEDS_HUMAN_INTERVENTION',
  );
  const chosen = asking.find(({ objective }) => objective.startsWith('Kitchen leak'));
  await page.goto(`/conversations/${chosen?.id}${rest}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

const opened = (rest: string, over: Partial<Moment> = {}): Moment => ({
  path: '/conversations',
  scene: 'live',
  reach: (page, demo) => open(page, demo, rest),
  ...over,
});

/** A state that a page is brought into after it was opened. */
const then = (moment: Moment): Moment => ({
  ...moment,
  async reach(page, demo) {
    await open(page, demo);
    await moment.reach(page, demo);
  },
});

export const CONVERSATION: Moments = {
  conversation: opened(''),
  'conversation-plan': opened('?tab=plan', { only: 'phone' }),
  'conversation-history': opened('?tab=history', { only: 'phone' }),
  'conversation-cancel': opened('', {
    only: 'desktop',
    async reach(page, demo) {
      await open(page, demo);
      await page.getByRole('button', { name: /^Cancel / }).click();
      await page.getByRole('dialog').waitFor();
    },
  }),
  'conversation-menu': opened('', {
    only: 'phone',
    async reach(page, demo) {
      await open(page, demo);
      await button(page, 'More actions').click();
    },
  }),
  'conversation-missing': opened('', {
    async reach(page) {
      await page.goto('/conversations/00000000-0000-4000-8000-000000000000');
      await page.getByText('Conversation not found.').waitFor();
    },
  }),
  'conversation-loading': then(loading('/conversations')),
  'conversation-error': then(failing('/conversations', '**/api/instances/*')),
  'conversation-gone': { ...gone('/conversations'), open },
};
