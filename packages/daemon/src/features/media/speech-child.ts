// The program that transcribes a voice message, run by transcription.ts in a process of its own. Standard input is an
// Ogg/Opus file, standard output one JSON value. The model and its engine are packages that the owner installs; nothing
// is downloaded, and the process has no network.

import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What the program answers. `missing`: the packages are not installed. */
export type SpeechAnswer =
  | { readonly text: string; readonly language: string | null; readonly seconds: number }
  | { readonly problem: 'missing' | 'unreadable' | 'too_long' };

/** What the model was made for. */
const SAMPLE_RATE = 16_000;
/** The model reads this much at a time. */
const WINDOW_SECONDS = 30;

/** The part of ogg-opus-decoder that is used; it is not a dependency, because a part of it is under the LGPL. */
interface OggDecoders {
  readonly OggOpusDecoder: new (options: {
    readonly sampleRate: number;
  }) => {
    readonly ready: Promise<void>;
    decodeFile(bytes: Uint8Array): Promise<{
      readonly channelData: readonly Float32Array[];
      readonly samplesDecoded: number;
      readonly sampleRate: number;
    }>;
  };
}

/** The parts of @huggingface/transformers that are used; it is not a dependency either. */
interface Transformers {
  readonly env: Record<string, unknown>;
  readonly Tensor: new (type: string, data: BigInt64Array, dims: readonly number[]) => unknown;
  pipeline(task: string, model: string, options: object): Promise<SpeechPipeline>;
}

interface SpeechPipeline {
  (samples: Float32Array, options: object): Promise<{ readonly text: string }>;
  readonly processor: (samples: Float32Array) => Promise<object>;
  readonly model: {
    (
      input: object,
    ): Promise<{
      readonly logits: { readonly dims: readonly number[]; readonly data: Float32Array };
    }>;
    readonly config: { readonly decoder_start_token_id: number };
    readonly generation_config: { readonly lang_to_id?: Readonly<Record<string, number>> | null };
  };
}

const [size = 'base', mostSeconds = '600', packages = import.meta.filename] = process.argv.slice(2);

async function readInput(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}

/** Null if it is not Ogg/Opus. Several channels become one. */
async function decode(
  { OggOpusDecoder }: OggDecoders,
  bytes: Uint8Array,
): Promise<Float32Array | null> {
  const decoder = new OggOpusDecoder({ sampleRate: SAMPLE_RATE });
  await decoder.ready;
  const { channelData, samplesDecoded, sampleRate } = await decoder.decodeFile(bytes);
  const [first] = channelData;
  if (first === undefined || samplesDecoded === 0 || sampleRate !== SAMPLE_RATE) return null;
  if (channelData.length === 1) return first;
  return first.map(
    (_, at) => channelData.reduce((sum, one) => sum + (one[at] ?? 0), 0) / channelData.length,
  );
}

interface Loaded {
  readonly decoders: OggDecoders;
  readonly transformers: Transformers;
  readonly speech: SpeechPipeline;
}

async function load(): Promise<Loaded | null> {
  const require = createRequire(packages);
  let places: { decoder: string; engine: string; model: string };
  try {
    places = {
      decoder: require.resolve('ogg-opus-decoder'),
      engine: require.resolve('@huggingface/transformers'),
      model: dirname(require.resolve(`sts-whisper-${size}/package.json`)),
    };
  } catch {
    return null;
  }
  const transformers = (await import(pathToFileURL(places.engine).href)) as Transformers;
  Object.assign(transformers.env, {
    allowRemoteModels: false,
    useFSCache: false,
    useBrowserCache: false,
    localModelPath: join(places.model, 'models'),
    logLevel: 50,
  });
  const speech = await transformers.pipeline(
    'automatic-speech-recognition',
    `Xenova/whisper-${size}`,
    {
      dtype: 'q8',
      device: 'cpu',
      // With the arena the process would keep twice the memory.
      session_options: { enableCpuMemArena: false, intraOpNumThreads: 2, interOpNumThreads: 1 },
    },
  );
  const decoders = (await import(pathToFileURL(places.decoder).href)) as OggDecoders;
  return { decoders, transformers, speech };
}

/** The most probable language at the beginning, which the library itself does not look for. */
async function detectLanguage(
  { Tensor }: Transformers,
  { model, processor }: SpeechPipeline,
  samples: Float32Array,
): Promise<string | null> {
  const languages = Object.entries(model.generation_config.lang_to_id ?? {});
  const input = await processor(samples.subarray(0, WINDOW_SECONDS * SAMPLE_RATE));
  const start = BigInt64Array.from([BigInt(model.config.decoder_start_token_id)]);
  const { logits } = await model({
    ...input,
    decoder_input_ids: new Tensor('int64', start, [1, 1]),
  });
  const last = logits.data.subarray(-(logits.dims[2] ?? 0));
  const likely = languages.reduce<[string, number] | null>((best, [token, id]) => {
    const score = last[id] ?? Number.NEGATIVE_INFINITY;
    return best === null || score > best[1] ? [token, score] : best;
  }, null);
  return likely?.[0].replace(/[<|>]/g, '') ?? null;
}

async function answer(): Promise<SpeechAnswer> {
  const bytes = await readInput();
  if (Buffer.from(bytes.subarray(0, 4)).toString('latin1') !== 'OggS')
    return { problem: 'unreadable' };
  const loaded = await load();
  if (loaded === null) return { problem: 'missing' };
  const samples = await decode(loaded.decoders, bytes);
  if (samples === null) return { problem: 'unreadable' };
  const seconds = samples.length / SAMPLE_RATE;
  if (seconds > Number(mostSeconds)) return { problem: 'too_long' };
  const language = await detectLanguage(loaded.transformers, loaded.speech, samples);
  const { text } = await loaded.speech(samples, {
    task: 'transcribe',
    ...(language === null ? {} : { language }),
    ...(seconds > WINDOW_SECONDS ? { chunk_length_s: WINDOW_SECONDS, stride_length_s: 5 } : {}),
  });
  return { text: text.trim(), language, seconds };
}

Socket.prototype.connect = () => {
  throw new Error('no network here');
};
// Libraries write notes to the console, and standard output is the answer's.
for (const level of ['log', 'info', 'warn', 'debug'] as const) console[level] = () => {};
process.on('unhandledRejection', () => process.exit(1));
const said = JSON.stringify(await answer());
process.stdout.write(said, () => process.exit(0));
