// A hue's solid colour where no element carries it: the charts draw with it, their legends stand beside.
import type { Hue } from '../../theme/hues.ts';

export const colourOf = (hue: Hue): string => `var(--solid-${hue})`;
