// `relay observe add <group>`: reads a group in silence from now on. The owner is asked to tell the group
// first, with words ready to be sent; without that nothing is read.
import type { ObservedPreview } from '@relay/core/api/observed-groups';
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../../api.ts';
import type { Options, Run } from '../../command.ts';
import { printable } from '../../format.ts';
import { begunLines } from '../../observing/words.ts';
import { ask, canAsk } from '../../prompt.ts';
import type { Terminal } from '../../terminal.ts';

export const run: Run = async ({ config, terminal, args, options }) => {
  const client = clientOf(config.home);
  const wish = { group: args[0]?.trim() ?? '', ...termsIn(options) };
  const preview = await client.post('/api/observed-groups/preview', { body: wish });
  const asks = !terminal.json && canAsk() && !preview.observed;
  const announced = options.announced === true || (asks && (await wasTold(terminal, preview)));
  const may_answer = options.answer === true || (asks && announced && (await mayAnswer(preview)));
  const group = await client.post('/api/observed-groups', {
    body: { ...wish, group: preview.address, announced, may_answer },
  });
  if (terminal.json) terminal.give(group);
  else for (const line of begunLines(group)) terminal.say(line);
  return 0;
};

async function wasTold(
  terminal: Terminal,
  { name, announcement }: ObservedPreview,
): Promise<boolean> {
  terminal.note(`People in ${printable(name)} should know. You could write there:`);
  terminal.note('');
  terminal.note(`  ${printable(announcement)}`);
  terminal.note('');
  return said(await ask('Have you told them? [y/N] '));
}

const mayAnswer = async ({ assistant_name: name }: ObservedPreview): Promise<boolean> =>
  said(await ask(`May ${printable(name)} answer you there when you ask it by name? [y/N] `));

const said = (answer: string): boolean => /^y(es)?$/i.test(answer);

function termsIn({ name, answers, zone }: Options) {
  return {
    ...(typeof name === 'string' ? { assistant_name: name } : {}),
    ...(typeof answers === 'string' ? { answers_per_day: countIn(answers) } : {}),
    ...(typeof zone === 'string' ? { zone } : {}),
  };
}

function countIn(given: string): number {
  const count = Number(given);
  if (Number.isInteger(count) && count >= 0 && count <= 100) return count;
  throw new RelayError('usage', { what: 'Give --answers a number from 0 to 100.' });
}
