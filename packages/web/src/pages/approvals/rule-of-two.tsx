// Three things that together need a person: texts of others were read, private things are known, and words go
// elsewhere. Shown where that is why it is asked.
import type { Approval } from '@relay/core/api/approvals';
import { IconLock, IconMessage, IconSend, type TablerIcon } from '@tabler/icons-react';
import { whomOf } from '../../parts/approval-words.ts';
import classes from './approvals.module.css';

interface RuleOfTwoProps {
  readonly approval: Approval;
  /** Whose texts were read, where that is known. */
  readonly read: string | null;
}

export function RuleOfTwo({ approval, read }: RuleOfTwoProps) {
  return (
    <>
      <ul className={classes.three}>
        <One
          icon={IconMessage}
          title="Read what others wrote"
          says={read ?? 'Text from elsewhere'}
        />
        <One icon={IconLock} title="Knows private things" says="It acts in your name" />
        <One
          icon={IconSend}
          title="Wants to reach out"
          says={`To ${whomOf(approval)}`}
          isAsked={approval.state === 'pending'}
        />
      </ul>
      <p className="small dim">
        Two of these three are fine. With all three, a person decides. Nothing is wrong by itself.
      </p>
    </>
  );
}

interface OneProps {
  readonly icon: TablerIcon;
  readonly title: string;
  readonly says: string;
  /** It waits for the owner because of this. */
  readonly isAsked?: boolean;
}

function One({ icon: Icon, title, says, isAsked = false }: OneProps) {
  return (
    <li data-hue={isAsked ? 'you' : undefined}>
      <Icon size={18} stroke={1.7} aria-hidden />
      <b>{title}</b>
      <span dir="auto">{says}</span>
    </li>
  );
}
