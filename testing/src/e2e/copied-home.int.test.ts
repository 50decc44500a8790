// A home that was copied without its key: Relay refuses with the vault's sentence, before anything of the copy is
// started or changed.
import { createHash } from 'node:crypto';
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RelayError } from '@relay/contract/errors';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRelay, type Relay } from './relay.ts';
import { processesOf } from './traces.ts';

/** Every file with its content, except the log, which grows with each failed start. */
async function contentOf(home: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(home, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile() || entry.name === 'relay.log') continue;
    found[file] = createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
  }
  return found;
}

async function copiedHome(environment: Record<string, string>): Promise<[Relay, string]> {
  const relay = await openRelay(environment, { database: 'private' });
  onTestFinished(() => relay.end());
  await relay.start();
  await relay.create();
  await relay.stop();
  const copy = join(relay.work, 'a copy');
  await cp(relay.home, copy, { recursive: true });
  return [relay, copy];
}

async function expectRefused(
  relay: Relay,
  copy: string,
  environment: Record<string, string | undefined>,
  refusal: RelayError,
): Promise<void> {
  const before = await contentOf(copy);
  expect(Object.keys(before)).toContain(join(copy, 'vault.json'));
  const { exit, out, err } = await relay.runWith({ RELAY_HOME: copy, ...environment }, 'start');
  expect({ exit, out, said: err.trimEnd().split('\n').at(-1) }).toEqual({
    exit: 9,
    out: '',
    said: refusal.message,
  });
  expect(await contentOf(copy)).toEqual(before);
  expect(await processesOf(copy)).toEqual([]);
}

describe('a copied home', { timeout: 120_000 }, () => {
  it('does not start without its key, nor with another one, and is left unchanged', async () => {
    const elsewhere = await openRelay();
    onTestFinished(() => elsewhere.end());
    const keyFile = join(elsewhere.work, 'the key');
    const [relay, copy] = await copiedHome({ RELAY_KEY_FILE: keyFile });
    const { id } = JSON.parse(await readFile(join(copy, 'vault.json'), 'utf8')) as { id: string };
    const missing = join(relay.work, 'no key here');
    await expectRefused(
      relay,
      copy,
      { RELAY_KEY_FILE: missing },
      new RelayError('vault_key_missing', { where: missing }),
    );
    const state = join(relay.work, 'state');
    await expectRefused(
      relay,
      copy,
      { RELAY_KEY_FILE: undefined, XDG_STATE_HOME: state },
      new RelayError('vault_key_missing', { where: join(state, 'relay-agent', `${id}.key`) }),
    );
    const wrong = join(relay.work, 'another key');
    await elsewhere.start({ RELAY_KEY_FILE: wrong });
    await elsewhere.stop();
    await expectRefused(
      relay,
      copy,
      { RELAY_KEY_FILE: wrong },
      new RelayError('vault_key_wrong', { where: wrong }),
    );

    await relay.start({ RELAY_HOME: relay.home });
  });

  it('does not start without its passphrase, nor with a wrong one, and is left unchanged', async () => {
    const [relay, copy] = await copiedHome({ RELAY_PASSPHRASE: 'three calm otters' });
    await expectRefused(
      relay,
      copy,
      { RELAY_PASSPHRASE: undefined },
      new RelayError('vault_passphrase_needed'),
    );
    await expectRefused(
      relay,
      copy,
      { RELAY_PASSPHRASE: 'three calm badgers' },
      new RelayError('vault_passphrase_wrong'),
    );
    await relay.start();
  });
});
