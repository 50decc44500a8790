import type { Log } from '@relay/core/log';
import { expect, test } from 'vitest';
import { baileysLogger } from './socket.ts';

test('passes only warnings, without addresses, numbers, objects or message bodies', () => {
  const lines: string[] = [];
  const keep = (text: string, fields?: unknown) => void lines.push(JSON.stringify([text, fields]));
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
  const logger = baileysLogger(log).child({ secret: 'SECRET' });
  logger.trace({ body: 'SECRET' }, 'SECRET');
  logger.debug({ body: 'SECRET' }, 'SECRET');
  logger.info({ body: 'SECRET' }, 'SECRET');
  logger.warn(
    { err: new TypeError('SECRET'), node: 'SECRET' },
    'failed for 15550000001@lid in 987654321',
  );
  logger.error({ key: 'SECRET' }, 'stream errored out');
  logger.error('nothing but a text');
  expect(lines).toEqual([
    '["Baileys: failed for … in …",{"code":"TypeError"}]',
    '["Baileys: stream errored out",{}]',
    '["Baileys: nothing but a text",{}]',
  ]);
});
