// Checks model settings against the provider: one short question to the model, the list of models, and for every failure
// a sentence with the next step. An error contains nothing that was sent or answered.

import { isKeyless, PROVIDERS, type ProviderName } from '@relay/contract/agent/providers';
import type { ModelList, ModelTrial } from '@relay/contract/api/settings';
import { RelayError } from '@relay/contract/errors';
import { type AccountModel, nearestName } from '@relay/contract/settings';
import { EgressError, hostAndPort, openEgress } from '../platform/egress/egress.ts';
import { systemClock } from './agent/clock.ts';
import { askTestQuestion } from './agent/model.ts';
import { openModel, providerOf } from './providers.ts';

/** A hosted model answers soon. A model on one's own machine may have to be loaded first. */
const HOSTED_PATIENCE_MS = 20_000;
const OWN_PATIENCE_MS = 60_000;
const LIST_PATIENCE_MS = 10_000;
/** The largest list known has several hundred models with descriptions. */
const LIST_BYTES = 8 * 1024 * 1024;

interface CheckLimits {
  /** `agent.call_timeout_ms`: no check waits longer than a turn would. */
  readonly callTimeoutMs: number;
}

/** Asks the model one short question. Throws a RelayError that says what is wrong and what to do. */
export async function checkModel(
  settings: AccountModel,
  { callTimeoutMs }: CheckLimits,
): Promise<ModelTrial> {
  const target = describeTarget(settings);
  const opened = await openModel(settings).catch((error: unknown) => {
    throw incompleteError(error, target);
  });
  const patience = isKeyless(target.provider) ? OWN_PATIENCE_MS : HOSTED_PATIENCE_MS;
  const patienceMs = Math.min(callTimeoutMs, patience);
  try {
    const ms = await askTestQuestion(opened, { clock: systemClock, patienceMs });
    return { ok: true, sentence: `${opened.name} answered in ${ms} ms.`, ms };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    const asked = { ...target, model: opened.name, settings, seconds: patienceMs / 1_000 };
    throw await explainFailure(error, asked);
  }
}

/**
 * For a check that is run often: the provider's list of models where it proves that key and name are right, which costs
 * nothing, and the test question otherwise. Resolves to a sentence.
 */
export async function probeModel(settings: AccountModel, limits: CheckLimits): Promise<string> {
  const target = describeTarget(settings);
  const { name } = await openModel(settings).catch((error: unknown) => {
    throw incompleteError(error, target);
  });
  // OpenRouter lists its models to anybody, so its list proves no key.
  if (target.provider !== 'openrouter') {
    const listed = await listModels(settings).catch((error: unknown) => {
      if (error instanceof RelayError && error.code === 'models_unlisted') return null;
      throw error;
    });
    if (listed?.models.includes(name)) {
      const key = target.hasKey ? ', and the key is accepted' : '';
      return `${target.title} answers and has the model ${name}${key}.`;
    }
  }
  return (await checkModel(settings, limits)).sentence;
}

/** What errors say about the provider. */
interface CheckTarget {
  readonly provider: ProviderName;
  readonly title: string;
  readonly baseUrl: string | null;
  readonly hasKey: boolean;
}

interface AskedTarget extends CheckTarget {
  readonly model: string;
  readonly settings: AccountModel;
  readonly seconds: number;
}

function describeTarget(settings: AccountModel): CheckTarget {
  const provider = providerOfSettings(settings);
  const { title, baseUrl } = PROVIDERS[provider];
  const hasKey = settings.model_api_key !== null;
  return { provider, title, baseUrl: settings.model_base_url ?? baseUrl, hasKey };
}

function providerOfSettings(settings: AccountModel): ProviderName {
  try {
    return providerOf(settings);
  } catch (error) {
    throw incompleteError(error, null);
  }
}

/** The same facts as at the begin of a turn, with the option that sets what is missing. */
function incompleteError(error: unknown, target: CheckTarget | null): RelayError {
  if (!(error instanceof RelayError) || error.code !== 'agent_unavailable') throw error;
  const what = String(error.params.what);
  return new RelayError('model_incomplete', { what }, { action: missingAction(what, target) });
}

