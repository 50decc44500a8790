// The entry point of the daemon's process: reads the configuration, starts the daemon, reports the result to the
// waiting command, and stops the daemon on a signal.
import { existsSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { RelayError } from '@relay/contract/errors';
import type { ProcessRole, RunningDaemon } from './compose.ts';
import { loadConfig } from './config.ts';
import { startDaemon } from './daemon.ts';
import { openReadiness } from './platform/home/readiness.ts';

// Files that this process or one of its libraries creates are readable by the owner only.
process.umask(0o077);
const readiness = openReadiness(process.argv);
const ONCE_QUIET_MS = 5_000;
const STOP_WITHIN_MS = 50_000;
let daemon: RunningDaemon | null = null;
let leaving = false;

async function leave(code: number): Promise<void> {
  if (leaving) return;
  leaving = true;
  // A part that cannot stop, such as a database that is gone, must not keep the process.
  setTimeout(() => process.exit(code || 1), STOP_WITHIN_MS).unref();
  const clean = await daemon?.stop().then(
    () => true,
    () => false,
  );
  process.exit(clean === false && code === 0 ? 1 : code);
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

function readRole(argv: readonly string[]): ProcessRole {
  if (argv.includes('--api')) return { kind: 'api' };
  const worker = argv.indexOf('--worker');
  return worker < 0 ? { kind: 'all' } : { kind: 'worker', capacity: Number(argv[worker + 1]) };
}

async function run(): Promise<void> {
  // `relay doctor` while no daemon runs.
  if (process.argv.includes('--check')) {
    const { checkStart } = await import('./start-checks.ts');
    const checks = await checkStart();
    process.stdout.write(`${JSON.stringify({ checks })}\n`, () => process.exit(0));
    return;
  }
  const config = loadConfig();
  const progress = (sentence: string) => readiness.progress(sentence);
  const drill = process.argv.indexOf('--drill');
  if (drill >= 0) {
    const { drillBackup } = await import('./drill.ts');
    readiness.drilled(await drillBackup({ config, file: process.argv[drill + 1] ?? '', progress }));
    return;
  }
  daemon = await startDaemon({
    config,
    role: readRole(process.argv),
    logsToStdout: process.argv.includes('--log-stdout'),
    progress,
    notice: (sentence) => readiness.notice(sentence),
    webDirectory: builtConsole(),
    onFatal: (error) => {
      process.stderr.write(`${error.message}\n`);
      void leave(error.exit);
    },
  });
  const database = process.argv.includes('--share-database') ? daemon.databaseUrl : null;
  readiness.ready({
    pid: process.pid,
    port: daemon.port,
    ...(database === null ? {} : { database }),
  });
  // Node stores its compile cache only on a clean exit. Flushing it here makes the start after a power cut as fast.
  setTimeout(flushCompileCache, ONCE_QUIET_MS).unref();
}

try {
  await run();
} catch (error) {
  readiness.failed(error);
  process.exitCode = error instanceof RelayError ? error.exit : 1;
  if (!(error instanceof RelayError))
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  // With a pipe, the parent process shows the message.
  else if (!process.argv.includes('--ready-fd')) process.stderr.write(`${error.message}\n`);
}
