// Which test files run for every submission (`.ci/run`) and which only at night (`scripts/nightly`).
// The quick tier holds every test inside a package and one journey per surface; everything else is nightly.
import { matchesGlob } from 'node:path';

/** One journey per surface, from the shipped command to the phone. */
const JOURNEYS = [
  // the command and the daemon
  'commands',
  'acceptance/daemon',
  'acceptance/errors',
  // WhatsApp
  'linking',
  'identities',
  // REST, live stream and webhooks
  'api',
  'api-refusals',
  'api-v1',
  'message-events',
  'webhooks',
  // sending and approvals
  'permissions',
  'media-out',
  'acceptance/owner',
  'acceptance/people',
  // conversations, replies, schedules
  'conversation',
  'auto-reply',
  'acceptance/schedule',
  // the assistant and the observer
  'assistant/pipeline',
  'observer/answers',
  // other agents
  'programs/cross-chat-send',
  'programs/stdio',
  'programs/clients',
  'programs/quickstart',
];

const PAGES = ['home', 'approvals', 'conversation', 'people', 'chats', 'tools'];

const KILLS = ['turns', 'failpoints'];

/** The integration tests of the quick tier, as globs from the project's root. */
export const QUICK: readonly string[] = [
  'packages/**/*.int.test.ts',
  'testing/src/*.int.test.ts',
  ...JOURNEYS.map((name) => `testing/src/e2e/${name}.int.test.ts`),
  ...PAGES.map((name) => `testing/src/e2e/console/${name}.int.test.ts`),
  ...KILLS.map((name) => `torture/${name}.int.test.ts`),
];

/** `file` is relative to the project's root. Everything but integration tests is quick. */
export const isQuick = (file: string): boolean =>
  !file.endsWith('.int.test.ts') || QUICK.some((glob) => matchesGlob(file, glob));
