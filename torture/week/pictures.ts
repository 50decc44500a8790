// Pictures of Home in a Chromium, one for each morning of the simulated week.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openChromium, openConsoleView, signIn } from '@relay/testing/e2e/console/browser';
import type { SilenceHarness } from '../silence/harness.ts';

interface Mornings {
  picture(n: number): Promise<void>;
  close(): Promise<void>;
}

/** Without a folder no picture is taken. */
export async function openMornings(
  stage: SilenceHarness,
  folder: string | null,
): Promise<Mornings> {
  if (folder === null) return { picture: async () => {}, close: async () => {} };
  await mkdir(folder, { recursive: true });
  const browser = await openChromium();
  const view = await openConsoleView(browser, { api: stage.api }, { isStill: true, height: 1100 });
  const { page } = view;
  await page.clock.setFixedTime(stage.clock.now());
  await signIn(view, { relay: stage.relay });
  return {
    async picture(n) {
      await page.clock.setFixedTime(stage.clock.now());
      await page.goto(`${stage.api}/`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(2_000);
      await page.screenshot({ path: join(folder, `morning-${n}.png`), fullPage: true });
    },
    close: () => browser.close(),
  };
}
