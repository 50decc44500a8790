// All files of a home without its key contain nothing that decrypts a conversation, including the private PostgreSQL's
// tables and its write-ahead log.
import type { AccountId } from '@relay/contract/ids';
import {
  sealedCredentialsName,
  sealedKeyName,
} from '@relay/daemon/platform/db/transport-store/sealed';
import { readSenderKey } from '@relay/daemon/whatsapp/signal/key-records';
import { expect, it } from 'vitest';
import { eventually } from './gateway.ts';
import { BEN, type LinkedRelay, ME, startLinkedRelay } from './linked.ts';
import { Needles } from './needles.ts';

const [SESSION, SENDER_KEY, PRE_KEY, APP_STATE_KEY] = [1, 2, 3, 9];
const OPEN_TEXT = 'a text that anybody may find in the home';
/** Field names of secrets in the records. */
const SECRETS =
  /\/(private|privKey|rootKey|key|keyData|advSecretKey|messageKeys\/\d+|previousRootKey)$/;

interface KeyRow {
  readonly account_id: string;
  readonly kind: number;
  readonly id: string;
  readonly value: Buffer;
}

/** Collects every secret that is stored encrypted in the database. Returns the decrypted credentials. */
async function collect(linked: LinkedRelay, needles: Needles): Promise<Buffer> {
  const sealer = await linked.sealer();
  const [stored] = await linked.query<Pick<KeyRow, 'account_id' | 'value'>>(
    'SELECT account_id, value FROM relay.whatsapp_credentials',
  );
  if (stored === undefined) throw new Error('no credentials are stored');
  const account = Number(stored.account_id) as AccountId;
  const credentials = Buffer.from(sealer.open(sealedCredentialsName(account), stored.value));
  addSecrets(needles, 'credentials', JSON.parse(credentials.toString()));
  const rows = await linked.query<KeyRow>(
    'SELECT * FROM relay.whatsapp_keys WHERE kind = ANY ($1)',
    [[SESSION, SENDER_KEY, PRE_KEY, APP_STATE_KEY]],
  );
  for (const { kind, id, value } of rows) {
    const plain = sealer.open(sealedKeyName(account, kind, id), value);
    if (kind === SENDER_KEY) {
      for (const { chain, signing } of readSenderKey(plain)) {
        needles.add(`chain of ${id}`, chain.seed);
        if (signing.private.length > 0) needles.add(`signing key of ${id}`, signing.private);
      }
    } else addSecrets(needles, `${kind}/${id}`, JSON.parse(Buffer.from(plain).toString()));
  }
  return credentials;
}

function addSecrets(needles: Needles, path: string, value: unknown): void {
  const text = isBuffer(value) ? value.data : value;
  if (typeof text === 'string') {
    if (SECRETS.test(path)) needles.add(path, Buffer.from(text, 'base64'));
  } else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value))
      addSecrets(needles, `${path}/${name.replaceAll('/', '_')}`, inner);
}

const isBuffer = (value: unknown): value is { data: string } =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';

it('no file of a home contains a byte of a key, including the database and its log', {
  timeout: 180_000,
}, async () => {
  const linked = await startLinkedRelay({ database: 'private' });
  const { demo } = linked;
  const needles = new Needles();
  await collect(linked, needles);
  const group = await demo.phones.group('Sunday', BEN, [ME]);
  for (const word of ['first', 'second', 'third']) {
    await linked.talk(word);
    await demo.phones.send(BEN, group, `${word} in the group`);
    await collect(linked, needles);
  }
  await demo.phones.send(BEN, ME, OPEN_TEXT);
  await eventually('the open text', async () => {
    const messages = await demo.relay.messages({ limit: 100 });
    return messages.some(({ body }) => body === OPEN_TEXT) || undefined;
  });
  const credentials = await collect(linked, needles);
  expect(needles.names()).toEqual(
    expect.arrayContaining([
      'credentials/noiseKey/private',
      'credentials/signedIdentityKey/private',
      'credentials/signedPreKey/keyPair/private',
      'credentials/advSecretKey',
      expect.stringMatching(/^1\/.*rootKey$/),
      expect.stringMatching(/^1\/.*chainKey\/key$/),
      expect.stringMatching(/^1\/.*ephemeralKeyPair\/privKey$/),
      expect.stringMatching(/^3\/.*private$/),
      expect.stringMatching(/^chain of /),
    ]),
  );
  await linked.query('CHECKPOINT');

  const controls = new Needles();
  controls.add('the open text', Buffer.from(OPEN_TEXT));
  expect((await controls.inFolder(demo.home)).found).not.toEqual([]);
  expect(await needles.inFolder(demo.home)).toMatchObject({ found: [] });

  // The same search finds the same keys if they are stored unencrypted.
  await linked.query('CREATE TABLE unsealed AS SELECT $1::bytea AS value', [credentials]);
  await linked.query('CHECKPOINT');
  const { found } = await needles.inFolder(demo.home);
  expect(found.join('\n')).toContain('credentials/noiseKey/private in ');
  expect(found.join('\n')).toContain('credentials/advSecretKey in ');
});
