// Small marks with a hue: a badge is always icon and word, a light never stands without its sentence.
import type { TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Hue } from '../theme/hues.ts';
import classes from './parts.module.css';

interface Hued {
  readonly hue: Hue;
}

/** How a state is shown, wherever it stands. */
export interface StateShown extends Hued {
  readonly word: string;
  readonly icon: TablerIcon;
}

export function Badge({
  hue,
  icon: Icon,
  children,
}: Hued & { readonly icon: TablerIcon; readonly children: ReactNode }) {
  return (
    <span className={classes.badge} data-hue={hue}>
      <Icon size={14} stroke={2} aria-hidden />
      {children}
    </span>
  );
}

export function Tile({
  hue,
  icon: Icon,
  large = false,
}: Hued & { readonly icon: TablerIcon; readonly large?: boolean }) {
  return (
    <span className={classes.tile} data-hue={hue} data-size={large ? 'large' : undefined}>
      <Icon size={large ? 22 : 18} stroke={1.7} aria-hidden />
    </span>
  );
}

export function Light({ hue, large = false }: Hued & { readonly large?: boolean }) {
  return (
    <span
      className={classes.light}
      data-hue={hue}
      data-size={large ? 'large' : undefined}
      aria-hidden
    />
  );
}

/** Amber unless another hue is meant: counts stand where something waits. */
export function Count({
  n,
  hue = 'you',
  says,
}: Partial<Hued> & { readonly n: number; readonly says: string }) {
  return (
    <span className={classes.count} data-hue={hue}>
      <span aria-hidden>{n > 99 ? '99+' : n}</span>
      <span className="unseen">{says}</span>
    </span>
  );
}

export function Chip({ children }: { readonly children: ReactNode }) {
  return <span className={classes.chip}>{children}</span>;
}
