// Moments of /settings: an edit, a refusal, the remaining sections, and the confirmation before signing out everywhere.
import { button, five, type Moments } from './moment.ts';

export const SETTINGS: Moments = {
  ...five('settings', '/settings', '**/api/settings*'),
  'settings-refused': {
    path: '/settings',
    scene: 'live',
    async reach(page) {
      await page.getByLabel('Minimum typing time').fill('99000');
      await button(page, 'Save pacing').click();
      await page.getByRole('alert').waitFor();
    },
  },
  'settings-rest': {
    path: '/settings',
    scene: 'live',
    reach: (page) => page.getByRole('heading', { name: 'Other settings' }).scrollIntoViewIfNeeded(),
  },
  'settings-sign-out': {
    path: '/settings',
    scene: 'live',
    async reach(page) {
      await button(page, 'Sign out everywhere').click();
      await page.getByRole('dialog', { name: 'Sign out everywhere?' }).waitFor();
    },
  },
};
