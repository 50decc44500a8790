import { transcriptionSchema } from '@relay/contract/settings';
import { wordsInFile } from '@relay/simulator/model/media';
import { startModelServer } from '@relay/simulator/model/server';
import { verifies } from '@relay/testing/verifies';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { modelSettingsOf } from './testing/settings.ts';
import { openTranscription } from './transcription.ts';

const server = await startModelServer();
afterAll(() => server.close());
beforeEach(() => server.hearing({}));

async function* recording(words: string, language?: string): AsyncGenerator<Uint8Array> {
  yield Buffer.concat([Buffer.from('OggS\0\x01\xff'), wordsInFile(words, language)]);
}

const never = new AbortController().signal;
const MODEL = modelSettingsOf({ model_base_url: `${server.url}/v1`, model_api_key: 'sk-1' });

const write = (words = 'Tuesday is fine', given: object = {}, language?: string) => {
  const settings = transcriptionSchema.parse({ by: 'endpoint', model: 'whisper-1', ...given });
  const transcribe = openTranscription(settings, MODEL);
  if (transcribe === null) throw new Error('it is off');
  return transcribe(
    { bytes: recording(words, language), mimeType: 'audio/ogg; codecs=opus', seconds: 60 },
    never,
  );
};

describe('transcription by a server', () => {
  test('sends the recording to the server of the agents’ model with its key and returns text and language', async () => {
    verifies('MEDIA-VOICE');
    expect(await write('Dienstag passt', {}, 'de')).toEqual({
      text: 'Dienstag passt',
      language: 'de',
      by: 'whisper-1',
      micros: 0,
    });
    expect(server.calls().at(-1)).toMatchObject({
      path: '/v1/audio/transcriptions',
      headers: { authorization: 'Bearer sk-1' },
      body: { model: 'whisper-1', file_name: 'voice.ogg' },
    });
  });

  test('sends the model’s key to no other server', async () => {
    const other = await startModelServer();
    await write('hello', { endpoint_base_url: `${other.url}/v1` });
    expect(other.calls()[0]?.headers.authorization).toBeUndefined();
    await write('hello', { endpoint_base_url: `${other.url}/v1`, transcription_api_key: 'sk-2' });
    expect(other.calls()[1]?.headers.authorization).toBe('Bearer sk-2');
    await other.close();
  });

  test.each([
    [503, 'transcription_away', true],
    [429, 'transcription_away', true],
    [401, 'transcription_failed', false],
  ])('reports a %i without quoting the answer', async (status, code, isRetryable) => {
    verifies('MEDIA-VOICE-FAILS');
    server.hearing({ status });
    await expect(write()).rejects.toMatchObject({ code, isRetryable });
  });

  test('reports a server that does not answer as away', async () => {
    const gone = await startModelServer();
    await gone.close();
    await expect(write('x', { endpoint_base_url: gone.url })).rejects.toMatchObject({
      code: 'transcription_away',
    });
  });

  test('costs what the owner says a minute costs, for as long as the server says it lasted', async () => {
    verifies('MEDIA-VOICE-COST');
    expect(await write('hello', { usd_per_minute: 0.6 })).toMatchObject({ micros: 10_000 });
  });

  test('names the missing setting', () => {
    const settings = transcriptionSchema.parse({ by: 'endpoint' });
    expect(() => openTranscription(settings, MODEL)).toThrow('"transcription.model" is not set');
    expect(() => openTranscription(settings, modelSettingsOf({}))).toThrow('endpoint_base_url');
  });

  test('is off by default', () => {
    expect(openTranscription(transcriptionSchema.parse({}), MODEL)).toBeNull();
  });
});

describe('transcription on this machine', () => {
  test('says what to install if the packages are missing', async () => {
    await expect(write('x', { by: 'local', model: null })).rejects.toMatchObject({
      code: 'transcription_missing',
      message: expect.stringContaining('npm install --global @huggingface/transformers@'),
    });
  });
});
