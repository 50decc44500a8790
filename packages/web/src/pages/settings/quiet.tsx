// Quiet hours: when nobody is answered by itself. What is written meanwhile is answered when they are over.
import { Button, Switch, TextInput } from '@mantine/core';
import type { ShownSettings } from '@relay/core/api/settings';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { sentenceOf } from '../../data/relay.ts';
import { useIsGone } from '../../data/use-live.ts';
import { Card } from '../../parts/card.tsx';
import { Note } from '../../parts/note.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import classes from './settings.module.css';
import { useSave } from './use-save.ts';
import { quietHoursOf, quietWords } from './words.ts';

const NAME = 'auto_reply.quiet_hours';
const USUAL = { from: '22:00', to: '07:00' };

export function QuietCard({ shown }: { readonly shown: ShownSettings }) {
  const set = quietHoursOf(shown);
  const [edited, setEdited] = useState<typeof set | undefined>(undefined);
  const isGone = useIsGone();
  const save = useSave(() => setEdited(undefined));
  const hours = edited === undefined ? set : edited;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ [NAME]: hours });
  };
  return (
    <Card title="Quiet hours">
      <p className="small dim">
        {quietWords(set)} What you send yourself and what you approve leaves at any hour; a
        contact’s own quiet hours go before these.
      </p>
      <form className={classes.form} onSubmit={submit}>
        <Switch
          label="Nobody is answered by itself at night"
          checked={hours !== null}
          disabled={isGone}
          onChange={(event) => setEdited(event.currentTarget.checked ? (set ?? USUAL) : null)}
        />
        {hours !== null && (
          <div className={classes.pair}>
            <TextInput
              type="time"
              label="From"
              disabled={isGone}
              value={hours.from}
              onChange={(event) => setEdited({ ...hours, from: event.currentTarget.value })}
            />
            <TextInput
              type="time"
              label="Until"
              disabled={isGone}
              value={hours.to}
              onChange={(event) => setEdited({ ...hours, to: event.currentTarget.value })}
            />
          </div>
        )}
        {save.error && (
          <Note hue="bad" icon={IconAlertTriangle} role="alert">
            <Sentence text={sentenceOf(save.error)} />
          </Note>
        )}
        {edited !== undefined && (
          <div className={classes.acts}>
            <Button type="submit" disabled={isGone} loading={save.isPending}>
              Save quiet hours
            </Button>
            <Button variant="default" onClick={() => setEdited(undefined)}>
              Leave as it was
            </Button>
          </div>
        )}
      </form>
    </Card>
  );
}
