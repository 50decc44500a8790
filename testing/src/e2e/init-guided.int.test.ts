// `relay init` by a person at a terminal, on the simulated network with the scripted model: interrupted, continued, and
// run again when nothing is left to do.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startTerminalUser, type TerminalUser } from '../terminal-user.ts';
import { builtIn } from './built.ts';
import { type Demo, startDemo } from './demo.ts';

const ME = '491701234567';
const BEN = '4915112345678';
const NO_MODEL = { model_provider: null, model_name: null, model_base_url: null };

let demo: Demo;
let built: string;
beforeAll(async () => {
  built = await builtIn(inject('builds'));
  demo = await startDemo({ settings: { ...NO_MODEL, pacing: { enabled: false } } });
  await demo.phones.add(ME, 'Ana');
  await demo.phones.add(BEN, 'Ben');
}, 180_000);
afterAll(() => demo.stop(), 120_000);

const init = (words = ''): TerminalUser =>
  startTerminalUser({ built, home: demo.home, columns: 120 }, `init ${words}`);

/** Waits for each question and answers it. */
async function answer(person: TerminalUser, dialogue: readonly (readonly [string, string])[]) {
  for (const [question, typed] of dialogue) {
    await person.until(question);
    person.type(`${typed}\r`);
  }
}

const granted = () =>
  demo.relay.ok<{ phoneNumber: string; canRead: boolean; replyMode: string }[]>(
    'GET',
    '/api/whatsapp/permissions',
  );

describe('relay init at a terminal', { timeout: 180_000 }, () => {
  it('explains each step, detects what does not work, and lets each step be skipped', async () => {
    const person = init();
    await person.until('without one nobody is answered.');
    await answer(person, [['Model provider', 'skynet']]);
    await person.until('✗ There is no provider "skynet".');
    await answer(person, [
      ['Model provider', 'openai-compatible'],
      ['Name of the model', 'scripted'],
      ['Address of the server', 'http://127.0.0.1:9/v1'],
    ]);
    await person.until('✗');
    await answer(person, [
      ['Model provider', 'openai-compatible'],
      ['Name of the model', 'scripted'],
      ['Address of the server', `${demo.model.url}/v1`],
    ]);
    await person.until('✓ Model: scripted answered in');
    await person.until('one more device of your account');
    await answer(person, [['"skip" for later', 'skip']]);
    await person.until('WhatsApp: left for later.');
    await person.until('Nobody is read or answered until you say who.');
    await answer(person, [['Who?', '']]);
    await person.until('3 steps left for later: `relay init` goes on there.');
    expect(await person.exit).toBe(0);
    expect(await granted()).toEqual([]);
  });

  it('continues at the first step that is not done', async () => {
    const person = init();
    await person.until('✓ Model: scripted answered in');
    await answer(person, [['Enter shows a QR code', '']]);
    expect(await demo.phones.scan(ME, await demo.relay.qr())).toMatchObject({ linked: true });
    await person.until(`✓ WhatsApp: Connected as +${ME}`);
    await person.until('proves the way out and back.');
    await answer(person, [['Enter sends it', '']]);
    await person.until('A message to yourself arrived: ✓');
    await answer(person, [
      ['Who?', 'nobody of this name'],
      ['(r)ead only', ''],
    ]);
    await person.until('✗');
    await answer(person, [
      ['Who?', `+${BEN}`],
      ['(r)ead only', 'd'],
      ['Who else?', ''],
    ]);
    await person.until('All set.');
    expect(await person.exit).toBe(0);
    expect(person.seen()).not.toContain('Model provider');
    expect(await granted()).toMatchObject([
      { phoneNumber: BEN, canRead: true, canReply: true, replyMode: 'draft' },
    ]);
  });

  it('shows finished steps in one line each, and asks nothing when all are done', async () => {
    const person = init();
    expect(await person.exit).toBe(0);
    // Progress text precedes it on the same line, and is overwritten on the screen.
    const lines = person.seen().match(/✓ .*/g);
    expect(lines).toEqual([
      expect.stringMatching(/^✓ Model: scripted answered in \d+ ms\.$/),
      expect.stringMatching(`^✓ WhatsApp: Connected as \\+${ME}`),
      '✓ Test message: It has arrived before.',
      '✓ Grants: 1 contact or group.',
    ]);
    expect(person.seen()).toContain('All set.');
  });
});
