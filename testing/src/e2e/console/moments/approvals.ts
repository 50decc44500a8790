// Moments of /approvals: besides the five, an approval after reading another chat, an edited text, a decline, an
// outdated one, and the decided ones.
import type { Page } from 'playwright-core';
import { button, five, type Moment, type Moments } from './moment.ts';

/** Opens an approval of the queue by the beginning of its line. */
const opened = (name: RegExp, then?: (page: Page) => Promise<void>): Moment => ({
  path: '/approvals',
  scene: 'live',
  async reach(page) {
    await page.getByRole('link', { name }).click();
    await page.getByRole('region', { name: 'Text', exact: true }).waitFor();
    await then?.(page);
  },
});

export const APPROVALS: Moments = {
  ...five('approvals', '/approvals', '**/api/approvals*'),
  'approvals-rule-of-two': opened(/^Send to Jonas Beck/),
  'approvals-long': opened(/^First message to Jonas/),
  'approvals-schedule': opened(/^Scheduled message to Jonas/),
  'approvals-edit': opened(/^Send to Jonas Beck/, async (page) => {
    await button(page, 'Edit').click();
    await page.getByLabel('New text').fill('Would 16:30 on Thursday suit you as well?');
  }),
  'approvals-decline': opened(/^Send to Jonas Beck/, (page) => button(page, 'Decline').click()),
  'approvals-decided': {
    path: '/approvals?state=rejected',
    scene: 'live',
    reach: async (page) => {
      await page
        .getByRole('link', { name: /Jonas Beck/ })
        .first()
        .click();
    },
  },
};
