// Moments of the home page and of what every page offers: the palette, the hold, the rest of the navigation.
import type { Page } from 'playwright-core';
import { button, five, type Moments } from './moment.ts';

/** The palette's field exists once it is loaded; the navigation entry has the same name. */
const typed = (page: Page) => page.getByPlaceholder('Find a page, person');

export const HOME: Moments = {
  ...five('home', '/', '**/api/approvals*', '**/api/ledger*', '**/api/activity*'),
  home: {
    path: '/',
    scene: 'live',
    // The first picture that people see: messages were sent by then.
    reach: (page) => page.getByText('Not measured').waitFor({ state: 'detached', timeout: 90_000 }),
  },
  'home-charts': {
    path: '/',
    scene: 'live',
    async reach(page) {
      await page.getByRole('heading', { name: 'Messages per hour' }).scrollIntoViewIfNeeded();
      await page.locator('svg.recharts-surface').first().waitFor();
      await page.mouse.wheel(0, 420);
    },
  },
  'home-table': {
    path: '/?hours=168',
    scene: 'live',
    async reach(page) {
      await button(page, 'Show table: Messages per day').click();
      await page.getByRole('heading', { name: 'Response time' }).scrollIntoViewIfNeeded();
    },
  },
  'home-keys': {
    path: '/',
    scene: 'live',
    async reach(page) {
      // Keyboard shortcuts work once their targets are loaded.
      await page.getByRole('link', { name: 'Review' }).first().waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    },
  },
  'home-palette': {
    path: '/',
    scene: 'live',
    async reach(page) {
      await page.keyboard.press('Control+K');
      await typed(page).fill('da');
      await page.waitForTimeout(600);
    },
  },
  'home-hold-asked': {
    path: '/',
    scene: 'live',
    async reach(page) {
      await page.keyboard.press('Control+K');
      await typed(page).fill('hold');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Hold all sending?' }).waitFor();
    },
  },
  'home-more': {
    path: '/',
    scene: 'live',
    only: 'phone',
    reach: (page) => button(page, 'More').click(),
  },
};
