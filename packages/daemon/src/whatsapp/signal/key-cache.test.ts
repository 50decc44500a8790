// Tests of what stays in the cache and what is evicted first.
import { describe, expect, it } from 'vitest';
import { KeyCache } from './key-records.ts';

const ENTRY = 1000;
const fill = (part: ReturnType<KeyCache['partition']>, names: string[], unit = 0) => {
  for (const name of names) part.set(name, name, ENTRY, unit);
};

describe('the key cache', () => {
  it('evicts the least recently used entry of any account first', () => {
    const cache = new KeyCache({ maxBytes: 4 * (ENTRY + 300) });
    const [ann, bob] = [cache.partition(() => 0), cache.partition(() => 0)];
    fill(ann, ['a', 'b']);
    fill(bob, ['a', 'b']);
    ann.get('a');
    fill(bob, ['c']);
    expect([ann.get('a'), ann.get('b'), bob.get('a'), bob.get('c')]).toEqual([
      'a',
      undefined,
      'a',
      'c',
    ]);
  });

  it('keeps what is not durable, however full it is, and evicts it afterwards', () => {
    let durable = 0;
    const cache = new KeyCache({ maxBytes: 1 });
    const part = cache.partition(() => durable);
    fill(part, ['a', 'b', 'c'], 7);
    expect(part.get('a')).toBe('a');
    durable = 7;
    fill(part, ['d'], 8);
    expect([part.get('a'), part.get('b'), part.get('c'), part.get('d')]).toEqual([
      undefined,
      undefined,
      undefined,
      'd',
    ]);
  });

  it('remembers what does not exist, and clears one account without the others', () => {
    const cache = new KeyCache();
    const [ann, bob] = [cache.partition(() => 0), cache.partition(() => 0)];
    ann.set('gone', null, 0, 0);
    fill(bob, ['a']);
    expect(ann.get('gone')).toBeNull();
    ann.clear();
    expect(ann.get('gone')).toBeUndefined();
    expect(bob.get('a')).toBe('a');
    bob.clear();
    expect(cache.bytes).toBe(0);
  });
});
