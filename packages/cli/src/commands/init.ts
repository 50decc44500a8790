// `relay init`: the model, the daemon, the link and a message to oneself, in this order. Everything is
// changed through the daemon; whatever is already there is not asked for again.
import type { Probe } from '@relay/core/api/messages';
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../api.ts';
import type { Call, Run } from '../command.ts';
import { ensureDaemon } from '../launch.ts';
import { connectedAs, untilLinked } from '../link/link.ts';
import { ask, canAsk, readPiped } from '../prompt.ts';
import type { Terminal } from '../terminal.ts';

interface Model {
  model_provider?: string;
  model_api_key?: string;
}

export const run: Run = async (call) => {
  const { config, terminal, options } = call;
  const model = await chooseModel(call);
  await ensureDaemon(config, terminal);
  const client = clientOf(config.home);
  terminal.progress('Connecting to WhatsApp …');
  const phone = typeof options.phone === 'string' ? { phone: options.phone } : {};
  await client.post('/api/init', { body: { ...model, ...phone } });
  const link = await untilLinked(config.home, terminal);
  if (!terminal.json) terminal.say(connectedAs(link));
  const probe = options.skipProbe ? null : await tryOut(client, terminal);
  if (terminal.json) {
    terminal.give({ connected: true, phone: link.phone, name: link.name, probe });
  } else if (probe !== null) sayProbe(terminal, probe);
  return probe === null || probe.arrived ? 0 : 1;
};

async function chooseModel({ config, options, terminal }: Call): Promise<Model> {
  const provider = typeof options.provider === 'string' ? options.provider.trim() : '';
  if (options.apiKey) {
    const key = canAsk() ? await ask('API key (not shown): ', { secret: true }) : await readPiped();
    if (key === '') {
      const what = 'No API key came in. Pipe it in, as in `relay init --api-key < key.txt`.';
      throw new RelayError('usage', { what });
    }
    return { ...named(provider), model_api_key: key };
  }
  const known = config.modelKey !== null || options.skipModel === true;
  if (known || terminal.json || !canAsk()) return named(provider);
  return askModel(provider);
}

async function askModel(given: string): Promise<Model> {
  const asked = 'Model provider for your agents (anthropic, openai, google; Enter to skip): ';
  const provider = given === '' ? await ask(asked) : given;
  if (provider === '') return {};
  const key = await ask('API key (not shown; Enter to skip): ', { secret: true });
  return key === '' ? named(provider) : { ...named(provider), model_api_key: key };
}

const named = (provider: string): Model => (provider === '' ? {} : { model_provider: provider });

async function tryOut(client: ReturnType<typeof clientOf>, terminal: Terminal): Promise<Probe> {
  terminal.progress('Writing a message to yourself …');
  return client.post('/api/whatsapp/probe');
}

function sayProbe({ say, colours }: Terminal, probe: Probe): void {
  if (probe.arrived) say(`A message to yourself arrived: ${colours.green('✓')}`);
  else say(`${colours.red('✗')} ${probe.sentence}`);
}
