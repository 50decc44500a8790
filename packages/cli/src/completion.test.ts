import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { CLI_COMMANDS } from './catalogue.ts';
import { buildCompletionScript } from './commands/completion.ts';

test.each(['bash', 'zsh', 'fish'] as const)('%s completes every command and option', (shell) => {
  const script = buildCompletionScript(shell, CLI_COMMANDS);
  for (const spec of CLI_COMMANDS.flatMap((one) => [one, ...(one.subcommands ?? [])])) {
    expect(script).toContain(spec.name);
    for (const [flags] of spec.options ?? []) {
      const long = /--([a-z]+)/.exec(flags)?.[1] ?? '';
      expect(script).toContain(shell === 'fish' ? `-l ${long}` : `--${long}`);
    }
  }
});

test('bash completes commands, choices and options', () => {
  const complete = (...words: string[]) => {
    const line = words.map((word) => `'${word}'`).join(' ');
    const script = `${buildCompletionScript('bash', CLI_COMMANDS)}
COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _relay; echo "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim();
  };
  expect(complete('relay', 'st')).toBe('start stop status');
  expect(complete('relay', 'completion', 'f')).toBe('fish');
  expect(complete('relay', 'logs', '--f')).toBe('--follow');
  expect(complete('relay', 'whatsapp', 'd')).toBe('disconnect');
  expect(complete('relay', 'messages', 'send', '--k')).toBe('--key');
  expect(complete('relay', 'list', '--w')).toBe('--watch');
  expect(complete('relay', 'list', '--state', 'WAI')).toBe('WAITING_FOR_REPLY WAITING_FOR_AGENT');
});
