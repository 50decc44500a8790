// Teardown helpers that never hide the first error.

interface Closable {
  close(): Promise<unknown>;
}

/** Runs the work, then closes. If both fail, throws the error of the work and prints the other one. */
export async function thenClose<T>(closable: Closable, work: () => Promise<T>): Promise<T> {
  const result = await closeIfFailed(closable, work);
  await closable.close();
  return result;
}

/** Runs the work, and closes only if it fails. */
export async function closeIfFailed<T>(closable: Closable, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await closable.close().catch((late: unknown) => console.error('Teardown failed:', late));
    throw error;
  }
}
