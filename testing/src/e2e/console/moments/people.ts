// Moments of /people: details, confirmations, undo, a peek, granting somebody.
import { button, five, type Moments, still } from './moment.ts';

export const PEOPLE: Moments = {
  ...five('people', '/people', '**/api/contacts*'),
  'people-details': {
    path: '/people',
    scene: 'live',
    async reach(page) {
      await page.getByRole('link', { name: 'Marta Oliveira' }).click();
      await page.getByText('Direct chat').waitFor();
    },
  },
  'people-asked': {
    path: '/people',
    scene: 'live',
    async reach(page) {
      await page.getByLabel('Reply mode for Dana Whitfield').getByText('Auto').click();
      await page.getByRole('alertdialog').waitFor();
    },
  },
  'people-undo': {
    path: '/people',
    scene: 'live',
    async reach(page) {
      await page.getByRole('switch', { name: 'Agents may read Mum' }).click({ force: true });
      await button(page, 'Undo').waitFor();
    },
    async leave(page) {
      await button(page, 'Undo').click();
      await page.getByText('Grant for Mum restored').waitFor();
    },
  },
  'people-peek': {
    path: '/people',
    scene: 'live',
    async reach(page) {
      await page
        .getByRole('button', { name: /^View messages from/ })
        .first()
        .click();
      await page.getByText('Only you see these messages.').waitFor();
    },
  },
  'people-allow': {
    path: '/people',
    scene: 'live',
    async reach(page) {
      await page
        .getByRole('button', { name: /^Add a grant/ })
        .first()
        .click();
      await page.getByRole('dialog').waitFor();
    },
  },
  'people-all': still('/people?show=all', 'live'),
};
