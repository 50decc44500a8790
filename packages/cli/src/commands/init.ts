// `relay init`: the model, the daemon, the link and a message to oneself, in this order. Everything is
// changed through the daemon; whatever is already there is not asked for again.
import {
  isKeyless,
  PROVIDER_NAMES,
  type ProviderName,
  providerNamed,
} from '@relay/core/agent/providers';
import type { Probe } from '@relay/core/api/messages';
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../api.ts';
import type { Call, Run } from '../command.ts';
import { ensureDaemon } from '../launch.ts';
import { connectedAs, untilLinked } from '../link/link.ts';
import { ask, canAsk, readPiped } from '../prompt.ts';
import type { Terminal } from '../terminal.ts';

interface Model {
  model_provider?: ProviderName;
  model_name?: string;
  model_base_url?: string;
  model_api_key?: string;
}

export const run: Run = async (call) => {
  const { config, terminal, options } = call;
  const model = await chooseModel(call);
  const search = await searchKey(call);
  await ensureDaemon(config, terminal);
  const client = clientOf(config.home);
  terminal.progress('Connecting to WhatsApp …');
  const phone = typeof options.phone === 'string' ? { phone: options.phone } : {};
  await client.post('/api/init', { body: { ...model, ...search, ...phone } });
  const link = await untilLinked(config.home, terminal);
  if (!terminal.json) terminal.say(connectedAs(link));
  // Whoever only brings this key has tried the rest out before.
  const probe = options.skipProbe || options.braveKey ? null : await tryOut(client, terminal);
  if (terminal.json) {
    terminal.give({ connected: true, phone: link.phone, name: link.name, probe });
  } else if (probe !== null) sayProbe(terminal, probe);
  return probe === null || probe.arrived ? 0 : 1;
};

async function chooseModel({ config, options, terminal }: Call): Promise<Model> {
  const given = {
    ...chosen(typeof options.provider === 'string' ? options.provider : ''),
    ...named('model_name', options.model),
    ...named('model_base_url', options.baseUrl),
  };
  if (options.apiKey) {
    return { ...given, model_api_key: await readKey('API key', '--api-key') };
  }
  if (options.braveKey) return given;
  const known = config.modelKey !== null || config.keyless !== null || options.skipModel === true;
  if (known || terminal.json || !canAsk()) return given;
  return askModel(given);
}

async function searchKey({ options }: Call): Promise<{ brave_api_key?: string }> {
  if (!options.braveKey) return {};
  if (options.apiKey && !canAsk()) {
    const what = 'Only one key can be piped in at a time: give --api-key and --brave-key in turn.';
    throw new RelayError('usage', { what });
  }
  return { brave_api_key: await readKey('Brave Search API key', '--brave-key') };
}

async function readKey(name: string, option: string): Promise<string> {
  const key = canAsk() ? await ask(`${name} (not shown): `, { secret: true }) : await readPiped();
  if (key !== '') return key;
  const what = `No ${name} came in. Pipe it in, as in \`relay init ${option} < key.txt\`.`;
  throw new RelayError('usage', { what });
}

const NAMES = PROVIDER_NAMES.join(', ');

async function askModel(given: Model): Promise<Model> {
  const asked = `Model provider for your agents (${NAMES}; Enter to skip): `;
  const model = given.model_provider ? given : { ...given, ...chosen(await ask(asked)) };
  const { model_provider: provider } = model;
  if (provider === undefined) return model;
  if (isKeyless(provider)) return { ...model, ...(await askServer(model)) };
  const key = await ask('API key (not shown; Enter to skip): ', { secret: true });
  return { ...model, ...named('model_api_key', key) };
}

/** A server of one's own: which of its models, and where it is unless that is known. */
async function askServer(given: Model): Promise<Model> {
  const name = given.model_name ?? (await ask('Name of the model, as the server knows it: '));
  const elsewhere = given.model_provider === 'openai-compatible' && !given.model_base_url;
  const url = elsewhere ? await ask('Address of the server, as in http://127.0.0.1:8000/v1: ') : '';
  return { ...named('model_name', name), ...named('model_base_url', url) };
}

function chosen(name: string): Model {
  if (name.trim() === '') return {};
  const model_provider = providerNamed(name);
  if (model_provider !== null) return { model_provider };
  throw new RelayError('usage', { what: `There is no provider "${name}". There are ${NAMES}.` });
}

function named(
  field: 'model_name' | 'model_base_url' | 'model_api_key',
  value: Call['options'][string],
): Model {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? {} : { [field]: text };
}

async function tryOut(client: ReturnType<typeof clientOf>, terminal: Terminal): Promise<Probe> {
  terminal.progress('Writing a message to yourself …');
  return client.post('/api/whatsapp/probe');
}

function sayProbe({ say, colours }: Terminal, probe: Probe): void {
  if (probe.arrived) say(`A message to yourself arrived: ${colours.green('✓')}`);
  else say(`${colours.red('✗')} ${probe.sentence}`);
}
