// Runs a script in the page through the debugger, which the content policy does not affect. Playwright's own `evaluate`
// evaluates text within the page, which a strict policy reports.
import type { Page } from 'playwright-core';

export async function evaluate<T>(page: Page, expression: string): Promise<T> {
  const debug = await page.context().newCDPSession(page);
  try {
    const { result, exceptionDetails } = await debug.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as T;
  } finally {
    await debug.detach();
  }
}

/** Navigates like a link within the page, without reloading. */
export const navigate = (page: Page, path: string): Promise<void> =>
  evaluate(page, `void history.pushState({}, '', ${JSON.stringify(path)})`);
