// A moment is a state of a page in a signed-in browser, kept for a picture. Every page has five: full, empty, loading,
// failed, and with the daemon gone.
import type { Page } from 'playwright-core';
import type { Demo } from '../../demo.ts';

export interface Moment {
  readonly path: string;
  /** The scene that it needs. */
  readonly scene: 'unlinked' | 'live';
  /** The only size at which it looks different; both by default. */
  readonly only?: 'desktop' | 'phone';
  /** The daemon is killed while the page is open; all such moments share one absence. */
  readonly away?: boolean;
  /** Runs while the daemon is still there, for addresses that are known only then. */
  open?(page: Page, demo: Demo): Promise<void>;
  reach(page: Page, demo: Demo): Promise<void>;
  /** Restores whatever the next moment needs. */
  leave?(page: Page, demo: Demo): Promise<void>;
}

export type Moments = Readonly<Record<string, Moment>>;

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

export const still = (path: string, scene: Moment['scene']): Moment => ({
  path,
  scene,
  reach: (page) => page.locator('[aria-busy="true"]').first().waitFor({ state: 'hidden' }),
});

/** A part of the API responds with an error. */
export const failing = (path: string, ...parts: readonly string[]): Moment => ({
  path,
  scene: 'live',
  async reach(page) {
    for (const part of parts) {
      await page.route(part, (route) =>
        route.fulfill({
          status: 500,
          json: { error: 'Something went wrong inside Relay.', code: 'internal' },
        }),
      );
    }
    await page.reload();
    await page.getByText('could not be loaded').first().waitFor();
  },
  leave: (page) => page.unrouteAll({ behavior: 'wait' }),
});

/** No request to the API is answered yet. */
export const loading = (path: string): Moment => ({
  path,
  scene: 'live',
  async reach(page) {
    await page.route('**/api/**', () => {});
    await page.reload();
    await page.locator('main').waitFor();
  },
  // They are never answered, so waiting for them would never end.
  leave: (page) => page.unrouteAll({ behavior: 'ignoreErrors' }),
});

/** The daemon is gone, and was there when the page was opened. */
export const gone = (path: string): Moment => ({
  path,
  scene: 'live',
  away: true,
  reach: (page) => page.getByText('Relay has not responded since').waitFor(),
});

/** The five of a page; `parts` are its API requests, as globs. */
export const five = (name: string, path: string, ...parts: readonly string[]): Moments => ({
  [name]: still(path, 'live'),
  [`${name}-empty`]: still(path, 'unlinked'),
  [`${name}-loading`]: loading(path),
  [`${name}-error`]: failing(path, ...parts),
  [`${name}-gone`]: gone(path),
});
