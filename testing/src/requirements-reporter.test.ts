import { describe, expect, it } from 'vitest';
import { startVitest } from 'vitest/node';
import { merge, provenBy } from './requirements-reporter.ts';

describe('merging the proofs of a run into earlier ones', () => {
  const all = () => true;

  it('adds up runs over different files', () => {
    const unit = { 'a.test.ts': { 'AC-1.1': ['one'] } };
    const integration = { 'b.int.test.ts': { 'AC-1.2': ['two'] } };
    expect(merge(unit, integration, all)).toEqual({ ...unit, ...integration });
  });

  it('replaces the proofs of a file that ran again, also when nothing passed', () => {
    const before = { 'a.test.ts': { 'AC-1.1': ['one'] } };
    expect(merge(before, { 'a.test.ts': { 'AC-1.2': ['two'] } }, all)).toEqual({
      'a.test.ts': { 'AC-1.2': ['two'] },
    });
    expect(merge(before, { 'a.test.ts': {} }, all)).toEqual({});
  });

  it('drops files that no longer exist', () => {
    const before = { 'gone.test.ts': { 'AC-1.1': ['one'] } };
    expect(merge(before, {}, () => false)).toEqual({});
  });
});

it('keeps what passed tests named, and nothing of failed or skipped ones', async () => {
  const exitCode = process.exitCode;
  const run = await startVitest('test', [], {
    config: false,
    watch: false,
    include: ['testing/src/fixtures/proofs.test.ts'],
    reporters: [{}],
  });
  try {
    expect(run.state.getTestModules().map(provenBy)).toEqual([
      { 'AC-1.1': ['passes'], 'AC-1.2': ['passes', 'passes too'] },
    ]);
  } finally {
    await run.close();
    // The failing fixture set it.
    process.exitCode = exitCode;
  }
});
