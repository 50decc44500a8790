// The fake daemon as a process that the command starts and stops. It reports on the pipe that the command passes to it.
import { once } from 'node:events';
import { existsSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RelayError } from '@relay/contract/errors';
import { loadCliConfig } from '../config.ts';
import { startFakeDaemon } from './fake-daemon.ts';

const { home, port } = loadCliConfig();
const at = (name: string) => join(home, name);
const report = (line: object) => writeSync(3, `${JSON.stringify(line)}\n`);

if (process.argv.includes('--check')) {
  process.stdout.write(JSON.stringify({ checks: [await checkPort()] }));
  process.exit(0);
}
if (existsSync(at('crash'))) process.exit(7);
report({ progress: 'Starting the database …' });
try {
  const daemon = await startFakeDaemon(home, port);
  process.on('SIGTERM', async () => {
    while (existsSync(at('stopping'))) await sleep(10);
    if (!existsSync(at('hasty'))) daemon.removeFiles();
    process.exit(0);
  });
  report({ ready: { pid: process.pid, port } });
} catch {
  const details = { port, file: at('relay.config.json') };
  const { code, message, exit } = new RelayError('port_in_use', details);
  report({ failed: { code, message, exit } });
  process.exit(exit);
}

async function checkPort() {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    server.close();
    return { name: 'port', ok: 'yes', found: 'Free.', mend: null };
  } catch {
    const { sentence, action } = new RelayError('port_in_use', {
      port,
      file: at('relay.config.json'),
    });
    return { name: 'port', ok: 'no', found: sentence, mend: action };
  }
}
