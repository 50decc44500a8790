// The form for a new schedule: recipient, text and time, with the next runs shown before it is saved. Errors of the
// daemon are shown in place.
import { Button, Chip, NativeSelect, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { CATCH_UPS, type CatchUp } from '@relay/contract/api/constants';
import { WEEKDAYS } from '@relay/contract/schedule/names';
import { IconAlertTriangle, IconClock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { type ContactChoice, ContactField, choiceAddress } from '../../parts/contact-field.tsx';
import { capitalize } from '../../parts/format.ts';
import { Note, Sentence } from '../../parts/page.tsx';
import { catchUpText, ruleText, timeForYou, timeInZone, withClockChanges } from './copy.ts';
import { schedulePreviewQuery } from './queries.ts';
import {
  RECURRENCES,
  type Recurrence,
  requestedTime,
  type ScheduleDraft,
  type ScheduleRequestBody,
  suggestStart,
  toScheduleRequest,
} from './schedule-draft.ts';
import classes from './schedules.module.css';

// Relay understands English in every language of the console, so these are not translated.
const TYPED_PLACEHOLDER = 'every month on the 1st at 8';
const TYPED_EXAMPLES = 'every weekday 9am · every 2 hours · 0 9 * * mon-fri';

export function NewScheduleForm({ onDone }: { onDone(): void }) {
  const isGone = useIsDaemonGone();
  const [recipient, setRecipient] = useState<ContactChoice | null>(null);
  const [text, setText] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const [draft, setDraft] = useState<ScheduleDraft>(() => ({
    recurrence: 'once',
    at: suggestStart(new Date()),
    time: '09:00',
    days: ['mon'],
    when: '',
    zone: '',
    catchUp: '',
  }));
  const changeDraft = (change: Partial<ScheduleDraft>) =>
    setDraft((current) => ({ ...current, ...change }));
  const [previewed] = useDebouncedValue(draft, 250);
  const to = recipient === null ? null : choiceAddress(recipient);
  const create = useAction({
    run: (body: ScheduleRequestBody) => relay.post('/api/schedules', { body }),
    invalidates: ['schedules', 'status'],
    successMessage: t('schedules.form.saved'),
    showsErrorInPlace: true,
    onSuccess: onDone,
  });
  const submit = () => {
    setSubmitted(true);
    const body = toScheduleRequest(draft, { to: to ?? '', text });
    if (to !== null && text.trim() !== '' && body !== null) create.mutate(body);
  };
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <ContactField
        withMe
        label={t('schedules.form.to')}
        value={recipient}
        onChoose={setRecipient}
        error={isSubmitted && recipient === null && t('schedules.form.toMissing')}
      />
      <Textarea
        label={t('schedules.form.message')}
        autosize
        minRows={3}
        maxRows={10}
        maxLength={5_000}
        dir="auto"
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        error={isSubmitted && text.trim() === '' && t('schedules.form.messageMissing')}
      />
      <fieldset className={classes.times}>
        <legend>{t('schedules.form.when')}</legend>
        <SegmentedControl
          fullWidth
          aria-label={t('schedules.form.recurrence')}
          value={draft.recurrence}
          onChange={(recurrence) => changeDraft({ recurrence, catchUp: '' })}
          data={RECURRENCES.map((value) => ({
            value,
            label: t(`schedules.form.recurrence.${value}`),
          }))}
        />
        <TimeFields draft={draft} onChange={changeDraft} />
        <div className={classes.pair}>
          <TextInput
            label={t('schedules.form.zone')}
            placeholder={t('schedules.form.zoneDefault')}
            list="zones"
            value={draft.zone}
            onChange={({ currentTarget }) => changeDraft({ zone: currentTarget.value.trim() })}
          />
          <NativeSelect
            label={t('schedules.form.catchUp')}
            value={draft.catchUp}
            onChange={({ currentTarget }) =>
              changeDraft({ catchUp: currentTarget.value as CatchUp })
            }
            data={[
              { value: '', label: t('schedules.form.catchUpDefault') },
              ...catchUpChoices(draft.recurrence),
            ]}
          />
        </div>
        <datalist id="zones">
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </fieldset>
      <SchedulePreview
        request={toScheduleRequest(previewed, { to: to ?? 'me', text: 'preview' })}
        time={requestedTime(previewed)}
      />
      {create.isError && (
        <p className={classes.error} role="alert">
          {readableError(create.error)}
        </p>
      )}
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone} loading={create.isPending}>
          {t('schedules.form.submit')}
        </Button>
        <Button variant="default" onClick={onDone}>
          {t('common.action.cancel')}
        </Button>
      </div>
    </form>
  );
}

