import pc from 'picocolors';
import { expect, test } from 'vitest';
import { broken, doubtful, well } from '../doctor/check.ts';
import { checkClock, checkNode } from '../doctor/machine.ts';
import { merge, show } from './doctor.ts';

test('of two checks with one name the graver is shown', () => {
  const local = [well('disk', 'Fine.'), doubtful('clock', 'Hm.', 'Set it.')];
  const remote = [
    broken('disk', 'Full.', 'Free some.'),
    well('clock', 'Fine.'),
    well('jobs', 'None.'),
  ];
  expect(merge(local, remote).map((check) => check.found)).toEqual(['Full.', 'Hm.', 'None.']);
});

test('shows each check with its sign and how to mend it, and a verdict', () => {
  const checks = [well('node', 'Node 24.'), broken('port', 'In use.', 'Stop it.')];
  expect(show(checks, pc.createColors(false))).toEqual([
    '✓ node  Node 24.',
    '✗ port  In use.',
    '        → Stop it.',
    '',
    '1 thing to mend.',
  ]);
});

test('knows an old Node and a clock that cannot be right', () => {
  expect(checkNode('22.1.0').ok).toBe('no');
  expect(checkNode('24.0.0').ok).toBe('yes');
  expect(checkClock('/nowhere', Date.UTC(1970, 0, 1)).ok).toBe('no');
});
