// What every test of the console stands on: a daemon on the simulated network, and a Chromium that is signed in to it.
// Invariant: what was begun here is ended after the file, or the describe, that asked; also when its set-up failed.
import pg from 'pg';
import type { Browser } from 'playwright-core';
import { afterAll } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../postgres.ts';
import { type Demo, startDemo } from '../demo.ts';
import { type ConsoleView, openChromium, openConsoleView, signIn } from './browser.ts';

export interface ConsoleFixture {
  /** Once: the daemon, and the world around it as the scene makes it. */
  start(scene: (demo: Demo) => Promise<void>): Promise<Demo>;
  /** As often as wished, each with cookies of its own. Whoever wants to see the first requests watches it signed out. */
  signedIn(watch?: (looking: ConsoleView) => unknown): Promise<ConsoleView>;
  /** As if everybody had signed in ten minutes earlier. */
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
    async start(scene) {
      // Pages know nothing of where the database is.
      database = await freshDatabase();
      demo = await startDemo({ databaseUrl: database.url });
      await scene(demo);
      return demo;
    },
    async signedIn(watch) {
      if (demo === undefined) throw new Error('Start the daemon before somebody signs in to it.');
      browser ??= await openChromium();
      const looking = await openConsoleView(browser, demo);
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
