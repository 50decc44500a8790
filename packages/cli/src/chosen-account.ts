// The account that this run of the command is for: `--account`, or RELAY_ACCOUNT. Without one the daemon takes the
// owner's default account.

let chosen: string | null = null;

export function chooseAccount(name: string | null): void {
  chosen = name;
}

/** What every account has in common has one address. */
const COMMON =
  /^\/api\/(accounts|owners|inbox|login-codes|logout|token\/|docs|openapi|v1\/openapi)/;

/** The path of a request, for the chosen account. */
export function pathForAccount(path: string): string {
  if (chosen === null || !path.startsWith('/api/') || COMMON.test(path)) return path;
  const name = encodeURIComponent(chosen);
  const v1 = '/api/v1/accounts/default/';
  return path.startsWith(v1)
    ? `/api/v1/accounts/${name}/${path.slice(v1.length)}`
    : `/api/accounts/${name}${path.slice('/api'.length)}`;
}
