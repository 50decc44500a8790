// One card of settings: its fields, each with where its value comes from, and one Save for what was changed. A refusal
// is told in place, and nothing of it was saved.
import { Button } from '@mantine/core';
import type { ShownSettings } from '@relay/core/api/settings';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { sentenceOf } from '../../data/relay.ts';
import { useIsGone } from '../../data/use-live.ts';
import { Card } from '../../parts/card.tsx';
import { Note } from '../../parts/note.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { Field } from './field.tsx';
import type { Section } from './sections.ts';
import classes from './settings.module.css';
import { useSave } from './use-save.ts';
import { refusalWords, settingOf } from './words.ts';

interface SectionCardProps {
  readonly section: Section;
  readonly shown: ShownSettings;
  readonly children?: ReactNode;
}

export function SectionCard({ section, shown, children }: SectionCardProps) {
  const [edited, setEdited] = useState<Readonly<Record<string, unknown>>>({});
  const isGone = useIsGone();
  const save = useSave(() => setEdited({}));
  const fields = section.names.flatMap((name) => settingOf(shown, name) ?? []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(edited);
  };
  return (
    <Card title={section.title}>
      <p className="small dim">{section.says}</p>
      <form className={classes.form} onSubmit={submit}>
        {fields.map((setting) => (
          <Field
            key={setting.name}
            setting={setting}
            value={setting.name in edited ? edited[setting.name] : (setting.next ?? setting.value)}
            onChange={(value) => setEdited({ ...edited, [setting.name]: value })}
          />
        ))}
        {save.error && (
          <Note hue="bad" icon={IconAlertTriangle} role="alert">
            <Sentence text={refusalWords(sentenceOf(save.error))} />
          </Note>
        )}
        {Object.keys(edited).length > 0 && (
          <div className={classes.acts}>
            <Button type="submit" disabled={isGone} loading={save.isPending}>
              Save {section.title.toLowerCase()}
            </Button>
            <Button
              variant="default"
              onClick={() => {
                setEdited({});
                save.reset();
              }}
            >
              Leave as it was
            </Button>
          </div>
        )}
      </form>
      {children}
    </Card>
  );
}
