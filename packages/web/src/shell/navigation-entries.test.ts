import { CONSOLE_PAGES } from '@relay/core/console/pages';
import { expect, test } from 'vitest';
import { PAGE_GROUPS } from './navigation-entries.ts';

test('the navigation lists every page that has an address of its own', () => {
  const listed = PAGE_GROUPS.flatMap(({ pages }) => pages.map(({ path }) => path));
  const pages = CONSOLE_PAGES.filter((path) => !path.includes('$'));
  expect(listed.toSorted()).toEqual(pages.toSorted());
});
