import { wireStoreBehaviour } from '@relay/testing/wire-store-behaviour';
import { wireDatabase } from './testing/world.ts';

const database = await wireDatabase();

wireStoreBehaviour('in PostgreSQL', async () => {
  const lease = await database.lease();
  return {
    open: () => database.open(lease),
    inbox: () => database.inbox(lease.account),
    async damageCredentials() {
      await database.sql(
        `UPDATE whatsapp_credentials SET value = set_byte(value, 20, get_byte(value, 20) # 1)
         WHERE account_id = $1`,
        [lease.account],
      );
    },
    breakDown: () => database.cut(),
  };
});
