// Moments of /chats: the list, one chat that agents may read and one that they may not.
import type { Page } from 'playwright-core';
import { five, type Moment, type Moments } from './moment.ts';

const reading = (name: string): Moment => ({
  path: '/chats',
  scene: 'live',
  async reach(page: Page) {
    await page.getByRole('navigation', { name: 'Chats' }).getByText(name).first().click();
    await page.getByRole('log').waitFor();
  },
});

export const CHATS: Moments = {
  ...five('chats', '/chats', '**/api/chats*'),
  'chats-open': reading('Priya Raman'),
  'chats-closed': reading('Kit'),
};
