// Accessibility of every page: axe finds nothing serious, at both widths and in both colour schemes, without data and
// after a day of use.
import { beforeAll, expect, it } from 'vitest';
import type { Demo } from '../demo.ts';
import { seriousFindings } from './axe.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { pathsOf, visit } from './pages.ts';
import { addScenePeople, playScene } from './scene.ts';

const fixture = consoleFixture();
let demo: Demo;
let looking: ConsoleView;

beforeAll(async () => {
  demo = await fixture.start(addScenePeople);
  looking = await fixture.signedIn();
}, 180_000);

interface Way {
  readonly size: { readonly width: number; readonly height: number };
  readonly colorScheme: 'light' | 'dark';
}

const DESK = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const LIGHT: readonly Way[] = [
  { size: DESK, colorScheme: 'light' },
  { size: PHONE, colorScheme: 'light' },
];
const DARK: readonly Way[] = [
  { size: PHONE, colorScheme: 'dark' },
  { size: DESK, colorScheme: 'dark' },
];

/** Each page is loaded once and checked in all these ways. */
async function findings(ways: readonly Way[]): Promise<string> {
  const { page } = looking;
  const found: string[] = [];
  for (const path of await pathsOf(page)) {
    await visit(page, path);
    for (const { size, colorScheme } of ways) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      // Names, roles and order are the same in the dark scheme.
      const onlyColours = colorScheme === 'dark';
      for (const finding of await seriousFindings(page, { onlyColours }))
        found.push(`${path}, ${size.width} px, ${colorScheme}\n${finding}`);
    }
  }
  return found.join('\n');
}

it('finds nothing serious on any page before a phone is linked', { timeout: 400_000 }, async () => {
  // Empty states use the same colours as everything else: one dark check is enough.
  expect(await findings([...LIGHT, ...DARK.slice(0, 1)])).toBe('');
});

it('finds nothing serious on any page after a day of use', { timeout: 400_000 }, async () => {
  await playScene(demo);
  expect(await findings([...LIGHT, ...DARK])).toBe('');
});

it('has no complaints from the browser, in particular about its content policy', () => {
  // Without data there is no item for a detail page, which is requested all the same.
  const others = looking.complaints.filter((text) => !/status of 40[04]/.test(text));
  expect(others).toEqual([]);
});
