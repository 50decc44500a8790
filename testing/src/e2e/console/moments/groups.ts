// Moments of /groups: a day by hour and as a whole, the table of tokens, observing and stopping.
import { STREET } from '../scenes/groups.ts';
import { button, five, type Moments } from './moment.ts';

export const GROUPS: Moments = {
  ...five('groups', '/groups', '**/api/observed-groups*', '**/api/retention*', '**/api/digests*'),
  'groups-day': {
    path: '/groups?by=day',
    scene: 'live',
    reach: (page) => page.getByRole('heading', { name: 'Open questions' }).waitFor(),
  },
  'groups-tokens': {
    path: '/groups',
    scene: 'live',
    async reach(page) {
      await button(page, 'Show table').click();
      await page
        .getByRole('columnheader', { name: 'Avoided', exact: true })
        .scrollIntoViewIfNeeded();
    },
  },
  'groups-observe': {
    path: '/groups',
    scene: 'live',
    async reach(page) {
      await button(page, 'Observe a group').click();
      await page.getByLabel('Which group').fill(STREET);
      await button(page, 'Look it up').click();
      await page.getByText('Tell the group first').waitFor();
    },
  },
  'groups-stop': {
    path: '/groups',
    scene: 'live',
    async reach(page) {
      await button(page, 'Stop observing').click();
      await page.getByText('Also erase what was kept').waitFor();
    },
  },
};
