// Masks what must never appear in a log: phone numbers and JIDs, tokens, keys, passwords. Applied to every string
// before it is written, error messages and stacks included; when in doubt it masks. Every repetition in the patterns is
// bounded, so that hostile text cannot make matching slow.

const SEPARATOR = String.raw`[\s().\-/\u2010-\u2015\u200b-\u200f\u202a-\u202e\u2060]{0,3}`;

const KEPT = [
  // Our own ids and timestamps: digits and dashes that are not a phone number.
  '(?<![0-9a-f-])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f-])',
  String.raw`(?<!\p{Nd})\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z`,
].join('|');

const SECRET = [
  String.raw`\b(?:bearer|basic)\s+[^\s"',;]+`,
  String.raw`relay_[\w-]{6,}`,
  String.raw`\b(?:sk|pk|rk|gsk|xai|hf|gh[opsur]|github_pat|glpat|xox[abeprs])[-_][\w-]{10,}`,
  String.raw`\bAIza[\w-]{20,}`,
  String.raw`\beyJ[\w-]{8,}(?:\.[\w-]+){1,4}`,
].join('|');

const NAMED_SECRET = String.raw`(?<name>(?:api[_-]?key|access[_-]?key|token|secret|password|passwd|pwd|authorization|cookie)["']?\s{0,3}[:=]\s{0,3}["']?)(?:(?:bearer|basic)\s+)?[^\s"',;&]+`;
const URL_PASSWORD = String.raw`(?<scheme>:\/\/)[^\s/@:]{0,128}:[^\s/]{0,256}@`;
const JID = String.raw`\p{Nd}[\p{Nd}.:_-]{0,40}@(?:s\.whatsapp\.net|c\.us|g\.us|lid|hosted(?:\.lid)?|broadcast|newsletter)`;
const NUMBER = String.raw`\+?\p{Nd}(?:${SEPARATOR}\p{Nd}){6,}`;

const SENSITIVE = new RegExp(
  `(?<kept>${KEPT})|(?<secret>${SECRET})|${NAMED_SECRET}|${URL_PASSWORD}|(?<jid>${JID})|${NUMBER}`,
  'giu',
);

interface Groups {
  kept?: string;
  secret?: string;
  name?: string;
  scheme?: string;
  jid?: string;
}

export function maskSensitive(text: string): string {
  return text.replace(SENSITIVE, (whole: string, ...rest: unknown[]) => {
    const found = rest.at(-1) as Groups;
    if (found.kept !== undefined) return whole;
    if (found.secret !== undefined) return '***';
    if (found.name !== undefined) return `${found.name}***`;
    if (found.scheme !== undefined) return '://***@';
    if (found.jid !== undefined) return `***${whole.slice(whole.lastIndexOf('@'))}`;
    // The last two digits distinguish two numbers without revealing either.
    return `***${whole.slice(-2)}`;
  });
}
