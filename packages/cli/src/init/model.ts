// Which model, for `relay init`: as the flags say, and for the rest as a person at a terminal answers. A key comes from
// standard input or is typed unseen; it is never taken from the command line.
import {
  isKeyless,
  PROVIDER_NAMES,
  type ProviderName,
  providerNamed,
} from '@relay/core/agent/providers';
import { RelayError } from '@relay/core/errors';
import type { Call } from '../command.ts';
import { ask, canAsk, readPiped } from '../prompt.ts';

export interface Model {
  model_provider?: ProviderName;
  model_name?: string;
  model_base_url?: string;
  model_api_key?: string;
}

/** What the flags say, and the key where one is announced. */
export async function modelGiven({ options }: Call): Promise<Model> {
  const given = {
    ...chosen(typeof options.provider === 'string' ? options.provider : ''),
    ...named('model_name', options.model),
    ...named('model_base_url', options.baseUrl),
  };
  if (!options.apiKey) return given;
  return { ...given, model_api_key: await readKey('API key', '--api-key') };
}

export async function searchKey({ options }: Call): Promise<{ brave_api_key?: string }> {
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

/** Nothing: somebody would rather not, now. */
export async function askModel(given: Model): Promise<Model> {
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
