// Something said in place: what was refused, what moved on, what is held.
import type { TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Hue } from '../theme/hues.ts';
import classes from './parts.module.css';

interface NoteProps {
  readonly hue: Hue;
  readonly icon: TablerIcon;
  readonly children: ReactNode;
  /** Buttons at its end. */
  readonly acts?: ReactNode;
  readonly role?: 'status' | 'alert';
}

export function Note({ hue, icon: Icon, children, acts, role }: NoteProps) {
  return (
    <div className={classes.note} data-hue={hue} role={role}>
      <Icon size={18} stroke={1.7} aria-hidden />
      <div>{children}</div>
      {acts}
    </div>
  );
}
