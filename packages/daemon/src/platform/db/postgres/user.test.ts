import { expect, test } from 'vitest';
import { unprivilegedUser } from './user.ts';

const ROOT = 'root:x:0:0:root:/root:/bin/bash';
const NOBODY = 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin';
const POSTGRES = 'postgres:x:101:104::/var/lib/postgresql:/bin/bash';

test('prefers the user postgres and falls back to nobody', () => {
  expect(unprivilegedUser([ROOT, NOBODY, POSTGRES].join('\n'))).toEqual({ uid: 101, gid: 104 });
  expect(unprivilegedUser([ROOT, NOBODY].join('\n'))).toEqual({ uid: 65534, gid: 65534 });
});

test("chooses no other user, and never one with root's rights", () => {
  expect(unprivilegedUser(`${ROOT}\ngames:x:5:60::/:/bin/sh`)).toBeUndefined();
  expect(unprivilegedUser('postgres:x:0:0::/:/bin/sh')).toBeUndefined();
  expect(unprivilegedUser('')).toBeUndefined();
});
