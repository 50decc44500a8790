// Every page as people with other eyes and hands meet it: axe finds nothing serious, at both widths and in both colours,
// before anything happened and after a day of it.
import { beforeAll, expect, it } from 'vitest';
import type { Demo } from '../demo.ts';
import { seriousFindings } from './axe.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { pathsOf, visit } from './pages.ts';
import { addScenePeople, playScene } from './scene.ts';

const bed = consoleFixture();
let demo: Demo;
let looking: ConsoleView;

beforeAll(async () => {
  demo = await bed.start(addScenePeople);
  looking = await bed.signedIn();
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

/** Each page is loaded once and looked at in all these ways. */
async function findings(ways: readonly Way[]): Promise<string> {
  const { page } = looking;
  const found: string[] = [];
  for (const path of await pathsOf(page)) {
    await visit(page, path);
    for (const { size, colorScheme } of ways) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      // Names, roles and order are the same in the dark.
      const onlyColours = colorScheme === 'dark';
      for (const finding of await seriousFindings(page, { onlyColours }))
        found.push(`${path}, ${size.width} px, ${colorScheme}\n${finding}`);
    }
  }
  return found.join('\n');
}

it('finds nothing serious on any page before a phone is linked', { timeout: 400_000 }, async () => {
  // What says that there is nothing yet has the colours of everything else: once in the dark is enough.
  expect(await findings([...LIGHT, ...DARK.slice(0, 1)])).toBe('');
});

it('finds nothing serious on any page after a day', { timeout: 400_000 }, async () => {
  await playScene(demo);
  expect(await findings([...LIGHT, ...DARK])).toBe('');
});

it('complained of nothing, its content policy least of all', () => {
  // Before anything happened there is no one thing to look at, and its page is asked for all the same.
  const others = looking.complaints.filter((text) => !/status of 40[04]/.test(text));
  expect(others).toEqual([]);
});
