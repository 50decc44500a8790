// Fixture of the console tests: a daemon on the simulated network, and a Chromium that is signed in to it. Invariant:
// everything it starts is ended after the file or the describe that asked, also when set-up failed.
import pg from 'pg';
import type { Browser } from 'playwright-core';
import { afterAll } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../postgres.ts';
import { type Demo, startDemo } from '../demo.ts';
import {
  type ConsoleView,
  type ConsoleViewOptions,
  openChromium,
  openConsoleView,
  signIn,
} from './browser.ts';

export interface ConsoleFixture {
  /** Called once: starts the daemon and plays the scene. */
  start(scene: (demo: Demo) => Promise<void>, settings?: object): Promise<Demo>;
  /**
   * Any number of browsers, each with its own cookies. `watch` gets the signed-out browser, to see the first requests.
   */
  signedIn(
    watch?: (looking: ConsoleView) => unknown,
    options?: ConsoleViewOptions,
  ): Promise<ConsoleView>;
  /** Makes all sign-ins ten minutes older. */
  ageSessions(): Promise<void>;
}

export function consoleFixture(): ConsoleFixture {
  let database: FreshDatabase | undefined;
  let demo: Demo | undefined;
  let browser: Browser | undefined;
  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
    await database?.drop();
  }, 60_000);
  return {
    async start(scene, settings = {}) {
      // Pages must not depend on where the database is.
      database = await freshDatabase();
      demo = await startDemo({ databaseUrl: database.url, settings });
      await scene(demo);
      return demo;
    },
    async signedIn(watch, options) {
      if (demo === undefined) throw new Error('Start the daemon before somebody signs in to it.');
      browser ??= await openChromium();
      const looking = await openConsoleView(browser, demo, options);
      await watch?.(looking);
      await signIn(looking, demo);
      return looking;
    },
    async ageSessions() {
      const client = new pg.Client({ connectionString: database?.url });
      await client.connect();
      await client.query(
        "UPDATE relay.browser_sessions SET created_at = created_at - interval '10 minutes'",
      );
      await client.end();
    },
  };
}
