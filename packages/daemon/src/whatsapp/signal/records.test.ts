// Tests of reads that overlap with writes.
import type { TransportStore } from '@relay/core/ports/transport';
import { describe, expect, it } from 'vitest';
import { KEY_KINDS, KeyCache, KeyRecords } from './key-records.ts';

const bytesOf = (value: string) => KEY_KINDS['lid-mapping'].encode(value);

/** Answers with what was stored when it was asked, once the test allows it. */
function slowStore() {
  const stored = new Map<string, Uint8Array>();
  const answers: (() => void)[] = [];
  const read: TransportStore['read'] = (_kind, ids) => {
    const seen = new Map(
      ids.flatMap((id) => (stored.has(id) ? [[id, stored.get(id)]] : [])),
    ) as Map<string, Uint8Array>;
    return new Promise((resolve) => answers.push(() => resolve(seen)));
  };
  return { stored, answers, store: { read } as TransportStore };
}

describe('key records', () => {
  it('never return what was replaced during the read, even if it was evicted since', async () => {
    const { answers, store, stored } = slowStore();
    const records = new KeyRecords(
      store,
      new KeyCache({ maxBytes: 1 }).partition(() => 9),
    );
    stored.set('49155', bytesOf('old'));
    const reading = records.read('lid-mapping', ['49155']);
    records.publish([{ type: 'lid-mapping', id: '49155', value: 'new', bytes: bytesOf('new') }], 1);
    stored.set('49155', bytesOf('new'));
    answers[0]?.();
    await Promise.resolve();
    await new Promise(setImmediate);
    answers[1]?.();
    expect((await reading).get('49155')).toBe('new');
    expect(answers).toHaveLength(2);
  });

  it('remember what does not exist', async () => {
    const { answers, store } = slowStore();
    const records = new KeyRecords(
      store,
      new KeyCache().partition(() => 0),
    );
    const reading = records.read('lid-mapping', ['49155']);
    answers[0]?.();
    expect((await reading).size).toBe(0);
    expect((await records.read('lid-mapping', ['49155'])).size).toBe(0);
    expect(answers).toHaveLength(1);
  });

  it('do not cache pre-keys once they are durable', async () => {
    const { answers, store } = slowStore();
    const cache = new KeyCache();
    const records = new KeyRecords(
      store,
      cache.partition(() => 1),
    );
    const pair = { public: Buffer.alloc(32), private: Buffer.alloc(32) };
    const bytes = KEY_KINDS['pre-key'].encode(pair);
    records.publish([{ type: 'pre-key', id: '1', value: pair, bytes }], 1);
    expect((await records.read('pre-key', ['1'])).get('1')).toEqual(pair);
    records.settle(1);
    expect(cache.bytes).toBe(0);
    expect(answers).toHaveLength(0);
  });
});
