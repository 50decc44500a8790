// The states of an approval as badges and filters.
import type { ApprovalState } from '@relay/core/api/approvals';
import { IconCheck, IconClock, IconHourglassOff, IconPencil, IconX } from '@tabler/icons-react';
import type { StateShown } from '../../parts/marks.tsx';

export const STATES: Readonly<Record<ApprovalState, StateShown>> = {
  pending: { word: 'Waiting', hue: 'you', icon: IconClock },
  approved: { word: 'Approved', hue: 'ok', icon: IconCheck },
  rejected: { word: 'Declined', hue: 'held', icon: IconX },
  expired: { word: 'Ran out', hue: 'parked', icon: IconHourglassOff },
};

/** The owner chose other words, which is not a no. */
export const CHANGED: StateShown = { word: 'Changed', hue: 'parked', icon: IconPencil };
