// A call of a tool as a line: what it looks at, then what came of it.
import { IconCheck, IconClock, IconLock } from '@tabler/icons-react';
import { Sentence } from '../../parts/sentence.tsx';
import classes from './assistant.module.css';
import { aboutCall, iconOf, outcomeOf } from './steps.ts';
import { useWhom } from './use-whom.ts';

interface StepProps {
  readonly name: string;
  readonly given: unknown;
  readonly result: string | null;
}

const SHOWN = {
  running: { hue: 'agent', icon: IconClock },
  done: { hue: 'ok', icon: IconCheck },
  waits: { hue: 'you', icon: IconClock },
  failed: { hue: 'held', icon: IconLock },
} as const;

export function Step({ name, given, result }: StepProps) {
  const whom = useWhom();
  const outcome = outcomeOf(name, result);
  const { hue, icon: Mark } = SHOWN[outcome.is];
  const Icon = iconOf(name);
  return (
    <li className={classes.step} data-is={outcome.is}>
      <Icon size={16} stroke={1.7} aria-hidden />
      <span dir="auto">{aboutCall(name, given, whom)}</span>
      <span className={classes.outcome} data-hue={hue}>
        <Mark size={14} stroke={2} aria-hidden />
        <span>{outcome.is === 'running' ? 'at it …' : <Sentence text={outcome.sentence} />}</span>
      </span>
    </li>
  );
}
