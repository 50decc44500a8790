// Moments of /schedules: the form with its preview, input it does not understand, cancelling, and past schedules.
import type { Page } from 'playwright-core';
import { five, type Moments, still } from './moment.ts';

const openForm = async (page: Page): Promise<void> => {
  await page
    .getByRole('button', { name: /^New schedule/ })
    .first()
    .click();
  await page.getByRole('dialog', { name: 'New schedule' }).waitFor();
};

export const SCHEDULES: Moments = {
  ...five('schedules', '/schedules', '**/api/schedules*'),
  'schedules-new': {
    path: '/schedules',
    scene: 'live',
    async reach(page) {
      await openForm(page);
      await page.getByText('Every day', { exact: true }).click();
      await page.getByLabel('Time zone').fill('Europe/Lisbon');
      await page.getByText('Every day at 09:00, Europe/Lisbon').waitFor();
    },
  },
  'schedules-not-understood': {
    path: '/schedules',
    scene: 'live',
    async reach(page) {
      await openForm(page);
      await page.getByText('Custom', { exact: true }).click();
      await page.getByLabel('In English words, or as a cron expression').fill('whenever');
      await page.getByText('Write it like one of these').waitFor();
    },
  },
  'schedules-cancel': {
    path: '/schedules',
    scene: 'live',
    async reach(page) {
      await page
        .getByRole('button', { name: /^Cancel the schedule for/ })
        .first()
        .click();
      await page.getByRole('dialog').waitFor();
    },
  },
  'schedules-past': still('/schedules?show=past', 'live'),
};
