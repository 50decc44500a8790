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
    await person.until('Your agents need a model to answer.');
    await answer(person, [['Model provider', 'skynet']]);
    await person.until('✗ There is no provider "skynet".');
    await answer(person, [
      ['Model provider', 'ollama'],
      ['Server address (Enter for http://127.0.0.1:11434/v1)', 'http://127.0.0.1:9/v1'],
    ]);
    await person.until('✗ http://127.0.0.1:9/v1 cannot be reached: nothing listens there.');
    await person.until('ollama serve');
    await answer(person, [
      ['Model provider', 'openai-compatible'],
      ['Server address', `${demo.model.url}/v1`],
      ['Enter for scripted', ''],
    ]);
    await person.until('✓ Model: scripted answered.');
    await person.until('texts go to your server only.');
    await answer(person, [['Turn it on?', 'y']]);
    await person.until('✓ Search by meaning: scripted-embedding.');
    await person.until('Relay joins your account as a linked device');
    await answer(person, [['or "skip"', 'skip']]);
    await person.until('WhatsApp: skipped.');
    await person.until('Agents read and answer only the people that you choose.');
    await answer(person, [['Name or number', '']]);
    await person.until('3 steps skipped. Continue with `relay init`.');
    expect(await person.exit).toBe(0);
    expect(await granted()).toEqual([]);
  });

  it('continues at the first step that is not done', async () => {
    const person = init();
    await person.until('✓ Model: scripted answered in');
    await answer(person, [['Press Enter for a QR code', '']]);
    expect(await demo.phones.scan(ME, await demo.relay.qr())).toMatchObject({ linked: true });
    await person.until(`✓ WhatsApp: Connected as +${ME}`);
    await person.until('checks that sending works.');
    await answer(person, [['Press Enter to send it', '']]);
    await person.until('✓ Test message: Sent.');
    await answer(person, [
      ['Name or number', 'nobody of this name'],
      ['(r)ead only', ''],
    ]);
    await person.until('✗');
    await answer(person, [
      ['Name or number', `+${BEN}`],
      ['(r)ead only', 'd'],
      ['Next name or number', ''],
    ]);
    await person.until('Setup is complete.');
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
      '✓ Test message: Already sent.',
      '✓ Grants: 1 contact or group.',
    ]);
    expect(person.seen()).toContain('Setup is complete.');
  });
});
