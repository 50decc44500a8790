import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startVitest } from 'vitest/node';
import StraysReporter, { type Stray, straysBeside } from './strays-reporter.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-strays-'));
});
afterEach(() => removeFolder(folder));

async function run(file: string): Promise<string> {
  const { exitCode } = process;
  const report = join(folder, 'report.json');
  const strays = straysBeside(report);
  // From an earlier run.
  writeFileSync(strays, '[]');
  const vitest = await startVitest('test', [], {
    config: false,
    watch: false,
    include: [`testing/src/fixtures/${file}`],
    reporters: [{}, new StraysReporter()],
    outputFile: { json: report },
  });
  await vitest.close().finally(() => {
    // The fixture has set it.
    process.exitCode = exitCode;
  });
  return strays;
}

it('reports an unhandled rejection with the file that was running', async () => {
  const strays: Stray[] = JSON.parse(readFileSync(await run('stray.test.ts'), 'utf8'));
  expect(strays).toEqual([
    {
      file: 'testing/src/fixtures/stray.test.ts',
      message: expect.stringContaining('nobody waited for this'),
    },
  ]);
});

it('writes nothing if there was no stray error', async () => {
  expect(existsSync(await run('proofs.test.ts'))).toBe(false);
});
