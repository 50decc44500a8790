// The moments of /approvals: besides the five, the one that was read before it was asked, other words, a no, what
// moved on, and what was decided.
import type { Page } from 'playwright-core';
import { button, five, type Moment, type Moments } from './moment.ts';

/** Opens one of the queue by how its line begins. */
const opened = (name: RegExp, then?: (page: Page) => Promise<void>): Moment => ({
  path: '/approvals',
  scene: 'live',
  async reach(page) {
    await page.getByRole('link', { name }).click();
    await page.getByRole('region', { name: 'The text', exact: true }).waitFor();
    await then?.(page);
  },
});

export const APPROVALS: Moments = {
  ...five('approvals', '/approvals', '**/api/approvals*'),
  'approvals-rule-of-two': opened(/^Send to Jonas Beck/),
  'approvals-long': opened(/^First message to Jonas/),
  'approvals-schedule': opened(/^Schedule for Jonas/),
  'approvals-edit': opened(/^Send to Jonas Beck/, async (page) => {
    await button(page, 'Edit').click();
    await page.getByLabel('Your own words').fill('Would 16:30 on Thursday suit you as well?');
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
