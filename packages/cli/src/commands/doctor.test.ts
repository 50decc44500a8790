import pc from 'picocolors';
import { expect, test } from 'vitest';
import {
  checkClock,
  checkNode,
  failedCheck,
  formatChecks,
  mergeChecks,
  passedCheck,
  warningCheck,
} from './doctor.ts';

test('shows the more serious of two checks with the same name', () => {
  const local = [passedCheck('disk', 'Fine.'), warningCheck('clock', 'Hm.', 'Set it.')];
  const remote = [
    failedCheck('disk', 'Full.', 'Free some.'),
    passedCheck('clock', 'Fine.'),
    passedCheck('jobs', 'None.'),
  ];
  expect(mergeChecks(local, remote).map((check) => check.found)).toEqual(['Full.', 'Hm.', 'None.']);
});

test('shows each check with its sign and fix, and a verdict', () => {
  const checks = [passedCheck('node', 'Node 24.'), failedCheck('port', 'In use.', 'Stop it.')];
  expect(formatChecks(checks, pc.createColors(false))).toEqual([
    '✓ node  Node 24.',
    '✗ port  In use.',
    '        → Stop it.',
    '',
    '1 problem to fix.',
  ]);
});

test('detects an old Node and an impossible clock', () => {
  expect(checkNode('22.1.0').ok).toBe('no');
  expect(checkNode('24.0.0').ok).toBe('yes');
  expect(checkClock('/nowhere', Date.UTC(1970, 0, 1)).ok).toBe('no');
});
