// Moments of /search: results, another reader's view, filters, a query that is too long, and no query yet.
import { button, five, type Moments, still } from './moment.ts';

const FOUND = '/search?q=deposit';

export const SEARCH: Moments = {
  ...five('search', FOUND, '**/api/search*'),
  'search-unasked': still('/search', 'live'),
  'search-eyes': {
    path: FOUND,
    scene: 'live',
    async reach(page, demo) {
      await demo.relay.ok('POST', '/api/tokens', {
        name: 'Cursor',
        scopes: ['search:read'],
        contacts: ['Mum'],
      });
      await demo.relay.ok('POST', '/api/tokens', { name: 'Backup', scopes: ['messages:read'] });
      await page.reload();
      await page.getByRole('radio', { name: /Cursor/ }).check();
      await page.getByText('Cursor would find 1 result.').first().waitFor();
    },
    async leave(_page, demo) {
      for (const name of ['Cursor', 'Backup']) await demo.relay.ok('DELETE', `/api/tokens/${name}`);
    },
  },
  'search-narrowed': {
    path: `${FOUND}&person=Mum`,
    scene: 'live',
    async reach(page) {
      await button(page, 'Any date').click();
      await page.getByLabel('From').waitFor();
    },
  },
  'search-nobody': still(`${FOUND}&person=Zoe`, 'live'),
  'search-too-long': still(`/search?q=${'very '.repeat(61)}long`, 'live'),
};
