// The outcome of a decision as a badge: icon, word and hue. An unknown outcome of a newer daemon is shown as is.
import {
  IconArrowForward,
  IconCheck,
  IconCircleDashed,
  IconClock,
  IconEraser,
  IconHandStop,
  IconLock,
  IconMessageReply,
  IconStack2,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Hue } from '../theme/theme.ts';

interface OutcomeDisplay {
  readonly word: string;
  readonly hue: Hue;
  readonly icon: TablerIcon;
}

const OUTCOME_DISPLAY: Readonly<Record<string, OutcomeDisplay>> = {
  allow: { word: 'Allowed', hue: 'ok', icon: IconCheck },
  answered: { word: 'Answered', hue: 'agent', icon: IconMessageReply },
  deny: { word: 'Refused', hue: 'held', icon: IconLock },
  erased: { word: 'Erased', hue: 'parked', icon: IconEraser },
  handed_over: { word: 'Passed on', hue: 'agent', icon: IconArrowForward },
  ignored: { word: 'Left alone', hue: 'parked', icon: IconCircleDashed },
  needs_approval: { word: 'Asked you', hue: 'you', icon: IconHandStop },
  queued: { word: 'In line', hue: 'parked', icon: IconStack2 },
  skipped: { word: 'Left out', hue: 'parked', icon: IconCircleDashed },
  stopped: { word: 'Stopped', hue: 'held', icon: IconLock },
  stored: { word: 'Left alone', hue: 'parked', icon: IconCircleDashed },
  unanswered: { word: 'Not answered', hue: 'parked', icon: IconCircleDashed },
  waiting: { word: 'Waiting', hue: 'agent', icon: IconClock },
};

export const outcomeDisplay = (outcome: string): OutcomeDisplay =>
  OUTCOME_DISPLAY[outcome] ?? {
    word: outcome.replaceAll('_', ' '),
    hue: 'parked',
    icon: IconCircleDashed,
  };
