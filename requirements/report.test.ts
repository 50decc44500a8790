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

// Built from parts, so that the report does not count these samples as citations of this file.
const call = (...args: string[]): string => `${'verifies'}(${args.join(', ')})`;

describe('ids cited by a test file', () => {
  it('are the literals passed to verifies, over several calls and lines', () => {
    const source = `it('a', () => { ${call("'AC-1.1'", "\n  'AC-1.2',\n")}; });\n${call('"AC-2.1"')}`;
    expect(citedIn(source)).toEqual(['AC-1.1', 'AC-1.2', 'AC-2.1']);
  });

  it('are none if verifies is only imported or gets a variable', () => {
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

  it('names an id that appears twice', () => {
    expect(problems([requirement('A'), requirement('A')], [], cited())).toEqual([
      'A is in the manifest twice (again in seed 003).',
    ]);
  });

  it('names an id marked as built that the manifest does not have', () => {
    expect(problems([requirement('A')], ['Q'], cited())).toEqual([
      'Q is marked built and is not in the manifest.',
    ]);
  });
});

describe('the proof', () => {
  const proofs = { 'some.test.ts': { A: ['does a'] } };

  it('requires a passed test for every built id that the test files cite', () => {
    const both = [requirement('A', true), requirement('B', true)];
    expect(unproven(both, cited('A', 'B'), proofs)).toEqual([
      'B is marked built and no passed test proved it: what B says',
    ]);
  });

  it('ignores ids that only other test files cite, and ids that are not built', () => {
    const rows = [requirement('A', true), requirement('B', true), requirement('C')];
    expect(unproven(rows, cited('A', 'C'), proofs)).toEqual([]);
  });
});

describe('the table', () => {
  it('counts total, built, cited and proven for each seed and overall', () => {
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
  it('contains every id once', () => {
    expect(
      problems(requirements, BUILT, new Map()).filter((one) =>
        one.includes('in the manifest twice'),
      ),
    ).toEqual([]);
  });

  it('has one line per id, and the seed in every id that is not an acceptance criterion', () => {
    for (const { id, seed, says } of requirements) {
      expect(says, id).toMatch(/^\S.*\S$/);
      expect(id).toMatch(/^AC-\d\.\d$/.test(id) ? /^AC/ : new RegExp(`^${seed}-[\\w-]+$`));
    }
  });

  it('has all thirty-four acceptance criteria of seed 003', () => {
    expect(requirements.filter(({ id }) => id.startsWith('AC-'))).toHaveLength(34);
  });
});
