// The terms before the yes: the group that was found, the words to tell it with, and what is deleted.
import { Button, Checkbox, CopyButton, Switch } from '@mantine/core';
import type { ObservedPreview } from '@relay/core/api/observed-groups';
import { IconAlertTriangle, IconEye, IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { relay, sentenceOf } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { Initials } from '../../parts/initials.tsx';
import { Note } from '../../parts/note.tsx';
import { plural } from '../../parts/numbers.ts';
import { Sentence } from '../../parts/sentence.tsx';
import classes from './groups.module.css';
import { retentionQuery } from './queries.ts';

interface ObserveTermsProps {
  readonly preview: ObservedPreview;
  onBack(): void;
  onDone(): void;
}

export function ObserveTerms({ preview, onBack, onDone }: ObserveTermsProps) {
  const [told, setTold] = useState(false);
  const [answers, setAnswers] = useState(preview.may_answer);
  const isGone = useIsGone();
  const navigate = useNavigate();
  const { data: retention } = useQuery(retentionQuery);
  const observe = useAct({
    act: () =>
      relay.post('/api/observed-groups', {
        body: { group: preview.address, announced: told, may_answer: answers },
      }),
    touches: ['groups', 'digests', 'status', 'ledger', 'whatsapp-permissions'],
    quiet: true,
    onDone: ({ chat_id }) => {
      onDone();
      void navigate({ to: '/groups/$id', params: { id: chat_id } });
    },
  });
  return (
    <div className={classes.form}>
      <div className={classes.found}>
        <Initials name={preview.name} large />
        <div>
          <b dir="auto">{preview.name}</b>
          <p className="small dim">
            {preview.observed
              ? 'Observed already; this changes its terms.'
              : `Hours and days by ${preview.zone}.`}
          </p>
        </div>
      </div>
      <div>
        <h3>Tell the group first</h3>
        <blockquote dir="auto" className={classes.announcement}>
          {preview.announcement}
        </blockquote>
        <CopyButton value={preview.announcement}>
          {({ copied, copy }) => (
            <Button variant="default" size="xs" onClick={copy}>
              {copied ? 'Copied' : 'Copy these words'}
            </Button>
          )}
        </CopyButton>
      </div>
      {retention !== undefined && (
        <Note hue="parked" icon={IconInfoCircle}>
          Messages of this group are kept for{' '}
          {plural(retention.limits.observed_messages_days, 'day')} and digests for{' '}
          {plural(retention.limits.digests_days, 'day')}. What Relay has of it that is older is
          deleted, and stays deleted.
        </Note>
      )}
      <Switch
        label="Your assistant may answer you there"
        description={`Only when you ask ${preview.assistant_name} by name, ${plural(preview.answers_per_day, 'time')} a day at most.`}
        checked={answers}
        onChange={(event) => setAnswers(event.currentTarget.checked)}
      />
      <Checkbox
        label="I have told the group"
        checked={told}
        onChange={(event) => setTold(event.currentTarget.checked)}
      />
      {observe.error && (
        <Note hue="bad" icon={IconAlertTriangle} role="alert">
          <Sentence text={sentenceOf(observe.error)} />
        </Note>
      )}
      <div className={classes.acts}>
        <Button
          leftSection={<IconEye size={17} />}
          disabled={isGone || !told}
          loading={observe.isPending}
          onClick={() => observe.mutate()}
        >
          {answers ? 'Read it' : 'Read it in silence'}
        </Button>
        <Button variant="default" onClick={onBack}>
          Another group
        </Button>
      </div>
    </div>
  );
}
