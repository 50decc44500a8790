// How the account stands with WhatsApp, under the limits that keep it so.
import type { DaemonStatus } from '@relay/core/api/status';
import { Light } from '../../parts/marks.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import classes from './settings.module.css';

const HUES = { green: 'ok', amber: 'held', red: 'bad' } as const;

export function Standing({ status: { sending } }: { readonly status: DaemonStatus }) {
  return (
    <div className={classes.standing}>
      <Light hue={HUES[sending.light]} />
      <p className="small dim">
        <Sentence text={sending.sentence} /> {sending.sent_today} of {sending.caps.per_day} sent and{' '}
        {sending.first_contacts_today} of {sending.caps.first_contacts_per_day} new people in 24
        hours.
      </p>
    </div>
  );
}
