// Whether a program may pause, resume or cancel a conversation that it sees. What narrows takes effect at once;
// a cancel cannot be undone, so it is for who began it; and nobody but the owner undoes another's pause.
import { because, type Decision } from './reasons.ts';

export const CONTROLS = ['pause', 'resume', 'cancel'] as const;
export type Control = (typeof CONTROLS)[number];

export interface ControlFacts {
  /** This very program began it. */
  readonly began: boolean;
  /** It stands as this program paused it, and the owner has said nothing there since. */
  readonly pausedIt: boolean;
}

export function decideControl(control: Control, { began, pausedIt }: ControlFacts): Decision {
  switch (control) {
    case 'pause':
      return because('narrowing');
    case 'cancel':
      return because(began ? 'narrowing' : 'not_its_own');
    case 'resume':
      return because(pausedIt ? 'token_scope' : 'paused_by_another');
  }
}