function missingAction(what: string, target: CheckTarget | null): string {
  const command = `relay init --provider ${target?.provider ?? 'anthropic'}`;
  if (what.startsWith('"model_api_key"')) {
    const page = target === null ? undefined : PROVIDERS[target.provider].keyPage;
    const where = page === undefined ? '' : `Create a key at ${page}, and `;
    return sentenceCase(`${where}give it with \`${command} --api-key\`.`);
  }
  if (target !== null && what.startsWith('"model_name"'))
    return `List the models with \`${listCommand(target)}\`, and choose one with \`${command} --model <name>\`.`;
  if (what.startsWith('"model_base_url"'))
    return `Give the address with \`${command} --base-url http://127.0.0.1:8000/v1\`.`;
  return `Choose a provider with \`${command} --api-key\`.`;
}

/** Names the provider and its address: what was refused is not saved, so the command does not know them. */
function listCommand({ provider, baseUrl }: CheckTarget): string {
  const own = baseUrl === PROVIDERS[provider].baseUrl ? '' : ` --base-url ${baseUrl}`;
  return `relay model list --provider ${provider}${own}`;
}

const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

// Turns the failure of the test question into the error for the person who sets the model up.

async function explainFailure(error: RelayError, asked: AskedTarget): Promise<RelayError> {
  const { title, model, seconds } = asked;
  const address = asked.baseUrl ?? '';
  const status = Number(error.params.status ?? 0);
  const fail = (
    code: RelayError['code'],
    params: Record<string, string | number>,
    action?: string,
  ) => new RelayError(code, { address, ...params }, { action, cause: error });
  switch (error.code) {
    case 'model_slow':
      return fail('model_no_answer', { model, seconds }, slowAction(asked));
    case 'model_busy':
      return new RelayError(
        'model_busy',
        { provider: title },
        {
          action: `Check the limits and the credit of your key at ${title}, or try again later.`,
          cause: error,
        },
      );
    case 'model_unreachable':
      return explainUnreachable(error, asked);
    case 'model_garbled':
      return fail('model_address_wrong', { what: 'the answer is not one of a model' });
    case 'model_refused':
      if (status === 401 || status === 403)
        return fail('model_key_refused', { provider: title, status }, keyAction(asked));
      if (status === 402)
        return fail('model_rejected_test', { model, status }, `Add credit at ${title}.`);
      return explainRefused(status, asked, error);
    default:
      return error;
  }
}

function slowAction({ provider }: AskedTarget): string {
  return isKeyless(provider)
    ? 'A large model takes time to load: try again, choose a smaller one, or raise "agent.call_timeout_ms".'
    : 'Try again, or choose a faster model.';
}

function keyAction({ provider, hasKey }: CheckTarget): string {
  const { keyPage } = PROVIDERS[provider];
  const command = `\`relay init --provider ${provider} --api-key\``;
  if (!hasKey) return `This server needs a key; give it with ${command}.`;
  const where = keyPage === undefined ? '' : ` at ${keyPage}`;
  return `Check the key${where}, and give it again with ${command}.`;
}

function explainUnreachable(error: RelayError, asked: AskedTarget): RelayError {
  const { provider, model, seconds } = asked;
  const address = asked.baseUrl ?? '';
  const cause = { cause: error };
  const code = String(error.params.what ?? '');
  if (code.startsWith('no answer within')) {
    return new RelayError(
      'model_no_answer',
      { model, address, seconds },
      { action: slowAction(asked), ...cause },
    );
  }
  const status = Number(/^status (\d+)/.exec(code)?.[1] ?? 0);
  if (status === 404) return addressWrong(asked, status, error);
  if (status > 0) {
    return new RelayError(
      'model_rejected_test',
      { address, model, status },
      { action: failingAction(asked), ...cause },
    );
  }
  const what = describeNetworkFault(code);
  const { start, title } = PROVIDERS[provider];
  const isLocalStop = code === 'ECONNREFUSED' && start !== undefined;
  const action = isLocalStop
    ? `Start ${title} with \`${start}\`, or give its address with --base-url.`
    : networkAction(code);
  return new RelayError('model_offline', { address, what }, { action, ...cause });
}

const TLS_FAULT = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|EPROTO/;

/** A system error code in words. */
function describeNetworkFault(code: string): string {
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the name has no address';
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'there is no network route to it';
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return 'the connection was cut';
  if (TLS_FAULT.test(code)) return `the encrypted connection failed (${code})`;
  return code;
}

function networkAction(code: string): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return 'Check the spelling of the address, and the network of this machine.';
  if (TLS_FAULT.test(code))
    return 'Check the address (http or https), the certificate, and the clock of this machine.';
  return 'Check the address, that the server runs, and the network of this machine.';
}

