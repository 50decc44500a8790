// Every page in every language: no text is missing, nothing is wider than a phone, and Arabic is mirrored.
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { verifies } from '@relay/testing/verifies';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ConsoleView } from './browser.ts';
import { evaluate } from './evaluate.ts';
import { consoleFixture } from './fixture.ts';
import { pathsOf, visit } from './pages.ts';
import { addScenePeople, playScene } from './scene.ts';

const LOCALES = join(import.meta.dirname, '../../../../packages/web/src/locales');
const names = (glob: string): string[] =>
  globSync(glob, { cwd: LOCALES }).map((path) => basename(path, '.json'));

const fixture = consoleFixture();
let looking: ConsoleView;
let paths: readonly string[];

beforeAll(async () => {
  await fixture.start(async (demo) => {
    await addScenePeople(demo);
    await playScene(demo);
  });
  looking = await fixture.signedIn();
  paths = await pathsOf(looking.page);
}, 300_000);

/** An id in place of its text. */
const MISSING = new RegExp(`\\b(${names('en/*.json').join('|')})\\.[a-z][\\w.]+\\b`);

/** What is wrong with a page as it is shown. */
const findings = (page: Page, locale: string): Promise<string[]> =>
  evaluate(
    page,
    `(${String.raw`(missing, locale) => {
    const { documentElement: root, body } = document;
    const direction = locale === 'ar' ? 'rtl' : 'ltr';
    const names = ['aria-label', 'placeholder', 'title'];
    const labels = [...document.querySelectorAll(names.map((name) => '[' + name + ']').join())]
      .flatMap((element) => names.map((name) => element.getAttribute(name) ?? ''));
    // Names of settings are code, and may look like ids.
    const code = document.querySelectorAll('code');
    for (const element of code) element.style.display = 'none';
    const id = new RegExp(missing).exec([body.innerText, ...labels].join('\n'))?.[0];
    for (const element of code) element.style.display = '';
    const width = root.clientWidth;
    const start = document.querySelector('nav')?.getBoundingClientRect().left ?? 0;
    return [
      id !== undefined && 'the text ' + id + ' is missing',
      root.scrollWidth > width && root.scrollWidth - width + ' px too wide',
      (root.lang !== locale || root.dir !== direction) && 'is ' + root.lang + ' ' + root.dir,
      width > 600 && start > width / 2 !== (direction === 'rtl') && 'navigation at ' + start + ' px',
    ].filter((finding) => finding !== false);
  }`})(${JSON.stringify(MISSING.source)}, ${JSON.stringify(locale)})`,
  );

describe.each(names('*'))('in %s', (locale) => {
  it('shows every page completely, on a desk and on a phone', { timeout: 300_000 }, async () => {
    verifies('WORDS-LOCALES');
    const { page } = looking;
    await evaluate(page, `localStorage.setItem('relay-locale', ${JSON.stringify(locale)})`);
    const found: string[] = [];
    for (const path of paths) {
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 844 });
        await visit(page, path);
        const list = await findings(page, locale);
        found.push(...list.map((finding) => `${path}, ${width} px: ${finding}`));
      }
    }
    expect(found).toEqual([]);
  });
});
