// The title of a card with its icon before it.
import type { TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './groups.module.css';

interface IconedProps {
  readonly icon: TablerIcon;
  readonly children: ReactNode;
}

export function Iconed({ icon: Icon, children }: IconedProps) {
  return (
    <span className={classes.iconed}>
      <Icon size={17} stroke={1.7} aria-hidden />
      {children}
    </span>
  );
}
