// What a short torture is given by the run of tests that it is part of: the package that was built for all of them,
// and their PostgreSQL. A long one, by itself, has neither and makes its own.
import { builtIn, openBuilds } from '@relay/testing/e2e/built';

const isTest = process.env.VITEST !== undefined;

/** The folder of a built package, and how to leave it. */
export async function openBuilt(): Promise<{ built: string; remove(): void }> {
  if (isTest) {
    const { inject } = await import('vitest');
    return { built: await builtIn(inject('builds')), remove: () => {} };
  }
  const { folder, remove } = openBuilds();
  try {
    return { built: await builtIn(folder), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** A server that is there already, if any. */
export async function givenServer(): Promise<string | undefined> {
  if (!isTest) return process.env.DATABASE_URL;
  const { inject } = await import('vitest');
  return inject('postgres').url;
}
