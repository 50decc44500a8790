// Moments of /conversations: the board, the list, and the form for a new one.
import type { Page } from 'playwright-core';
import { button, five, type Moments, still } from './moment.ts';

const forget = (page: Page) => page.evaluate('sessionStorage.clear()').then(() => {});

export const CONVERSATIONS: Moments = {
  ...five('conversations', '/conversations', '**/api/instances*', '**/api/instances/counts'),
  'conversations-list': still('/conversations?view=list', 'live'),
  'conversations-list-filtered': still('/conversations?view=list&turn=them&words=o', 'live'),
  'conversations-list-nothing': still('/conversations?view=list&words=zebra', 'live'),
  'conversations-new': {
    path: '/conversations?new=quote',
    scene: 'live',
    async reach(page) {
      await page.getByRole('textbox', { name: 'Contact', exact: true }).fill('Sam');
      await page.getByRole('option', { name: /Sami Idowu/ }).click();
      await page.getByText('The new one is queued until it ends').waitFor();
    },
    leave: forget,
  },
  'conversations-new-wrong': {
    path: '/conversations?new=invoice',
    scene: 'live',
    async reach(page) {
      await button(page, 'Start conversation').click();
      await page.getByText('Choose a contact').waitFor();
    },
    leave: forget,
  },
};
