// `relay init`: sets up the model, the daemon, the link and a test message to oneself, in this order. At a terminal it
// asks for each step; otherwise it asks nothing and lists what is missing with the flags that provide it. A model is
// saved only after it has answered.

import {
  isKeyless,
  PROVIDER_NAMES,
  PROVIDERS,
  type ProviderName,
  parseProviderName,
} from '@relay/contract/agent/providers';
import type { ProbeReport } from '@relay/contract/api/sending';
import type { ModelList } from '@relay/contract/api/settings';
import type { LinkBody } from '@relay/contract/api/whatsapp';
import { RelayApiError } from '@relay/contract/client/api-error';
import type { Client } from '@relay/contract/client/client';
import { RelayError } from '@relay/contract/errors';
import { PROBE_MESSAGE_TEXT } from '@relay/core/messages/text';
import { longTimeoutClientOf } from '../api.ts';
import type { CommandCall, RunCommand } from '../command.ts';
import { ensureDaemon } from '../daemon-process.ts';
import { formatCount, toOneLine } from '../format.ts';
import { askUser, canAsk, readPipedLine } from '../prompt.ts';
import type { Terminal } from '../terminal.ts';
import { grantPermissionsCommand as grant } from './grants.ts';
import { describeConnection, waitUntilLinked } from './whatsapp-link.ts';

export const initRelayCommand: RunCommand = async (call) => {
  const { config, terminal, options } = call;
  // With only a web search key there is nothing else to ask.
  if (canAsk() && !terminal.json && !options.braveKey) return runGuidedSetup(call);
  const model = await readModelOptions(call);
  const search = await readSearchKey(call);
  await ensureDaemon(config, terminal);
  const client = longTimeoutClientOf(config.home);
  const isNewModel = Object.keys(model).length > 0;
  const settings = { ...model, ...search, ...(isNewModel ? verification(call) : {}) };
  if (isNewModel && options.verify !== false) terminal.progress('Testing the model …');
  if (options.skipLink === true) return withoutLink(call, client, settings);
  terminal.progress('Connecting to WhatsApp …');
  const phone = typeof options.phone === 'string' ? { phone: options.phone } : {};
  await client.post('/api/init', { body: { ...settings, ...phone } });
  const link = await waitUntilLinked(config.home, terminal);
  if (!terminal.json) terminal.writeLine(describeConnection(link));
  const probe = options.skipProbe || options.braveKey ? null : await sendProbe(client, terminal);
  if (terminal.json) {
    terminal.writeJson({ connected: true, phone: link.phone, name: link.name, probe });
  } else if (probe !== null) printProbe(terminal, probe);
  if (!options.braveKey) await printMissing(call, client, Object.keys(model).length > 0);
  return probe === null || probe.arrived ? 0 : 1;
};

/** `--no-verify` saves a model without asking it anything first. */
const verification = ({ options }: CommandCall): { verify?: false } =>
  options.verify === false ? { verify: false } : {};

async function withoutLink(
  { terminal, options }: CommandCall,
  client: Client,
  settings: ModelChoice & { brave_api_key?: string; verify?: false },
): Promise<number> {
  if (Object.keys(settings).length > 0) {
    const { model } = await client.patch('/api/settings', { body: settings });
    if (!terminal.json && model.ready && settings.brave_api_key === undefined) {
      const tested = options.verify === false ? 'not tested' : 'answered';
      terminal.writeLine(`${terminal.colours.green('✓')} Model: ${model.name} ${tested}.`);
    }
  }
  if (terminal.json) terminal.writeJson({ connected: false, phone: null, name: null, probe: null });
  else terminal.writeLine('No phone is linked yet. Link one with `relay init`.');
  return 0;
}

async function sendProbe(client: Client, terminal: Terminal): Promise<ProbeReport> {
  terminal.progress('Sending a test message to yourself …');
  return client.post('/api/whatsapp/probe');
}

function printProbe({ writeLine, colours }: Terminal, probe: ProbeReport): void {
  if (probe.arrived) writeLine(`${colours.green('✓')} The test message was sent.`);
  else writeLine(`${colours.red('✗')} ${probe.sentence}`);
}

/** Lists what a person would have been asked for. */
async function printMissing(
  { config, options, terminal }: CommandCall,
  client: Client,
  isGiven: boolean,
): Promise<void> {
  const known = isGiven || config.modelKey !== null || config.keylessProvider !== null;
  if (!known && options.skipModel !== true) {
    terminal.notice(
      'No model is set. Set one with `relay init --provider anthropic --api-key < key.txt`.',
    );
  }
  if (options.skipGrants === true) return;
  const grants = await client.get('/api/whatsapp/permissions', { query: { kind: 'all' } });
  if (grants.length === 0) {
    terminal.notice('No grants yet. Add one with `relay grant <who> --read --draft`.');
  }
}

