// The form for a new schedule: recipient, text and time, with the next runs shown before it is saved. Errors of the
// daemon are shown in place.
import { Button, Chip, NativeSelect, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { CATCH_UPS, type CatchUp } from '@relay/contract/api/constants';
import { WEEKDAYS, type Weekday } from '@relay/contract/schedule/names';
import { describeCatchUp } from '@relay/core/schedule/format';
import { IconAlertTriangle, IconClock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { type ContactChoice, ContactField, choiceAddress } from '../../parts/contact-field.tsx';
import { Note, Sentence } from '../../parts/page.tsx';
import { timeForYou, timeInZone, withClockChanges } from './copy.ts';
import { schedulePreviewQuery } from './queries.ts';
import {
  type Recurrence,
  requestedTime,
  type ScheduleDraft,
  type ScheduleRequestBody,
  suggestStart,
  toScheduleRequest,
} from './schedule-draft.ts';
import classes from './schedules.module.css';

const RECURRENCE_LABELS: Readonly<Record<Recurrence, string>> = {
  once: 'Once',
  daily: 'Every day',
  weekly: 'Some days',
  typed: 'In words',
};
const DAY_LABELS: Readonly<Record<Weekday, string>> = {
  mon: 'Mon',
  tue: 'Tue',
  wed: 'Wed',
  thu: 'Thu',
  fri: 'Fri',
  sat: 'Sat',
  sun: 'Sun',
};

export function NewScheduleForm({ onDone }: { onDone(): void }) {
  const isGone = useIsDaemonGone();
  const [whom, setWhom] = useState<ContactChoice | null>(null);
  const [text, setText] = useState('');
  const [isTried, setTried] = useState(false);
  const [wished, setWished] = useState<ScheduleDraft>(() => ({
    recurrence: 'once',
    at: suggestStart(new Date()),
    time: '09:00',
    days: ['mon'],
    when: '',
    zone: '',
    catchUp: '',
  }));
  const changeDraft = (change: Partial<ScheduleDraft>) =>
    setWished((now) => ({ ...now, ...change }));
  const [looked] = useDebouncedValue(wished, 250);
  const to = whom === null ? null : choiceAddress(whom);
  const create = useAction({
    run: (body: ScheduleRequestBody) => relay.post('/api/schedules', { body }),
    invalidates: ['schedules', 'status'],
    successMessage: 'Scheduled.',
    showsErrorInPlace: true,
    onSuccess: onDone,
  });
  const submit = () => {
    setTried(true);
    const body = toScheduleRequest(wished, { to: to ?? '', text });
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
        label="To"
        value={whom}
        onChoose={setWhom}
        error={isTried && whom === null && 'Say whom it is for.'}
      />
      <Textarea
        label="Message"
        autosize
        minRows={3}
        maxRows={10}
        maxLength={5_000}
        dir="auto"
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        error={isTried && text.trim() === '' && 'Write what is to be sent.'}
      />
      <fieldset className={classes.times}>
        <legend>When</legend>
        <SegmentedControl
          fullWidth
          aria-label="How often"
          value={wished.recurrence}
          onChange={(recurrence) =>
            changeDraft({ recurrence: recurrence as Recurrence, catchUp: '' })
          }
          data={Object.entries(RECURRENCE_LABELS).map(([value, label]) => ({ value, label }))}
        />
        <TimeFields wished={wished} onWish={changeDraft} />
        <div className={classes.pair}>
          <TextInput
            label="Time zone"
            placeholder="Your own"
            list="zones"
            value={wished.zone}
            onChange={({ currentTarget }) => changeDraft({ zone: currentTarget.value.trim() })}
          />
          <NativeSelect
            label="If Relay is off at the time"
            value={wished.catchUp}
            onChange={({ currentTarget }) =>
              changeDraft({ catchUp: currentTarget.value as CatchUp })
            }
            data={[{ value: '', label: 'As usual' }, ...catchUps(wished.recurrence)]}
          />
        </div>
        <datalist id="zones">
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </fieldset>
      <SchedulePreview
        request={toScheduleRequest(looked, { to: to ?? 'me', text: 'preview' })}
        time={requestedTime(looked)}
      />
      {create.isError && (
        <p className={classes.error} role="alert">
          {readableError(create.error)}
        </p>
      )}
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone} loading={create.isPending}>
          Schedule it
        </Button>
        <Button variant="default" onClick={onDone}>
          Never mind
        </Button>
      </div>
    </form>
  );
}

const catchUps = (recurrence: Recurrence) =>
  CATCH_UPS.filter((catchUp) => recurrence !== 'once' || catchUp !== 'all').map((value) => ({
    value,
    label: describeCatchUp({ kind: recurrence === 'once' ? 'once' : 'daily' }, value),
  }));

interface TimeFieldsProps {
  readonly wished: ScheduleDraft;
  onWish(change: Partial<ScheduleDraft>): void;
}

function TimeFields({ wished: { recurrence, at, time, days, when }, onWish }: TimeFieldsProps) {
  const timeField = (
    <TextInput
      type="time"
      label="At"
      value={time}
      onChange={({ currentTarget }) => onWish({ time: currentTarget.value })}
    />
  );
  switch (recurrence) {
    case 'once':
      return (
        <TextInput
          type="datetime-local"
          label="Day and time"
          value={at}
          onChange={({ currentTarget }) => onWish({ at: currentTarget.value })}
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
            onChange={(next) => onWish({ days: WEEKDAYS.filter((day) => next.includes(day)) })}
          >
            <div className={classes.days}>
              {WEEKDAYS.map((day) => (
                <Chip key={day} value={day} size="sm">
                  {DAY_LABELS[day]}
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
          label="In words, or five fields of cron"
          placeholder="every month on the 1st at 8"
          description="As in: every weekday 9am · every 2 hours · 0 9 * * mon-fri"
          value={when}
          onChange={({ currentTarget }) => onWish({ when: currentTarget.value })}
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
  const { words, zone, next } = preview.data;
  return (
    <section className={classes.preview} aria-label="What was understood" aria-live="polite">
      <p>
        <IconClock size={16} stroke={1.7} aria-hidden /> <b>{capital(words)}</b>
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

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

const ForYou = ({ text }: { readonly text: string | null }) =>
  text === null ? null : <span className="dim small num"> · {text}</span>;
