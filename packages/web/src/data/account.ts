// The account that the page shows. It is in the page's address: `/accounts/sales/chats`; without one, the page shows the
// owner's default account. Switching loads the page again, so that nothing of one account stays on the page of another.

const IN_PATH = /^\/accounts\/([a-z0-9][a-z0-9-]{0,62})(?=\/|$)/;

/** Unit tests have no page. */
export const CURRENT_ACCOUNT = IN_PATH.exec(globalThis.location?.pathname ?? '')?.[1] ?? null;

/** What the paths of all pages begin with. */
export const BASE_PATH = CURRENT_ACCOUNT === null ? '/' : `/accounts/${CURRENT_ACCOUNT}`;

/** The address of a page in the account that is shown, for links that the router does not make. */
export const addressInCurrentAccount = (path: string): string =>
  CURRENT_ACCOUNT === null ? path : `${BASE_PATH}${path}`;

/** The address of a page of this account. */
export const addressInAccount = (account: string, path: string): string =>
  `/accounts/${account}${path}`;

/** Routes that are not about one account. */
const COMMON = /^\/api\/(accounts|owners|inbox)(\/|\?|$)/;

/** The address of a request of this page. */
export function requestAddress(path: string): string {
  if (CURRENT_ACCOUNT === null || !path.startsWith('/api/') || COMMON.test(path)) return path;
  return `/api${BASE_PATH}${path.slice('/api'.length)}`;
}
