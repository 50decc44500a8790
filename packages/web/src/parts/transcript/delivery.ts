// How far a message of ours has come, in words. Pure.
import type { OutboxState } from '@relay/core/outbox/progress';
import {
  IconAlertTriangle,
  IconCheck,
  IconChecks,
  IconClock,
  IconQuestionMark,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Hue } from '../../theme/hues.ts';

interface DeliveryShown {
  readonly word: string;
  readonly icon: TablerIcon;
  readonly hue?: Hue;
}

export const DELIVERY: Readonly<Record<OutboxState, DeliveryShown>> = {
  pending: { word: 'Waiting to leave', icon: IconClock },
  sent: { word: 'Sent', icon: IconCheck },
  delivered: { word: 'Delivered', icon: IconChecks },
  read: { word: 'Read', icon: IconChecks, hue: 'agent' },
  failed: { word: 'Not sent', icon: IconAlertTriangle, hue: 'held' },
  unknown: { word: 'Not sure that it arrived', icon: IconQuestionMark, hue: 'held' },
};
