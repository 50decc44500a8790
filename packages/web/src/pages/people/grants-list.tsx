// People and groups with what is open for each: one page of rows, by name. The same list stands on People and in the
// dialog of Tools; only where its search is kept differs.
import type { FoundContacts } from '@relay/core/api/contacts';
import type { KeyboardEvent, ReactNode } from 'react';
import { useNow } from '../../data/use-now.ts';
import { Pager } from '../../parts/pager.tsx';
import { GrantRow } from './grant-row.tsx';
import classes from './people.module.css';
import { PAGE_SIZE } from './queries.ts';

interface GrantsListProps {
  readonly found: FoundContacts;
  readonly page: number;
  onPage(page: number): void;
  readonly named?: (id: string) => (name: string) => ReactNode;
}

const COLUMNS = ['Person', 'Read', 'Reply', 'How', 'Start', 'Last message', ''];

export function GrantsList({ found, page, onPage, named }: GrantsListProps) {
  const now = useNow(30_000);
  return (
    <div className={classes.list}>
      {/* Each switch names its person, so whoever does not see the columns misses nothing. */}
      <div className={classes.columns} aria-hidden>
        {COLUMNS.map((column) => (
          <span key={column}>{column}</span>
        ))}
      </div>
      <ul className={classes.rows} aria-label="Grants" onKeyDown={moveWithin}>
        {found.contacts.map((contact) => (
          <GrantRow
            key={contact.id}
            contact={contact}
            now={now}
            {...(named === undefined ? {} : { named: named(contact.id) })}
          />
        ))}
      </ul>
      <Pager
        of="people and groups"
        page={page}
        size={PAGE_SIZE}
        total={found.total}
        onPage={onPage}
      />
    </div>
  );
}

/** Up and down go from a switch to the same one of the next row; Space is the switch's own. */
function moveWithin(event: KeyboardEvent<HTMLUListElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const from = event.target instanceof Element ? event.target : null;
  const what = from?.closest('[data-what]')?.getAttribute('data-what');
  if (what === undefined || what === null || what === 'mode') return;
  let row = from?.closest('li') ?? null;
  while (row !== null) {
    const next = event.key === 'ArrowDown' ? row.nextElementSibling : row.previousElementSibling;
    row = next instanceof HTMLLIElement ? next : null;
    const to = row?.querySelector<HTMLElement>(
      `input[data-what=${what}]:enabled, button[data-what=${what}]:enabled`,
    );
    if (!to) continue;
    event.preventDefault();
    to.focus();
    return;
  }
}