// Guided setup at a terminal: model, link, test message, first grants. Invariant: a step that is already done is
// reported in one line and not asked again, so a second run continues where the first stopped; each step says what it
// is for and can be skipped.

interface SetupContext extends CommandCall {
  readonly client: Client;
}

async function runGuidedSetup(call: CommandCall): Promise<number> {
  // Read before anything is started, so that mistakes are reported first.
  const given = await readModelOptions(call);
  await ensureDaemon(call.config, call.terminal);
  const stage = { ...call, client: longTimeoutClientOf(call.config.home) };
  const model = await chooseModel(stage, given);
  if (model) await offerMeaningSearch(stage);
  const link = await linkPhone(stage);
  const probe = link === null ? null : await sendTestMessage(stage, link);
  const grants = await firstGrants(stage);
  const open = [model, link !== null, probe !== null, grants].filter((done) => !done).length;
  call.terminal.note(
    open === 0
      ? 'Setup is complete. Open the console with `relay open`.'
      : `${formatCount(open, 'step')} skipped. Continue with \`relay init\`.`,
  );
  return probe === false ? 1 : 0;
}

/** True once a model has answered, or was saved without a test. */
async function chooseModel(stage: SetupContext, given: ModelChoice): Promise<boolean> {
  const { options } = stage;
  // A mistake in the options ends the command, as it would in a script.
  if (Object.keys(given).length > 0) {
    await saveModel(stage, given);
    if (options.verify === false) return true;
  }
  if (options.skipModel === true) return skipped(stage, 'Model');
  if (await modelAnswers(stage)) return true;
  explain(stage, 'Model', 'Your agents need a model to answer.');
  for (;;) {
    const asked = await orRefusal(stage, askModelChoice(stage));
    if (asked === null) continue;
    if (asked.model_provider === undefined) return skipped(stage, 'Model');
    const sentence = await orRefusal(stage, saveModel(stage, asked));
    if (sentence === null) continue;
    done(stage, 'Model', sentence);
    return true;
  }
}

/** Saves the model after it has answered one short question; resolves to what was saved. */
async function saveModel(stage: SetupContext, choice: ModelChoice): Promise<string> {
  const { client, terminal, options } = stage;
  if (options.verify !== false) terminal.progress('Testing the model …');
  const body = { ...choice, ...verification(stage) };
  const { model } = await client.patch('/api/settings', { body });
  return `${model.name} ${options.verify === false ? 'not tested' : 'answered'}.`;
}

/** Asks the configured model one short question. */
async function modelAnswers(stage: SetupContext): Promise<boolean> {
  const { client, terminal } = stage;
  const { model } = await client.get('/api/settings');
  if (!model.ready) {
    if (model.provider !== null) failed(stage, model.sentence);
    return false;
  }
  terminal.progress('Testing the model …');
  const { ok, sentence } = await client.post('/api/settings/model/trial');
  if (ok) done(stage, 'Model', sentence);
  else failed(stage, sentence);
  return ok;
}

// Search by meaning: one question, about the embeddings of the model's own provider if it offers some, and otherwise
// about a model on this machine. It is not a step of the setup: once a phone is linked, it is not asked again.

async function offerMeaningSearch(stage: SetupContext): Promise<void> {
  const { client, options, terminal } = stage;
  if (options.skipModel === true || options.verify === false) return;
  if ((await client.get('/api/whatsapp/link')).status === 'connected') return;
  if ((await client.get('/api/memory')).embeddings !== 'off') return;
  const listed = await client.post('/api/settings/model/list').catch(() => null);
  const offered = listed?.embeddings ?? null;
  const body =
    offered === null
      ? { embeddings: 'local' as const }
      : { embeddings: 'endpoint' as const, base_url: offered.base_url, model: offered.model };
  explain(stage, 'Search by meaning', describeOffer(listed));
  if (!/^y(es)?$/i.test(await askUser('Turn it on? [y/N] '))) {
    terminal.note('Search uses words. Change it with `relay memory embeddings`.');
    return;
  }
  terminal.progress('Testing the embeddings …');
  const turnOn = async () => {
    await client.post('/api/memory/embeddings/trial', { body });
    await client.patch('/api/memory/embeddings', { body });
  };
  const isOn = await orRefusal(
    stage,
    turnOn().then(() => true),
  );
  if (isOn !== null) done(stage, 'Search by meaning', `${offered?.model ?? 'the local model'}.`);
}

function describeOffer(listed: ModelList | null): string {
  const why = 'Finds messages by what they mean, besides their words.';
  const offered = listed?.embeddings ?? null;
  if (listed === null || offered === null)
    return `${why} A small model for English runs on this machine; no text leaves it.`;
  const provider = parseProviderName(listed.provider);
  const title = provider === null ? listed.provider : PROVIDERS[provider].title;
  const isOwn = provider !== null && isKeyless(provider);
  return isOwn
    ? `${why} ${title} has ${offered.model}; texts go to your server only.`
    : `${why} ${title}, the provider of your model, has ${offered.model}; the texts of all stored messages are sent there.`;
}

