import { describe, expect, it } from 'vitest';
import { BUILT } from './built.ts';
import { type Requirement, requirements } from './manifest.ts';
import { citedIn, problems, table, unproven } from './report.ts';

const requirement = (id: string, built = false): Requirement => ({
  id,
  seed: '003',
  says: `what ${id} says`,
  built,
});
const cited = (...ids: string[]) => new Map([['some.test.ts', ids]]);

// Built from parts, so that the report does not read these samples as citations of this file.
const call = (...args: string[]): string => `${'verifies'}(${args.join(', ')})`;

describe('the ids a test file cites', () => {
  it('are the literals given to verifies, over several calls and lines', () => {
    const source = `it('a', () => { ${call("'AC-1.1'", "\n  'AC-1.2',\n")}; });\n${call('"AC-2.1"')}`;
    expect(citedIn(source)).toEqual(['AC-1.1', 'AC-1.2', 'AC-2.1']);
  });

  it('are none where verifies is only imported or given a variable', () => {
    expect(citedIn("import { verifies } from '@relay/testing/verifies';")).toEqual([]);
    expect(citedIn(call('row.id'))).toEqual([]);
  });
});

describe('the check', () => {
  it('passes when every built id is cited', () => {
    expect(problems([requirement('A', true), requirement('B')], ['A'], cited('A'))).toEqual([]);
  });

  it('names a built id that no test cites', () => {
    expect(problems([requirement('A', true)], ['A'], cited())).toEqual([
      'A is marked built and no test cites it: what A says',
    ]);
  });

  it('names a citation of an unknown id, and the file', () => {
    expect(problems([requirement('A')], [], cited('A', 'Z'))).toEqual([
      'some.test.ts cites Z, which is not a requirement.',
    ]);
  });

  it('names an id that is there twice', () => {
    expect(problems([requirement('A'), requirement('A')], [], cited())).toEqual([
      'A is in the manifest twice (again in seed 003).',
    ]);
  });

  it('names an id marked built that the manifest does not have', () => {
    expect(problems([requirement('A')], ['Q'], cited())).toEqual([
      'Q is marked built and is not in the manifest.',
    ]);
  });
});

describe('the proof', () => {
  const proofs = { 'some.test.ts': { A: ['does a'] } };

  it('asks for a passed test of every built id that the test files cite', () => {
    const both = [requirement('A', true), requirement('B', true)];
    expect(unproven(both, cited('A', 'B'), proofs)).toEqual([
      'B is marked built and no passed test proved it: what B says',
    ]);
  });

  it('does not ask for ids that only other test files cite, or that are not built', () => {
    const rows = [requirement('A', true), requirement('B', true), requirement('C')];
    expect(unproven(rows, cited('A', 'C'), proofs)).toEqual([]);
  });
});

describe('the table', () => {
  it('counts total, built, cited and proven for each seed and for all', () => {
    const rows = [requirement('A', true), requirement('B'), { ...requirement('C'), seed: '004' }];
    const shown = table(rows, cited('A', 'C'), { 'some.test.ts': { A: ['does a'] } });
    expect(shown.split('\n').map((line) => line.split(/\s+/))).toEqual([
      ['seed', 'total', 'built', 'cited', 'proven'],
      ['003', '2', '1', '1', '1'],
      ['004', '1', '0', '1', '0'],
      ['all', '3', '1', '2', '1'],
    ]);
  });
});

describe('the manifest', () => {
  it('has every id once', () => {
    expect(
      problems(requirements, BUILT, new Map()).filter((one) =>
        one.includes('in the manifest twice'),
      ),
    ).toEqual([]);
  });

  it('has one line for each id, and the seed in ids that are no acceptance criterion', () => {
    for (const { id, seed, says } of requirements) {
      expect(says, id).toMatch(/^\S.*\S$/);
      expect(id).toMatch(/^AC-\d\.\d$/.test(id) ? /^AC/ : new RegExp(`^${seed}-[\\w-]+$`));
    }
  });

  it('has all thirty-four acceptance criteria of seed 003', () => {
    expect(requirements.filter(({ id }) => id.startsWith('AC-'))).toHaveLength(34);
  });
});
