// How the delivery state of a sent message is shown.
import type { OutboxState } from '@relay/contract/outbox/states';
import {
  IconAlertTriangle,
  IconCheck,
  IconChecks,
  IconClock,
  IconQuestionMark,
  type TablerIcon,
} from '@tabler/icons-react';
import { type TextId, t } from '../../i18n.ts';
import type { Hue } from '../../theme/theme.ts';

interface DeliveryDisplay {
  readonly label: TextId;
  readonly icon: TablerIcon;
  readonly hue?: Hue;
}

export const DELIVERY_DISPLAY: Readonly<Record<OutboxState, DeliveryDisplay>> = {
  pending: { label: 'common.delivery.pending', icon: IconClock },
  sent: { label: 'common.delivery.sent', icon: IconCheck },
  delivered: { label: 'common.delivery.delivered', icon: IconChecks },
  read: { label: 'common.delivery.read', icon: IconChecks, hue: 'agent' },
  failed: { label: 'common.delivery.failed', icon: IconAlertTriangle, hue: 'held' },
  unknown: { label: 'common.delivery.unknown', icon: IconQuestionMark, hue: 'held' },
};

export const deliveryLabel = (state: OutboxState): string => t(DELIVERY_DISPLAY[state].label);
