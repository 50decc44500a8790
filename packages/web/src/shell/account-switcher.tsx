// Chooses the account that the page shows. Nothing is shown while there is only one.
import { IconSelector } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { addressInAccount, CURRENT_ACCOUNT } from '../data/account.ts';
import { accountsQuery } from '../data/queries.ts';
import { t } from '../i18n.ts';
import { formatPhoneNumber } from '../parts/format.ts';
import classes from './shell.module.css';

export function AccountSwitcher() {
  const { data: accounts = [] } = useQuery(accountsQuery);
  if (accounts.length < 2) return null;
  const current = CURRENT_ACCOUNT ?? accounts.find((account) => account.default)?.name;
  return (
    <label className={classes.accounts}>
      <select
        aria-label={t('common.accounts.switch')}
        value={current}
        onChange={({ currentTarget }) =>
          location.assign(addressInAccount(currentTarget.value, '/'))
        }
      >
        {accounts.map(({ name, phone_number }) => (
          <option key={name} value={name}>
            {phone_number === null ? name : `${name} · ${formatPhoneNumber(phone_number)}`}
          </option>
        ))}
      </select>
      <IconSelector size={15} stroke={1.7} aria-hidden />
    </label>
  );
}
