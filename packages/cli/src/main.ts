// Entry point of the `relay` process.
import { loadCliConfig } from './config.ts';
import { runProgram } from './program.ts';

// A closed pipe (`relay logs | head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const streams = { out: process.stdout, err: process.stderr };
process.exitCode = await runProgram(process.argv.slice(2), loadCliConfig(), streams);
