// Measures transcription on this machine: word error rate and real-time factor on recorded speech. `--data` is a folder
// with the packages of a model in `node_modules` and recordings in `speech`: Ogg/Opus files, and `transcripts.tsv` with
// the file and the words that were said.
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { transcriptionSchema } from '@relay/contract/settings';
import { openTranscription } from '@relay/daemon/features/media/transcription';
import type { Limit } from './figures.ts';

const NO_MODEL = {
  model_provider: null,
  model_name: null,
  model_api_key: null,
  model_base_url: null,
};
const SIZES = ['base', 'small'] as const;
const MOST_ERRORS = 25;
/** Bitrate of the recordings is low, so their length is read from the file: 48,000 samples a second. */
const OPUS_RATE = 48_000;

export async function benchSpeech(folder: string): Promise<readonly Limit[]> {
  const spoken = readFileSync(join(folder, 'speech/transcripts.tsv'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [file, words] = line.split('\t');
      return file === undefined || words === undefined ? [] : [{ file, words }];
    });
  const limits: Limit[] = [];
  for (const size of SIZES) {
    if (!existsSync(join(folder, `node_modules/sts-whisper-${size}`))) continue;
    const settings = transcriptionSchema.parse({ by: 'local', model: size });
    const transcribe = openTranscription(settings, NO_MODEL, join(folder, 'package.json'));
    let [wrong, words, seconds, ms] = [0, 0, 0, 0];
    for (const { file, words: said } of spoken) {
      const path = join(folder, 'speech', file);
      const began = performance.now();
      const recording = { bytes: createReadStream(path), mimeType: 'audio/ogg', seconds: null };
      const heard = await transcribe?.(recording, new AbortController().signal);
      ms += performance.now() - began;
      seconds += secondsOf(readFileSync(path));
      const [expected, got] = [wordsOf(said), wordsOf(heard?.text ?? '')];
      wrong += distance(expected, got);
      words += expected.length;
      console.info(`${size} ${file} [${heard?.language}] ${heard?.text}`);
    }
    const rate = (100 * wrong) / words;
    const load = loadavg()
      .map((each) => each.toFixed(1))
      .join(' ');
    console.info(
      `whisper-${size}: ${spoken.length} recordings, ${words} words, ${seconds.toFixed(1)} s; word error rate ${rate.toFixed(1)} %, real-time factor ${(ms / 1_000 / seconds).toFixed(2)} (a process for each; load ${load})`,
    );
    limits.push({
      name: `word error rate of whisper-${size}, percent`,
      measured: rate,
      unit: '',
      atMost: MOST_ERRORS,
    });
  }
  return limits;
}

/** The granule position of the last page, which counts samples. */
function secondsOf(ogg: Buffer): number {
  const last = ogg.lastIndexOf('OggS');
  return Number(ogg.readBigUInt64LE(last + 6)) / OPUS_RATE;
}

const NUMBERS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
];

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/\bmr\./g, 'mister')
    .replace(/\d+/g, (digits) => ` ${NUMBERS[Number(digits)] ?? digits} `)
    .replace(/[^\p{L}\p{N}' ]+/gu, ' ')
    .split(/\s+/)
    .filter((word) => word !== '');

/** The fewest words to add, remove or replace. */
function distance(a: readonly string[], b: readonly string[]): number {
  let row = b.map((_, at) => at + 1);
  a.forEach((word, n) => {
    let [left, corner] = [n + 1, n];
    row = b.map((other, at) => {
      const above = row[at] ?? 0;
      const cost = Math.min(left + 1, above + 1, corner + (word === other ? 0 : 1));
      [left, corner] = [cost, above];
      return cost;
    });
  });
  return row.at(-1) ?? a.length;
}
