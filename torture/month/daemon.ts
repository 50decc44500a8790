// The daemon of the simulated month, in a separate process so that its memory can be measured: the real one, under a
// clock that its parent moves. Ends with its parent.

import { settingsSchema } from '@relay/contract/settings';
import { loadConfig } from '@relay/daemon/config';
import { startDaemon } from '@relay/daemon/daemon';

export interface Orders {
  readonly home: string;
  readonly databaseUrl: string;
  readonly settings: object;
  readonly now: number;
}

const orders: Orders = JSON.parse(process.argv[2] ?? '{}');
let now = orders.now;
const { home } = orders;
const settings = settingsSchema.parse(orders.settings);
const given = loadConfig({ RELAY_HOME: home, RELAY_PORT: '0', RELAY_KEY_FILE: `${home}.key` });

const daemon = await startDaemon({
  config: {
    ...given,
    databaseUrl: orders.databaseUrl,
    settings,
    model: { given: settings, keys: {} },
  },
  now: () => new Date(now),
  // The parent writes messages to the inbox without a hint.
  lostHintsEveryMs: 50,
  webDirectory: null,
});
process.on('message', (moved: number) => {
  now = moved;
  process.send?.({ now });
});
process.on('disconnect', () => process.exit(1));
process.on('SIGTERM', () => void daemon.stop().finally(() => process.exit(0)));
process.send?.({ port: daemon.port });