/** Null when skipped. */
async function linkPhone(stage: SetupContext): Promise<LinkBody | null> {
  const { client, config, terminal, options } = stage;
  const before = await client.get('/api/whatsapp/link');
  if (before.status === 'connected') {
    done(stage, 'WhatsApp', describeConnection(before));
    return before;
  }
  if (options.skipLink === true) return skip(stage, 'WhatsApp');
  explain(stage, 'WhatsApp', 'Relay joins your account as a linked device, like WhatsApp Web.');
  const given = typeof options.phone === 'string' ? options.phone : await askHow();
  if (given === null) return skip(stage, 'WhatsApp');
  terminal.progress('Connecting to WhatsApp …');
  await client.post('/api/init', { body: given === '' ? {} : { phone: given } });
  const link = await waitUntilLinked(config.home, terminal);
  done(stage, 'WhatsApp', describeConnection(link));
  return link;
}

/** A phone number, an empty string for a QR code, or null to skip. */
async function askHow(): Promise<string | null> {
  const answer = await askUser(
    'Press Enter for a QR code, or give your phone number for a pairing code, or "skip": ',
  );
  return /^s(kip)?$/i.test(answer) ? null : answer;
}

/** True when the message was sent, now or earlier; null when skipped. */
async function sendTestMessage(stage: SetupContext, { phone }: LinkBody): Promise<boolean | null> {
  const { client, terminal, options } = stage;
  if (phone !== null && (await hasTestMessageArrived(client, phone))) {
    done(stage, 'Test message', 'Already sent.');
    return true;
  }
  if (options.skipProbe === true) return skip(stage, 'Test message');
  explain(stage, 'Test message', 'A message to your own chat checks that sending works.');
  if (/^(s(kip)?|no?)$/i.test(await askUser('Press Enter to send it, or "skip": '))) {
    return skip(stage, 'Test message');
  }
  terminal.progress('Sending a test message to yourself …');
  const { arrived, sentence } = await client.post('/api/whatsapp/probe');
  if (arrived) done(stage, 'Test message', 'Sent.');
  else failed(stage, sentence);
  return arrived;
}

async function hasTestMessageArrived(client: Client, phone: string): Promise<boolean> {
  const query = { contact: phone, limit: 100 };
  const { messages } = await client.get('/api/whatsapp/messages', { query });
  return messages.some(({ fromMe, body }) => fromMe && body === PROBE_MESSAGE_TEXT);
}

/** True when a grant exists, from now or earlier. */
async function firstGrants(stage: SetupContext): Promise<boolean> {
  const { client, options } = stage;
  const granted = await client.get('/api/whatsapp/permissions', { query: { kind: 'all' } });
  if (granted.length > 0) {
    done(
      stage,
      'Grants',
      `${formatCount(granted.length, 'contact or group', 'contacts and groups')}.`,
    );
    return true;
  }
  if (options.skipGrants === true) return skipped(stage, 'Grants');
  explain(stage, 'Grants', 'Agents read and answer only the people that you choose.');
  let some = false;
  for (;;) {
    const who = await askUser(`${some ? 'Next name' : 'Name'} or number (Enter to skip): `);
    if (who === '') return some || skipped(stage, 'Grants');
    some = (await grantOne(stage, who)) || some;
  }
}

async function grantOne(stage: SetupContext, who: string): Promise<boolean> {
  const how = await askUser(
    '(r)ead only, (d)raft replies for your approval, (a)nswer automatically [d]: ',
  );
  const options = {
    read: true as const,
    ...(/^r/i.test(how) ? {} : /^a/i.test(how) ? { reply: true } : { draft: true }),
  };
  return (await orRefusal(stage, grant({ ...stage, args: [who], options }))) !== null;
}

/** Null when the input is invalid, such as an unknown name; the reason is shown, and the caller asks again. */
async function orRefusal<T>(stage: SetupContext, answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof RelayError || error instanceof RelayApiError)) throw error;
    failed(stage, error.message);
    return null;
  }
}

const explain = ({ terminal }: SetupContext, step: string, reason: string): void =>
  terminal.note(`\n${terminal.colours.bold(step)}. ${reason}`);

const done = ({ terminal }: SetupContext, step: string, how: string): void =>
  terminal.writeLine(`${terminal.colours.green('✓')} ${step}: ${how}`);

const failed = ({ terminal }: SetupContext, sentence: string): void =>
  terminal.writeLine(`${terminal.colours.red('✗')} ${sentence}`);

