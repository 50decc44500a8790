// The pace that seed 003 asks for, with room for a machine that does other things too. The figures
// themselves are measured by `npm run bench -- nfr`.
import type { Account } from '@relay/simulator/whatsapp/people/account';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { talkers } from '../dialogue/together.ts';
import { freshDatabase } from '../postgres.ts';
import { verifies } from '../verifies.ts';
import { arrival } from './arrival.ts';
import { type Demo, startDemo } from './demo.ts';

const SENDS = 5;
/** As a model takes for one call. */
const MODEL_MS = 500;
/** One after the other, the ten would wait for at least 5.5 turns in the middle; this is half of that. */
const SIDE_BY_SIDE = 5.5 / 2;

let demo: Demo;
let owner: Account;
let friend: Account;
let end: () => Promise<void>;
beforeAll(async () => {
  const database = await freshDatabase();
  demo = await startDemo({ databaseUrl: database.url, settings: { pacing: { enabled: false } } });
  end = async () => {
    await demo.stop();
    await database.drop();
  };
  const { network } = demo.simulator;
  owner = network.addAccount({ phone: '15550000000', name: 'Owner' });
  friend = network.addAccount({ phone: '15550000001', name: 'Friend' });
  await demo.link(owner.phone);
});
afterAll(() => end());

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

it('a message is on the contact’s phone within three seconds', async () => {
  verifies('003-NFR-SEND');
  const took: number[] = [];
  for (let n = 0; n < SENDS; n++) {
    const send = () => demo.relay.send(`+${friend.phone}`, `message ${n}`);
    took.push(await arrival(demo, friend, `message ${n}`, send));
  }
  expect(median(took)).toBeLessThan(3_000);
});

it('ten people at once wait hardly longer for their answers than one alone', {
  timeout: 180_000,
}, async () => {
  verifies('003-NFR-TEN');
  const together = talkers(demo, owner, MODEL_MS);
  await together(1);
  const before = await together(1);
  const ten = await together(10);
  const alone = [...before, ...(await together(1))];
  expect({ alone: alone.length, ten: ten.length }).toEqual({ alone: 8, ten: 40 });
  expect(median(ten) / median(alone)).toBeLessThan(SIDE_BY_SIDE);
});