const catchUpChoices = (recurrence: Recurrence) =>
  CATCH_UPS.filter((catchUp) => recurrence !== 'once' || catchUp !== 'all').map((value) => ({
    value,
    label: catchUpText({ kind: recurrence === 'once' ? 'once' : 'daily' }, value),
  }));

interface TimeFieldsProps {
  readonly draft: ScheduleDraft;
  onChange(change: Partial<ScheduleDraft>): void;
}

function TimeFields({ draft: { recurrence, at, time, days, when }, onChange }: TimeFieldsProps) {
  const timeField = (
    <TextInput
      type="time"
      label={t('schedules.form.time')}
      value={time}
      onChange={({ currentTarget }) => onChange({ time: currentTarget.value })}
    />
  );
  switch (recurrence) {
    case 'once':
      return (
        <TextInput
          type="datetime-local"
          label={t('schedules.form.dateAndTime')}
          value={at}
          onChange={({ currentTarget }) => onChange({ at: currentTarget.value })}
        />
      );
    case 'daily':
      return timeField;
    case 'weekly':
      return (
        <>
          <Chip.Group
            multiple
            value={[...days]}
            onChange={(next) => onChange({ days: WEEKDAYS.filter((day) => next.includes(day)) })}
          >
            <div className={classes.days}>
              {WEEKDAYS.map((day) => (
                <Chip key={day} value={day} size="sm">
                  {t(`schedules.form.day.${day}`)}
                </Chip>
              ))}
            </div>
          </Chip.Group>
          {timeField}
        </>
      );
    case 'typed':
      return (
        <TextInput
          label={t('schedules.form.typed')}
          placeholder={TYPED_PLACEHOLDER}
          description={t('schedules.form.typedHelp', { examples: TYPED_EXAMPLES })}
          value={when}
          onChange={({ currentTarget }) => onChange({ when: currentTarget.value })}
        />
      );
  }
}

// The preview before saving: the next runs in the schedule's time zone with clock changes, or why it is not possible.

interface SchedulePreviewProps {
  readonly request: ScheduleRequestBody | null;
  /** The requested time of day. */
  readonly time: string | null;
}

function SchedulePreview({ request, time }: SchedulePreviewProps) {
  const preview = useQuery(schedulePreviewQuery(request));
  const now = useNow(30_000);
  if (request === null) return null;
  if (preview.isError) {
    return (
      <Note hue="held" icon={IconAlertTriangle} role="status">
        <Sentence text={readableError(preview.error)} />
      </Note>
    );
  }
  if (preview.data === undefined) return <div className={classes.preview} aria-busy />;
  const { zone, next } = preview.data;
  return (
    <section
      className={classes.preview}
      aria-label={t('schedules.form.preview')}
      aria-live="polite"
    >
      <p>
        <IconClock size={16} stroke={1.7} aria-hidden />{' '}
        <b>{capitalize(ruleText(preview.data, now))}</b>
      </p>
      <ol>
        {withClockChanges(next, zone, { now, time }).map(({ at, note }) => (
          <li key={at}>
            <time dateTime={at}>{timeInZone(zone, at, now)}</time>
            <ForYou text={timeForYou(zone, at, now)} />
            {note !== null && <span className={classes.clock}>{note}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

const ForYou = ({ text }: { readonly text: string | null }) =>
  text === null ? null : <span className="dim small num"> · {text}</span>;
