// Small marks with a hue: a badge always has an icon and a word, a light always has a sentence.
import type { TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { TextId } from '../i18n.ts';
import type { Hue } from '../theme/theme.ts';
import { formatBadgeCount } from './format.ts';
import classes from './parts.module.css';

interface HueProps {
  readonly hue: Hue;
}

/** How a state is shown everywhere; `t(label)` is its name. */
export interface StateDisplay extends HueProps {
  readonly label: TextId;
  readonly icon: TablerIcon;
}

export function Badge({
  hue,
  icon: Icon,
  children,
}: HueProps & { readonly icon: TablerIcon; readonly children: ReactNode }) {
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
}: HueProps & { readonly icon: TablerIcon; readonly large?: boolean }) {
  return (
    <span className={classes.tile} data-hue={hue} data-size={large ? 'large' : undefined}>
      <Icon size={large ? 22 : 18} stroke={1.7} aria-hidden />
    </span>
  );
}

export function Light({ hue, large = false }: HueProps & { readonly large?: boolean }) {
  return (
    <span
      className={classes.light}
      data-hue={hue}
      data-size={large ? 'large' : undefined}
      aria-hidden
    />
  );
}

/** Amber by default: counts are shown where something waits for the owner. */
export function Count({
  n,
  hue = 'you',
  says,
}: Partial<HueProps> & { readonly n: number; readonly says: string }) {
  return (
    <span className={classes.count} data-hue={hue}>
      <span aria-hidden>{formatBadgeCount(n)}</span>
      <span className="unseen">{says}</span>
    </span>
  );
}

export function Chip({ children }: { readonly children: ReactNode }) {
  return <span className={classes.chip}>{children}</span>;
}

// Relay's logo: an electrical contact about to close.

export function Logo() {
  return (
    <svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="7" fill="var(--brand)" />
      <g stroke="var(--on-brand)" strokeWidth="2" strokeLinecap="round" fill="none">
        <path d="M4.5 15.5h2.4M17.1 15.5h2.4" />
        <path d="M8.6 14.4l6.6-6" />
      </g>
      <circle cx="8.2" cy="15.5" r="1.7" fill="var(--on-brand)" />
      <circle cx="15.9" cy="15.5" r="1.7" fill="var(--on-brand)" />
    </svg>
  );
}
