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
        .getByRole('columnheader', { name: 'Tokens saved', exact: true })
        .scrollIntoViewIfNeeded();
    },
  },
  'groups-observe': {
    path: '/groups',
    scene: 'live',
    async reach(page) {
      await button(page, 'Observe a group').click();
      await page.getByLabel('Group name').fill(STREET);
      await button(page, 'Find group').click();
      await page.getByText('Announce it in the group first').waitFor();
    },
  },
  'groups-stop': {
    path: '/groups',
    scene: 'live',
    async reach(page) {
      await button(page, 'Stop observing').click();
      await page.getByText('Also erase stored data now').waitFor();
    },
  },
};
