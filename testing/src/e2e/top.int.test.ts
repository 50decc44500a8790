// `relay top` at a terminal, in a pipe, and for programs.
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CTRL_C, startTerminalUser } from '../terminal-user.ts';
import { openRelay, type Relay } from './relay.ts';

// Generous, for a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

let relay: Relay;
beforeAll(async () => {
  relay = await openRelay();
  await relay.start();
});
afterAll(() => relay.end());

const ENTERED = '\u001b[?1049h';
const LEFT = '\u001b[?25h\u001b[?1049l';
const sit = () => startTerminalUser({ built: relay.built, home: relay.home }, 'top; stty -a');

describe('at a terminal', () => {
  it('shows the state, and updates it', async () => {
    const person = sit();
    await person.until('Not connected to WhatsApp.');
    await person.until('you 0, agent 0');
    await person.until('q: quit');
    await relay.settled(await relay.create());
    await person.until('you 1, agent 0');
    person.type('q');
    expect(await person.exit).toBe(0);
  });

  it.each([
    ['q', 'q'],
    ['Ctrl-C', CTRL_C],
  ])('%s quits, and the terminal is restored', async (_name, key) => {
    const person = sit();
    await person.until('q: quit');
    person.type(key);
    expect(await person.exit).toBe(0);
    const raw = person.raw();
    expect(raw.split(ENTERED)).toHaveLength(2);
    const after = raw.slice(raw.lastIndexOf(LEFT) + LEFT.length);
    expect(after).toMatch(/ icanon/);
    expect(after).toMatch(/ echo /);
  });

  it('shows that the daemon stopped, and that it is back', async () => {
    const person = sit();
    await person.until('q: quit');
    await relay.stop();
    await person.until('The daemon does not answer.');
    await person.until('Daemon not running. Run `relay start` first.');
    await relay.start();
    await person.until('1 problem.');
    person.type('q');
    expect(await person.exit).toBe(0);
  });
});

it('relay top in a pipe prints one snapshot, without colours or cursor movements', async () => {
  const { exit, out } = await relay.run('top');
  expect(exit).toBe(0);
  expect(out).toContain('Not connected to WhatsApp.');
  expect(out).toContain('Model tokens');
  expect(out).not.toContain('\u001b');
});

it('relay top --json prints one object, and with --follow one per line', async () => {
  const { out } = await relay.run('top', '--json');
  expect(JSON.parse(out)).toMatchObject({ status: { hold: false }, turns: {}, today: {} });
  const child = relay.spawn(['top', '--json', '--follow']);
  onTestFinished(() => void child.kill());
  let seen = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    expect(JSON.parse(line)).toHaveProperty('turns.you');
    if (++seen === 2) break;
  }
});
