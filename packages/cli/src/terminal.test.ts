import { expect, test } from 'vitest';
import { openTerminal } from './terminal.ts';

function terminal(
  options: { json: boolean; colour: boolean },
  isTTY: boolean,
  { rows = 24, columns = 80 } = {},
) {
  const said = { out: '', err: '' };
  const sink = (name: 'out' | 'err') => ({
    isTTY,
    rows,
    columns,
    write: (text: string) => {
      said[name] += text;
    },
  });
  return { said, ...openTerminal(options, sink('out'), sink('err')) };
}

test('uses colours only for a person at a terminal who wants them', () => {
  const red = (json: boolean, colour: boolean, isTTY: boolean) =>
    terminal({ json, colour }, isTTY).colours.red('x');
  expect(red(false, true, true)).toContain('\u001b');
  for (const plain of [red(false, true, false), red(false, false, true), red(true, true, true)]) {
    expect(plain).toBe('x');
  }
});

test('redraws progress on a terminal, prints lines elsewhere, and is silent for programs', () => {
  const person = terminal({ json: false, colour: true }, true);
  person.progress('one');
  person.progress('two');
  person.writeLine('done');
  expect(person.said.err.replaceAll('\r\u001b[K', '|')).toMatch(/^\|one\|+two\|$/);
  expect(person.said.out).toBe('done\n');

  const piped = terminal({ json: false, colour: true }, false);
  piped.progress('one');
  expect(piped.said.err).toBe('one\n');

  const program = terminal({ json: true, colour: true }, true);
  program.progress('one');
  program.writeJson({ a: 1 });
  expect(program.said).toEqual({ out: '{"a":1}\n', err: '' });
});

test('keeps a notice on the terminal after the command has ended', () => {
  const person = terminal({ json: false, colour: true }, true);
  person.progress('Loading …');
  person.notice('No approvals are pending.');
  person.clearTransient();
  expect(person.said.err.endsWith('\u001b[KNo approvals are pending.\n')).toBe(true);

  const program = terminal({ json: true, colour: true }, true);
  program.notice('No approvals are pending.');
  expect(program.said.err).toBe('');
});

test('redraws a drawing in place and removes it at the end', () => {
  const person = terminal({ json: false, colour: true }, true);
  person.draw(['a', 'b']);
  person.draw(['c']);
  person.writeLine('done');
  expect(person.said.out).toBe('a\nb\n\u001b[2A\r\u001b[Jc\n\u001b[1A\r\u001b[Jdone\n');
  expect(person.size).toEqual({ rows: 24, columns: 80 });
});

test('never redraws over a drawing that does not fit or is not on a terminal', () => {
  for (const plain of [
    terminal({ json: false, colour: true }, true, { rows: 2 }),
    terminal({ json: false, colour: true }, false),
  ]) {
    plain.draw(['a', 'b']);
    plain.draw(['c', 'd']);
    expect(plain.said.out).toBe('a\nb\nc\nd\n');
  }
  expect(terminal({ json: false, colour: true }, false).size).toBeNull();
});

test('removes lines that wrap at the edge of the window completely', () => {
  const person = terminal({ json: false, colour: true }, true);
  person.draw(['x'.repeat(80), 'y'.repeat(81), `\u001b[1m${'z'.repeat(80)}\u001b[0m`]);
  person.progress('p'.repeat(161));
  person.clearTransient();
  expect(person.said.out).toContain('\u001b[4A\r\u001b[J');
  expect(person.said.err.endsWith('\u001b[2A\r\u001b[J')).toBe(true);
});

test('a terminal that reports a width of 0 has none', () => {
  const person = terminal({ json: false, colour: true }, true, { rows: 0, columns: 0 });
  person.progress('Loading …');
  person.writeLine('done');
  expect(person.said.err).toBe('\r\u001b[KLoading …\r\u001b[K');
  expect(person.size).toBeNull();
});
