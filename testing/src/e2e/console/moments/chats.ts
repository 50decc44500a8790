// Moments of /chats: the list, one chat that agents may read and one that they may not.
import type { Page } from 'playwright-core';
import { five, type Moment, type Moments } from './moment.ts';

async function openChat(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Chats' }).getByText(name).first().click();
  await page.getByRole('log').waitFor();
}

const reading = (name: string): Moment => ({
  path: '/chats',
  scene: 'live',
  reach: (page) => openChat(page, name),
});

export const CHATS: Moments = {
  ...five('chats', '/chats', '**/api/chats*'),
  'chats-open': reading('Priya Raman'),
  'chats-closed': reading('Kit'),
  'chats-media': {
    ...reading('Mum'),
    async reach(page) {
      await openChat(page, 'Mum');
      await page.getByText('Transcribed by machine').waitFor();
    },
  },
  'chats-photo': {
    ...reading('Mum'),
    async reach(page) {
      await openChat(page, 'Mum');
      await page.getByRole('button', { name: /^Open: Photo/ }).click();
      await page.getByRole('dialog').locator('img').waitFor();
    },
    leave: (page) => page.keyboard.press('Escape'),
  },
};
