// Tests of the two addresses of one device.
import { describe, expect, it } from 'vitest';
import { listKnownAddresses, resolveLid } from '../addresses.ts';

const STORED = new Map([
  ['49155', '777'],
  ['777_reverse', '49155'],
]);
const lookUp = async (id: string) => STORED.get(id);

describe('addresses', () => {
  it.each([
    ['49155@s.whatsapp.net', '777@lid'],
    ['49155:12@s.whatsapp.net', '777:12@lid'],
    ['49155:99@hosted', '777:99@hosted.lid'],
    ['777@lid', undefined],
    ['49999@s.whatsapp.net', undefined],
  ])('the LID of %s is %s', async (jid, lid) => {
    expect(await resolveLid(jid, lookUp)).toBe(lid);
  });

  it.each([
    ['49155:2@s.whatsapp.net', ['777:2@lid', '49155:2@s.whatsapp.net']],
    ['777:2@lid', ['777:2@lid', '49155:2@s.whatsapp.net']],
    ['49999@s.whatsapp.net', ['49999@s.whatsapp.net']],
    ['888@lid', ['888@lid']],
  ])('%s may be known as any of %j', async (jid, known) => {
    expect(await listKnownAddresses(jid, lookUp)).toEqual(known);
  });
});