/** A refusal of the request itself: a missing model, a wrong path, or a model without tools. */
async function explainRefused(
  status: number,
  asked: AskedTarget,
  cause: RelayError,
): Promise<RelayError> {
  const { model, settings } = asked;
  const address = asked.baseUrl ?? '';
  const listed = await fetchModels(settings).catch((error: unknown) => {
    if (error instanceof RelayError) return error;
    throw error;
  });
  if (listed instanceof RelayError) {
    if (listed.code === 'model_key_refused') return listed;
    if (status === 404 || status === 405) return addressWrong(asked, status, cause);
  } else if (!listed.some(({ name }) => name === model)) {
    const action = otherModelsAction(asked, namesForAgents(listed));
    return new RelayError('model_not_found', { model, address }, { action, cause });
  }
  const action = rejectedAction(asked);
  return new RelayError('model_rejected_test', { address, model, status }, { action, cause });
}

const addressWrong = ({ baseUrl }: AskedTarget, status: number, cause: unknown): RelayError =>
  new RelayError(
    'model_address_wrong',
    { address: baseUrl ?? '', what: `it answered ${status}` },
    { cause },
  );

const SHOWN_MODELS = 5;

function otherModelsAction(asked: AskedTarget, models: readonly string[]): string {
  const { provider, model } = asked;
  const pull = provider === 'ollama' ? `Get it with \`ollama pull ${model}\`, or use` : 'Use';
  if (models.length === 0) {
    if (provider === 'ollama') return `Get it with \`ollama pull ${model}\`.`;
    return provider === 'lm-studio' ? 'Load it with `lms load`.' : 'Load a model first.';
  }
  const meant = nearestName(model, models);
  const first = meant === null ? models : [meant, ...models.filter((one) => one !== meant)];
  const shown = first.slice(0, SHOWN_MODELS).join(', ');
  const rest = models.length > SHOWN_MODELS ? `, … List all with \`${listCommand(asked)}\`.` : '.';
  return `${pull} one of these with --model: ${shown}${rest}`;
}

/** The usual reasons for refusing a request with tools to a model that exists. */
function rejectedAction({ provider, title }: AskedTarget): string {
  const need = 'Choose a model that supports tools (function calling)';
  if (provider === 'vllm') return `${need}, and start vLLM with --enable-auto-tool-choice.`;
  if (provider === 'llama.cpp') return `${need}, and start llama-server with --jinja.`;
  if (provider === 'openrouter')
    return `${need}, and check which providers https://openrouter.ai/settings/privacy allows.`;
  return isKeyless(provider) ? `${need}.` : `${need}, and check your credit at ${title}.`;
}

/** A server on one's own machine is there, but cannot answer: the reason is in its log. */
function failingAction(asked: AskedTarget): string {
  const { provider, title } = asked;
  if (!isKeyless(provider)) return `${title} has a problem; try again later.`;
  const tools = provider === 'llama.cpp' ? ' Without --jinja it refuses tools.' : '';
  return `Wait until the model is loaded, and read the log of the server.${tools}`;
}

// The provider's list of models, at the same address as the model itself. Relay asks for it only when somebody sets the
// model up or runs a check.

export async function listModels(settings: AccountModel): Promise<ModelList> {
  const { provider } = describeTarget(settings);
  const listed = await fetchModels(settings);
  const embeddings = embeddingsAmong(listed, provider, settings);
  return { provider, models: namesForAgents(listed), embeddings };
}

async function fetchModels(settings: AccountModel): Promise<readonly ListedModel[]> {
  const { provider, baseUrl, title } = describeTarget(settings);
  if (baseUrl === null) {
    const what = '"model_base_url" is not set';
    throw new RelayError(
      'model_incomplete',
      { what },
      { action: missingAction(what, describeTarget(settings)) },
    );
  }
  const key = settings.model_api_key;
  const address = `${baseUrl.endsWith('/') ? baseUrl.slice(0, -1) : baseUrl}/models${LIST_QUERY[provider] ?? ''}`;
  const unlisted = (what: string, cause?: unknown) =>
    new RelayError('models_unlisted', { address: baseUrl, what }, { cause });
  const ownHosts = settings.isForeign === true ? [] : [hostAndPort(new URL(baseUrl))];
  const answer = await openEgress({ ownHosts })(address, {
    headers: { accept: 'application/json', ...keyHeaders(provider, key) },
    timeoutMs: LIST_PATIENCE_MS,
    maxBytes: LIST_BYTES,
  }).catch((error: unknown) => {
    if (error instanceof EgressError) throw offlineError(error, provider, baseUrl);
    throw error;
  });
  if (answer.status === 401 || answer.status === 403 || isGoogleKeyRefusal(answer)) {
    const target = { provider, title, baseUrl, hasKey: key !== null };
    throw new RelayError(
      'model_key_refused',
      { provider: title, address: baseUrl, status: answer.status },
      { action: keyAction(target) },
    );
  }
  if (answer.status !== 200) throw unlisted(`it answered ${answer.status}`);
  const listed = parseList(answer.body);
  if (listed === null) throw unlisted('the answer is not a list of models');
  return listed;
}

