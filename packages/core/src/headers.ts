// Headers as one line of text, the way OpenTelemetry writes them: `name=value,name=value`, values percent-encoded where
// they need it. Pure. Invariant: what comes out can be sent; anything else is none at all.

const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** What a header can carry: visible ASCII with spaces inside. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Names in lower case; null when it is not written that way. */
export function headersIn(text: string): Readonly<Record<string, string>> | null {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0)).trim().toLowerCase();
    const value = decoded(pair.slice(at + 1).trim());
    if (!NAME.test(name) || value === null || !VALUE.test(value)) return null;
    headers[name] = value;
  }
  return headers;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
