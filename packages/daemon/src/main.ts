// The entry point of the daemon's process: reads the configuration, starts the daemon, reports the result to the
// waiting command, and stops the daemon on a signal.
import { existsSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { RelayError } from '@relay/contract/errors';
import type { RunningDaemon } from './compose.ts';
import { loadConfig } from './config.ts';
import { startDaemon } from './daemon.ts';
import { openReadiness } from './platform/home/readiness.ts';

// Files that this process or one of its libraries creates are readable by the owner only.
process.umask(0o077);
const readiness = openReadiness(process.argv);
const ONCE_QUIET_MS = 5_000;
let daemon: RunningDaemon | null = null;
let leaving = false;

async function leave(code: number): Promise<void> {
  if (leaving) return;
  leaving = true;
  const clean = await daemon?.stop().then(
    () => true,
    () => false,
  );
  process.exit(clean === false ? 1 : code);
}

function builtConsole(): string | null {
  const directory = fileURLToPath(new URL('../web/', import.meta.url));
  return existsSync(directory) ? directory : null;
}

process.on('SIGTERM', () => void leave(0));
process.on('SIGINT', () => void leave(0));
process.on('uncaughtException', (error) => {
  daemon?.log.error('uncaught', { error });
  void leave(1);
});

try {
  daemon = await startDaemon({
    config: loadConfig(),
    progress: (sentence) => readiness.progress(sentence),
    webDirectory: builtConsole(),
    onFatal: () => void leave(1),
  });
  readiness.ready({ pid: process.pid, port: daemon.port });
  // Node stores its compile cache only on a clean exit. Flushing it here makes the start after a power cut as fast.
  setTimeout(flushCompileCache, ONCE_QUIET_MS).unref();
} catch (error) {
  readiness.failed(error);
  process.exitCode = error instanceof RelayError ? error.exit : 1;
  if (!(error instanceof RelayError))
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  // With a pipe, the parent process shows the message.
  else if (!process.argv.includes('--ready-fd')) process.stderr.write(`${error.message}\n`);
}
