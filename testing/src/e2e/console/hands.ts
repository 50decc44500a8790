// Uses a page by mouse or by keyboard alone, so that a flow is written once and run with both. Invariant: the keyboard
// presses only what it reached by Tab or an arrow key, as a person must.
import type { Locator, Page } from 'playwright-core';

type Role = Parameters<Page['getByRole']>[0];

export interface Hands {
  readonly by: 'mouse' | 'keyboard';
  /** Reaches a control by its role and name, and presses it. */
  press(role: Role, name: string | RegExp): Promise<void>;
  /** Reaches a field by its label, and types the text. */
  type(label: string | RegExp, text: string): Promise<void>;
  /** Chooses from the list that typing into a field opened. */
  choose(name: string | RegExp): Promise<void>;
}

/** What people see of a switch is its track: the control itself has no size. */
const control = (page: Page, role: Role, name: string | RegExp): Locator =>
  page
    .getByRole(role, { name, exact: true })
    .filter(role === 'switch' ? {} : { visible: true })
    .first();
const field = (page: Page, label: string | RegExp): Locator =>
  page.getByLabel(label, { exact: true }).filter({ visible: true }).first();

export const byMouse = (page: Page): Hands => ({
  by: 'mouse',
  async press(role, name) {
    // A switch is covered by its own track.
    await control(page, role, name).click({ force: role === 'switch' || role === 'radio' });
  },
  type: (label, text) => field(page, label).fill(text),
  choose: (name) => control(page, 'option', name).click(),
});

/** More than any page needs. */
const MOST_TABS = 150;

export function byKeyboard(page: Page): Hands {
  const hasFocus = async (target: Locator): Promise<boolean> =>
    (await target.and(page.locator(':focus')).count()) > 0;

  /** Goes around the page at most once; then the control is unreachable. */
  async function reach(target: Locator, arrow?: string): Promise<void> {
    await target.waitFor({ state: 'attached' });
    for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
      if (await hasFocus(target)) return;
      const isInGroup =
        arrow !== undefined &&
        (await page.locator('[role="radio"]:focus, input[type="radio"]:focus').count()) > 0;
      await page.keyboard.press(isInGroup && arrow !== undefined ? arrow : 'Tab');
    }
    throw new Error(`No ${MOST_TABS} presses of Tab reach ${target}`);
  }

  return {
    by: 'keyboard',
    async press(role, name) {
      const target = control(page, role, name);
      await reach(target, role === 'radio' ? 'ArrowDown' : undefined);
      // The arrow key has selected it already.
      if (role !== 'radio') await page.keyboard.press(PRESSED_BY[role] ?? 'Enter');
    },
    async type(label, text) {
      await reach(field(page, label));
      await page.keyboard.press('Control+A');
      await page.keyboard.type(text);
    },
    async choose(name) {
      const target = control(page, 'option', name);
      await target.waitFor();
      for (let downs = 0; downs < MOST_TABS; downs += 1) {
        await page.keyboard.press('ArrowDown');
        if ((await target.getAttribute('data-combobox-selected')) !== null) break;
      }
      await page.keyboard.press('Enter');
    },
  };
}

const PRESSED_BY: Readonly<Partial<Record<Role, string>>> = { checkbox: 'Space', switch: 'Space' };
