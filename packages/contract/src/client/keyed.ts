// Generated from the API’s schemas by `npm run generate`. Do not edit.

export const KEYED: ReadonlySet<string> = new Set([
  'POST /api/instances',
  'POST /api/instances/{id}/send',
  'POST /api/tools/{tool}',
  'POST /api/whatsapp/messages',
]);
