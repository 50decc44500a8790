import { silentLog } from '@relay/core/log';
import { testSealer } from '@relay/testing/sealer';
import { freshStore } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { expect, onTestFinished, test } from 'vitest';
import type { ProcessContext } from './account.ts';
import { AccountSet } from './accounts.ts';
import { PublishedLinks } from './remote-account.ts';

test('a process without an account loads its settings again only after they have changed', async () => {
  verifies('WORKERS-API');
  const { database, sql } = await freshStore(onTestFinished);
  let loads = 0;
  const mediaStores = {
    of: async () => {
      loads += 1;
    },
  };
  const shared = { database, vault: { sealer: testSealer }, mediaStores };
  const accounts = new AccountSet({
    database,
    home: '',
    log: silentLog,
    record: { lastSeen: null },
    links: new PublishedLinks(database.allAccounts, testSealer, silentLog),
  });
  await accounts.assemble(shared as unknown as ProcessContext, null);
  await accounts.refresh();
  expect(loads).toBe(1);
  await sql(`UPDATE relay.accounts SET settings = '{"zone": "Asia/Kolkata"}'`);
  await accounts.refresh();
  await accounts.refresh();
  expect(loads).toBe(2);
});