function skip(stage: SetupContext, step: string): null {
  stage.terminal.writeLine(`– ${step}: skipped.`);
  return null;
}

function skipped(stage: SetupContext, step: string): false {
  skip(stage, step);
  return false;
}

// The model choice of `relay init`: from the flags, and otherwise asked at the terminal. A key is read from standard
// input or typed without echo, never taken from the command line.

interface ModelChoice {
  model_provider?: ProviderName;
  model_name?: string;
  model_base_url?: string;
  model_api_key?: string;
}

/** Reads the flags, and the key if a flag announces one. */
async function readModelOptions({ options }: CommandCall): Promise<ModelChoice> {
  const given = {
    ...chosen(typeof options.provider === 'string' ? options.provider : ''),
    ...named('model_name', options.model),
    ...named('model_base_url', options.baseUrl),
  };
  if (!options.apiKey) return given;
  return { ...given, model_api_key: await readKey('API key', '--api-key') };
}

async function readSearchKey({ options }: CommandCall): Promise<{ brave_api_key?: string }> {
  if (!options.braveKey) return {};
  if (options.apiKey && !canAsk()) {
    const what = 'Only one key can be piped in at a time. Give --api-key and --brave-key in turn.';
    throw new RelayError('usage', { what });
  }
  return { brave_api_key: await readKey('Brave Search API key', '--brave-key') };
}

async function readKey(name: string, option: string): Promise<string> {
  const key = canAsk()
    ? await askUser(`${name} (not shown): `, { secret: true })
    : await readPipedLine();
  if (key !== '') return key;
  const what = `No ${name} was given. Pipe it in: \`relay init ${option} < key.txt\`.`;
  throw new RelayError('usage', { what });
}

const NAMES = PROVIDER_NAMES.join(', ');

/** An empty choice when the person skips the step. */
async function askModelChoice(stage: SetupContext): Promise<ModelChoice> {
  const provider = chosen(
    await askUser(`Model provider for your agents (${NAMES}; Enter to skip): `),
  );
  if (provider.model_provider === undefined) return {};
  const choice = { ...provider, ...(await askAccess(provider.model_provider)) };
  return { ...choice, ...(await askModelName(stage, choice)) };
}

/** The key of a hosted provider, or the address of a server. */
async function askAccess(provider: ProviderName): Promise<ModelChoice> {
  const { baseUrl, keyPage } = PROVIDERS[provider];
  if (!isKeyless(provider)) {
    const where = keyPage === undefined ? '' : `from ${keyPage}, `;
    const key = await askUser(`API key (${where}not shown): `, { secret: true });
    return named('model_api_key', key);
  }
  const asked =
    baseUrl === null
      ? 'Server address, such as http://127.0.0.1:8000/v1: '
      : `Server address (Enter for ${baseUrl}): `;
  return named('model_base_url', await askUser(asked));
}

const MOST_SHOWN = 15;

/** Offers the models that the provider lists. Where it lists none, a name is typed. */
async function askModelName(stage: SetupContext, choice: ModelChoice): Promise<ModelChoice> {
  const usual = PROVIDERS[choice.model_provider ?? 'openai-compatible'].model;
  const models = await listModels(stage, choice);
  const shown = models.slice(0, MOST_SHOWN);
  for (const [index, name] of shown.entries()) {
    stage.terminal.note(`${String(index + 1).padStart(4)}  ${toOneLine(name)}`);
  }
  if (models.length > MOST_SHOWN) {
    stage.terminal.note(`      and ${models.length - MOST_SHOWN} more; any name can be typed.`);
  }
  const preset = usual ?? (models.length === 1 ? models[0] : undefined);
  const how = models.length > 0 ? 'Model (name or number' : 'Model name (as the server spells it';
  const typed = await askUser(`${how}${preset === undefined ? '' : `; Enter for ${preset}`}): `);
  const name = shown[Number(typed) - 1] ?? (typed === '' ? preset : typed);
  return named('model_name', name);
}

/** Empty if the provider has no list. A wrong key or address is reported before the model is asked for. */
async function listModels({ client, terminal }: SetupContext, choice: ModelChoice) {
  terminal.progress('Listing the models …');
  try {
    return (await client.post('/api/settings/model/list', { body: { ...choice } })).models;
  } catch (error) {
    const isUnlisted = error instanceof RelayApiError && error.code === 'models_unlisted';
    if (isUnlisted) return [];
    throw error;
  }
}

function chosen(name: string): ModelChoice {
  if (name.trim() === '') return {};
  const model_provider = parseProviderName(name);
  if (model_provider !== null) return { model_provider };
  throw new RelayError('usage', { what: `There is no provider "${name}". Use one of ${NAMES}.` });
}

function named(
  field: 'model_name' | 'model_base_url' | 'model_api_key',
  value: CommandCall['options'][string],
): ModelChoice {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? {} : { [field]: text };
}
