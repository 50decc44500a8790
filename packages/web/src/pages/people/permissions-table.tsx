// The permissions as seed 000's dialog has them: everyone with a record, and a way to add somebody by number and name.
import { IconLock, IconSearchOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Asked, Empty } from '../../parts/places.tsx';
import { AddPermission } from './add-permission.tsx';
import { Find } from './find.tsx';
import { GrantsList } from './grants-list.tsx';
import classes from './people.module.css';
import { contactsQuery } from './queries.ts';

export function PermissionsTable() {
  const [q, setQ] = useState('');
  const [page, setPage] = useState(1);
  const recorded = useQuery(contactsQuery({ show: 'recorded', q, page }));
  const isEmpty = q === '' && recorded.data?.total === 0;
  return (
    <div className={classes.permissions}>
      <AddPermission />
      {!isEmpty && (
        <div className={classes.bar}>
          <Find
            value={q}
            onFind={(next) => {
              setQ(next);
              setPage(1);
            }}
          />
        </div>
      )}
      <Asked query={recorded} what="The permissions">
        {(found) => {
          if (found.contacts.length > 0)
            return <GrantsList found={found} page={page} onPage={setPage} />;
          return q === '' ? (
            <Empty icon={IconLock} title="Everyone is closed.">
              That is safe, and nothing will be answered. Add one person to begin.
            </Empty>
          ) : (
            <Empty icon={IconSearchOff} title="Nobody here is called that.">
              Only those with a record are searched.
            </Empty>
          );
        }}
      </Asked>
    </div>
  );
}
