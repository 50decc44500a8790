import { describe, expect, it } from 'vitest';
import { type Requirement, requirements } from './manifest.ts';
import { citedIn, problems, table, unproven } from './report.ts';

const requirement = (id: string): Requirement => ({ id, seed: '003', says: `what ${id} says` });
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
  it('passes when every id is cited', () => {
    expect(problems([requirement('A')], cited('A'))).toEqual([]);
  });

  it('names an id that no test cites', () => {
    expect(problems([requirement('A'), requirement('B')], cited('B'))).toEqual([
      'No test cites A: what A says',
    ]);
  });

  it('names a citation of an unknown id, and the file', () => {
    expect(problems([requirement('A')], cited('A', 'Z'))).toEqual([
      'some.test.ts cites Z, which is not a requirement.',
    ]);
  });

  it('names an id that appears twice', () => {
    expect(problems([requirement('A'), requirement('A')], cited('A'))).toEqual([
      'A is in the manifest twice (again in seed 003).',
    ]);
  });
});

describe('the proof', () => {
  const proofs = { 'some.test.ts': { A: ['does a'] } };

  it('requires a passed test for every id that the test files cite', () => {
    const both = [requirement('A'), requirement('B')];
    expect(unproven(both, cited('A', 'B'), proofs)).toEqual([
      'No passed test proved B: what B says',
    ]);
  });

  it('ignores ids that only other test files cite', () => {
    expect(unproven([requirement('A'), requirement('B')], cited('A'), proofs)).toEqual([]);
  });
});

describe('the table', () => {
  it('counts total, cited and proven for each seed and overall', () => {
    const rows = [requirement('A'), requirement('B'), { ...requirement('C'), seed: '004' }];
    const shown = table(rows, cited('A', 'C'), { 'some.test.ts': { A: ['does a'] } });
    expect(shown.split('\n').map((line) => line.split(/\s+/))).toEqual([
      ['seed', 'total', 'cited', 'proven'],
      ['003', '2', '1', '1'],
      ['004', '1', '1', '0'],
      ['all', '3', '2', '1'],
    ]);
  });
});

describe('the manifest', () => {
  it('contains every id once', () => {
    expect(
      problems(requirements, new Map()).filter((one) => one.includes('in the manifest twice')),
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
