// Makes a schedule: to whom, what, and when, with the next times shown before it is saved. What the daemon does not
// understand it says in place.
import { Button, Chip, NativeSelect, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { WEEKDAYS, type Weekday } from '@relay/core/schedule/local';
import { CATCH_UPS, type CatchUp } from '@relay/core/schedule/missed';
import { catchUpWords } from '@relay/core/schedule/words';
import { useState } from 'react';
import { relay, sentenceOf } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { addressOf, type Somebody, SomebodyField } from '../../parts/somebody-field.tsx';
import { Preview } from './preview.tsx';
import classes from './schedules.module.css';
import { type How, soon, timeAsked, type Wish, type Wished, wishOf } from './wish.ts';

const HOW_WORDS: Readonly<Record<How, string>> = {
  once: 'Once',
  daily: 'Every day',
  weekly: 'Some days',
  typed: 'In words',
};
const DAY_WORDS: Readonly<Record<Weekday, string>> = {
  mon: 'Mon',
  tue: 'Tue',
  wed: 'Wed',
  thu: 'Thu',
  fri: 'Fri',
  sat: 'Sat',
  sun: 'Sun',
};

export function NewSchedule({ onDone }: { onDone(): void }) {
  const isGone = useIsGone();
  const [whom, setWhom] = useState<Somebody | null>(null);
  const [text, setText] = useState('');
  const [isTried, setTried] = useState(false);
  const [wished, setWished] = useState<Wished>(() => ({
    how: 'once',
    at: soon(new Date()),
    time: '09:00',
    days: ['mon'],
    when: '',
    zone: '',
    catchUp: '',
  }));
  const wish = (change: Partial<Wished>) => setWished((now) => ({ ...now, ...change }));
  const [looked] = useDebouncedValue(wished, 250);
  const to = whom === null ? null : addressOf(whom);
  const create = useAct({
    act: (body: Wish) => relay.post('/api/schedules', { body }),
    touches: ['schedules', 'status'],
    done: 'Scheduled.',
    quiet: true,
    onDone,
  });
  const submit = () => {
    setTried(true);
    const body = wishOf(wished, { to: to ?? '', text });
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
      <SomebodyField
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
          value={wished.how}
          onChange={(how) => wish({ how: how as How, catchUp: '' })}
          data={Object.entries(HOW_WORDS).map(([value, label]) => ({ value, label }))}
        />
        <Times wished={wished} onWish={wish} />
        <div className={classes.pair}>
          <TextInput
            label="Time zone"
            placeholder="Your own"
            list="zones"
            value={wished.zone}
            onChange={({ currentTarget }) => wish({ zone: currentTarget.value.trim() })}
          />
          <NativeSelect
            label="If Relay is off at the time"
            value={wished.catchUp}
            onChange={({ currentTarget }) => wish({ catchUp: currentTarget.value as CatchUp })}
            data={[{ value: '', label: 'As usual' }, ...catchUps(wished.how)]}
          />
        </div>
        <datalist id="zones">
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </fieldset>
      <Preview
        wish={wishOf(looked, { to: to ?? 'me', text: 'preview' })}
        time={timeAsked(looked)}
      />
      {create.isError && (
        <p className={classes.error} role="alert">
          {sentenceOf(create.error)}
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

const catchUps = (how: How) =>
  CATCH_UPS.filter((catchUp) => how !== 'once' || catchUp !== 'all').map((value) => ({
    value,
    label: catchUpWords({ kind: how === 'once' ? 'once' : 'daily' }, value),
  }));

interface TimesProps {
  readonly wished: Wished;
  onWish(change: Partial<Wished>): void;
}

function Times({ wished: { how, at, time, days, when }, onWish }: TimesProps) {
  const timeField = (
    <TextInput
      type="time"
      label="At"
      value={time}
      onChange={({ currentTarget }) => onWish({ time: currentTarget.value })}
    />
  );
  switch (how) {
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
                  {DAY_WORDS[day]}
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
