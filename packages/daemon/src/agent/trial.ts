// One short question to the model, to see whether it answers: the same call that a turn makes, once. Whatever goes
// wrong is the sentence that a turn would have failed with.
import type { ModelTrial } from '@relay/core/api/settings';
import { RelayError } from '@relay/core/errors';
import type { Clock } from './clock.ts';
import { callModel, type ModelSource } from './model.ts';

const PATIENCE_MS = 20_000;

const QUESTION = {
  instructions: 'This is a test of the connection. Answer with the one word: ready.',
  messages: [{ role: 'user' as const, content: 'Are you there?' }],
  tools: {},
};

export async function tryModel(models: ModelSource, clock: Clock): Promise<ModelTrial> {
  const began = performance.now();
  const ms = () => Math.round(performance.now() - began);
  try {
    const opened = await models.open();
    await callModel(
      {
        opened,
        clock,
        signal: new AbortController().signal,
        callTimeoutMs: PATIENCE_MS,
        leftMs: () => PATIENCE_MS - ms(),
        late: () => new RelayError('model_slow', { seconds: PATIENCE_MS / 1_000 }),
        spent: async () => {},
      },
      QUESTION,
    );
    return { ok: true, sentence: `${opened.name} answered in ${ms()} ms.`, ms: ms() };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    return { ok: false, sentence: error.message, ms: ms() };
  }
}
