// How far it is open, for how many: a ladder whose every rung leads to those who stand on it.
import { Skeleton } from '@mantine/core';
import type { ContactCounts, ContactsShown } from '@relay/core/api/contacts';
import {
  IconArrowBackUp,
  IconEye,
  IconMessagePlus,
  IconSend,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Tile } from '../../parts/marks.tsx';
import { grouped } from '../../parts/numbers.ts';
import classes from './people.module.css';
import { ladder, type RungWords } from './words.ts';

const RUNGS: Readonly<Record<RungWords['rung'], { icon: TablerIcon; show: ContactsShown }>> = {
  known: { icon: IconUsers, show: 'all' },
  read: { icon: IconEye, show: 'read' },
  reply: { icon: IconArrowBackUp, show: 'reply' },
  auto: { icon: IconSend, show: 'auto' },
  start: { icon: IconMessagePlus, show: 'start' },
};

export function Ladder({ counts }: { readonly counts: ContactCounts | undefined }) {
  if (counts === undefined)
    return <Skeleton className={classes.late ?? ''} height={66} mb={18} radius={12} />;
  return (
    <ul className={classes.ladder} aria-label="How far it is open">
      {ladder(counts).map(({ rung, n, says, more }) => (
        <li key={rung}>
          <Link to="/people" search={{ show: RUNGS[rung].show }}>
            <Tile icon={RUNGS[rung].icon} hue={rung === 'known' || n === 0 ? 'parked' : 'agent'} />
            <b className="num">{grouped(n)}</b>
            <span>
              {says} <small>{more}</small>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