/** Google answers a wrong key like a malformed request. */
const isGoogleKeyRefusal = ({ status, body }: { status: number; body: Uint8Array }): boolean =>
  status === 400 && Buffer.from(body).includes('API_KEY_INVALID');

function offlineError(error: EgressError, provider: ProviderName, baseUrl: string): RelayError {
  const { start, title } = PROVIDERS[provider];
  const code = error.reason === 'unknown_name' ? 'ENOTFOUND' : systemCode(error.cause);
  const what = code === null ? error.message : describeNetworkFault(code);
  const action =
    start !== undefined && code === 'ECONNREFUSED'
      ? `Start ${title} with \`${start}\`, or give its address with --base-url.`
      : networkAction(code ?? '');
  return new RelayError('model_offline', { address: baseUrl, what }, { action, cause: error });
}

function systemCode(error: unknown): string | null {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : null;
}

const LIST_QUERY: Partial<Record<ProviderName, string>> = {
  anthropic: '?limit=1000',
  google: '?pageSize=1000',
};

function keyHeaders(provider: ProviderName, key: string | null): Record<string, string> {
  if (key === null) return {};
  if (provider === 'anthropic') return { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
  if (provider === 'google') return { 'x-goog-api-key': key };
  return { authorization: `Bearer ${key}` };
}

interface ListedModel {
  readonly name: string;
  /** False if the provider says that the model cannot call tools or cannot chat. */
  readonly fits: boolean;
}

/** OpenAI's form, or Google's; null for anything else. */
function parseList(body: Uint8Array): ListedModel[] | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(body).toString());
    const { data, models } = Object(parsed) as { data?: unknown; models?: unknown };
    const rows = Array.isArray(data) ? data : Array.isArray(models) ? models : null;
    if (rows === null) return null;
    return rows.flatMap((row: unknown) => {
      const { id, name, supported_parameters, supportedGenerationMethods } = Object(row) as Record<
        string,
        unknown
      >;
      const written = typeof id === 'string' ? id : name;
      if (typeof written !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(written)) return [];
      const fits =
        (!Array.isArray(supported_parameters) || supported_parameters.includes('tools')) &&
        (!Array.isArray(supportedGenerationMethods) ||
          supportedGenerationMethods.includes('generateContent'));
      return [{ name: written.replace(/^models\//, ''), fits }];
    });
  } catch {
    return null;
  }
}

const EMBEDS = /embed|bge-|minilm|gte-|(^|[/-])e5-/i;
const OTHER_KIND =
  /whisper|tts|dall-e|moderation|transcri|-image|imagen|veo|guard|ocr|rerank|sora/i;

const namesForAgents = (listed: readonly ListedModel[]): string[] =>
  listed.flatMap(({ name, fits }) =>
    fits && !EMBEDS.test(name) && !OTHER_KIND.test(name) ? [name] : [],
  );

/** The provider's own embeddings, so that no other provider sees the texts. */
function embeddingsAmong(
  listed: readonly ListedModel[],
  provider: ProviderName,
  { model_base_url: own }: AccountModel,
): ModelList['embeddings'] {
  const { embeddings, baseUrl } = PROVIDERS[provider];
  // At another address than the provider's, only what its list names is certain.
  if (embeddings !== undefined && own === null)
    return { model: embeddings.model, base_url: embeddings.baseUrl };
  const address = own ?? baseUrl;
  const found = listed.find(({ name }) => EMBEDS.test(name));
  if (found === undefined || address === null || provider === 'anthropic' || provider === 'google')
    return null;
  return { model: found.name, base_url: address };
}
