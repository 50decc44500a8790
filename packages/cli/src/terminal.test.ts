import { expect, test } from 'vitest';
import { openTerminal } from './terminal.ts';

function terminal(options: { json: boolean; colour: boolean }, isTTY: boolean) {
  const said = { out: '', err: '' };
  const sink = (name: 'out' | 'err') => ({
    isTTY,
    write: (text: string) => {
      said[name] += text;
    },
  });
  return { said, ...openTerminal(options, sink('out'), sink('err')) };
}

test('colours only for a person at a terminal who wants them', () => {
  const red = (json: boolean, colour: boolean, isTTY: boolean) =>
    terminal({ json, colour }, isTTY).colours.red('x');
  expect(red(false, true, true)).toContain('\u001b');
  for (const plain of [red(false, true, false), red(false, false, true), red(true, true, true)]) {
    expect(plain).toBe('x');
  }
});

test('progress moves on a terminal, is a line elsewhere, and is silent for programs', () => {
  const person = terminal({ json: false, colour: true }, true);
  person.progress('one');
  person.progress('two');
  person.say('done');
  expect(person.said.err).toBe('\r\u001b[Kone\r\u001b[Ktwo\r\u001b[K');
  expect(person.said.out).toBe('done\n');

  const piped = terminal({ json: false, colour: true }, false);
  piped.progress('one');
  expect(piped.said.err).toBe('one\n');

  const program = terminal({ json: true, colour: true }, true);
  program.progress('one');
  program.give({ a: 1 });
  expect(program.said).toEqual({ out: '{"a":1}\n', err: '' });
});
