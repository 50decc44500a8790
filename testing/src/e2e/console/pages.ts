// Visits every page of the console: by its path, and a detail page by the link to the first item. Invariant: every page
// that core names is visited; there is no second list that could miss one.
import { CONSOLE_PAGES } from '@relay/core/console/pages';
import type { Page } from 'playwright-core';

const SKELETONS = '.mantine-Skeleton-root[data-visible], [aria-busy="true"]';

/** Navigates, and waits until the page has loaded its data. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.locator('main h1').first().waitFor();
  await untilLoaded(page);
}

/** Skeletons appear after a moment and go when there is an answer: none may be about to appear. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  await page.waitForTimeout(400);
  await page.locator(SKELETONS).first().waitFor({ state: 'detached' });
}

/** The paths to visit, in a scene that has one of everything. */
export async function pathsOf(page: Page): Promise<string[]> {
  const paths: string[] = [];
  for (const path of CONSOLE_PAGES) {
    const [list = '', parameter] = path.split('/$');
    if (parameter === undefined) paths.push(path);
    else {
      await visit(page, list);
      const [first = `${list}/nothing`] = await linksUnder(page, list);
      paths.push(first);
    }
  }
  return paths;
}

/** The distinct visible links of the list. */
export async function linksUnder(page: Page, list: string): Promise<string[]> {
  const links = await page.locator(`main a[href^="${list}/"]`).all();
  const paths = await Promise.all(links.map((link) => link.getAttribute('href')));
  return [...new Set(paths.filter((path) => path !== null))];
}
