// Moments of /ledger: besides the five, one decision, the story of a message, the chain, and no matching row.
import { button, five, type Moments, still } from './moment.ts';

export const LEDGER: Moments = {
  ...five('ledger', '/ledger', '**/api/ledger?*'),
  'ledger-row': {
    path: '/ledger?actor=router',
    scene: 'live',
    async reach(page) {
      await page
        .getByRole('link', { name: /Message received/ })
        .first()
        .click();
      await page.getByRole('region', { name: 'Steps' }).waitFor();
    },
  },
  'ledger-why': {
    path: '/ledger?outcome=answered',
    scene: 'live',
    async reach(page) {
      await page
        .getByRole('link', { name: /Answer a message/ })
        .first()
        .click();
      await page.getByRole('link', { name: 'Message history' }).click();
      await page.getByText(/^relay why/).waitFor();
    },
  },
  'ledger-chain': {
    path: '/ledger',
    scene: 'live',
    async reach(page) {
      await page.getByRole('button', { name: /^Chain intact/ }).click();
      await button(page, 'Check all rows').click();
    },
  },
  'ledger-none': still('/ledger?outcome=refused&action=set_hold', 'live'),
};
