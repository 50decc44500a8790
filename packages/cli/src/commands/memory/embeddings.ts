// `relay memory embeddings off|local|endpoint`: tries the model first, says what it would take and what would
// leave the machine, and begins with a yes.
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../../api.ts';
import type { Call, Run } from '../../command.ts';
import { printable } from '../../format.ts';
import { described, meaning } from '../../memory/words.ts';
import { ask, canAsk, readPiped } from '../../prompt.ts';

export const run: Run = async (call) => {
  const { config, terminal } = call;
  const client = clientOf(config.home);
  const body = await choiceOf(call);
  if (body.embeddings !== 'off') {
    terminal.progress('Trying the model …');
    const trial = await client.post('/api/memory/embeddings/trial', { body });
    if (!terminal.json) for (const line of meaning(trial)) terminal.say(printable(line));
    if (!(await isWanted(call))) return 1;
  }
  const status = await client.patch('/api/memory/embeddings', { body });
  if (terminal.json) terminal.give(status);
  else for (const line of described(status)) terminal.say(printable(line));
  return 0;
};

interface Choice {
  embeddings: 'off' | 'local' | 'endpoint';
  base_url?: string;
  model?: string;
  api_key?: string;
}

async function choiceOf({ args, options }: Call): Promise<Choice> {
  const [embeddings] = args;
  if (embeddings !== 'off' && embeddings !== 'local' && embeddings !== 'endpoint') {
    throw new RelayError('usage', { what: 'Say off, local or endpoint.' });
  }
  return {
    embeddings,
    ...(typeof options.baseUrl === 'string' ? { base_url: options.baseUrl } : {}),
    ...(typeof options.model === 'string' ? { model: options.model } : {}),
    ...(options.key === true ? { api_key: await readKey() } : {}),
  };
}

async function readKey(): Promise<string> {
  const key = canAsk() ? await ask('Key (not shown): ', { secret: true }) : await readPiped();
  if (key !== '') return key;
  const what =
    'No key came in. Pipe it in, as in `relay memory embeddings endpoint --key < key.txt`.';
  throw new RelayError('usage', { what });
}

async function isWanted({ terminal, options }: Call): Promise<boolean> {
  if (options.yes === true) return true;
  if (terminal.json || !canAsk()) {
    throw new RelayError('usage', {
      what: 'Nothing was changed: say --yes to begin without being asked.',
    });
  }
  if (/^y(es)?$/i.test(await ask('Begin? [y/N] '))) return true;
  terminal.note('Nothing was changed.');
  return false;
}
