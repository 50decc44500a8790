// A program for tests of contained-process.ts: says what it may do, or does what a hostile file might make it do.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';

const [how] = process.argv.slice(2);
for await (const _ of process.stdin);

const codeOf = (act: () => unknown): string => {
  try {
    act();
    return 'allowed';
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
};

switch (how) {
  case 'loop':
    for (;;);
  case 'heap': {
    const all: unknown[] = [];
    for (;;) all.push(Array.from({ length: 10_000 }, (_, n) => ({ n })));
  }
  case 'buffers': {
    const all: Buffer[] = [];
    for (;;) all.push(Buffer.alloc(64 * 1024 ** 2, 1));
  }
  case 'output':
    for (let n = 0; n < 1_000; n += 1) {
      await new Promise((resolve) => process.stdout.write('x'.repeat(100_000), resolve));
    }
    break;
  case 'exit':
    process.exit(3);
}

const network = await new Promise<string>((resolve) => {
  const socket = connect({ host: '127.0.0.1', port: 1 });
  socket.on('error', () => resolve('refused'));
  socket.on('connect', () => resolve('connected'));
});
const said = {
  // biome-ignore lint/style/noProcessEnv: that there is none is what the test asks
  environment: Object.keys(process.env),
  read: codeOf(() => readFileSync('/etc/passwd')),
  write: codeOf(() => writeFileSync('/tmp/relay-probe', 'x')),
  program: codeOf(() => spawn('/bin/true')),
  worker: codeOf(() => new Worker('1', { eval: true })),
  network,
};
process.stdout.write(JSON.stringify(said));
