// Moments of /tools: linking, permissions, the model, tokens.
import { OWNER } from '../scene.ts';
import { button, five, type Moments } from './moment.ts';

export const TOOLS: Moments = {
  ...five('tools', '/tools', '**/api/whatsapp/status', '**/api/settings'),
  'tools-linking': {
    path: '/tools',
    scene: 'unlinked',
    async reach(page) {
      await button(page, 'Link Device').click();
      await page.getByRole('img', { name: /QR code/ }).waitFor();
    },
    async leave(page) {
      await button(page, 'Stop linking').click();
      await button(page, 'Link Device').waitFor();
    },
  },
  'tools-pairing-code': {
    path: '/tools',
    scene: 'unlinked',
    async reach(page) {
      await button(page, 'Link with a code').click();
      await page.getByLabel('Phone number').fill(`+${OWNER}`);
      await button(page, 'Get a code').click();
      await page.getByLabel(/Code to type/).waitFor();
    },
    async leave(page) {
      await button(page, 'Stop linking').click();
      await button(page, 'Link Device').waitFor();
    },
  },
  'tools-permissions': {
    path: '/tools',
    scene: 'live',
    async reach(page) {
      await button(page, 'Manage Permissions').click();
      await page.getByText('Mum', { exact: true }).waitFor();
    },
  },
  'tools-disconnect': {
    path: '/tools',
    scene: 'live',
    reach: (page) => button(page, 'Disconnect').click(),
  },
  'tools-new-token': {
    path: '/tools',
    scene: 'live',
    async reach(page) {
      await button(page, 'Manage').click();
      await page.getByLabel('Client name').scrollIntoViewIfNeeded();
    },
  },
  'tools-model': {
    path: '/tools',
    scene: 'live',
    async reach(page) {
      await button(page, 'Change').first().click();
      await button(page, 'Test').click();
      await page.getByText(/answered in/).waitFor();
    },
  },
};
