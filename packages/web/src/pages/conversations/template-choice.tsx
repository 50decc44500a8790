// What the conversation is often for. Choosing fills the form in; what was written by hand is not taken away unasked.
import { Button, Chip } from '@mantine/core';
import { IconReplace } from '@tabler/icons-react';
import { useState } from 'react';
import { Note } from '../../parts/note.tsx';
import { type Draft, fromTemplate, isTouched } from './draft.ts';
import classes from './new-conversation.module.css';
import { TEMPLATES, templateOf } from './templates.ts';

interface TemplateChoiceProps {
  readonly draft: Draft;
  onChange(draft: Draft): void;
}

const CHOICES = [{ id: 'blank', title: 'Blank' }, ...TEMPLATES];

export function TemplateChoice({ draft, onChange }: TemplateChoiceProps) {
  const [asked, setAsked] = useState<string | null>(null);
  const fill = (id: string) => {
    setAsked(null);
    onChange(fromTemplate(templateOf(id), draft));
  };
  const choose = (id: string) =>
    isTouched(draft, templateOf(draft.template)) ? setAsked(id) : fill(id);
  return (
    <div className={classes.templates}>
      <Chip.Group value={asked ?? draft.template} onChange={choose}>
        <div role="radiogroup" aria-label="Template" className={classes.chips}>
          {CHOICES.map(({ id, title }) => (
            <Chip key={id} value={id} variant="outline" size="sm" radius={8}>
              {title}
            </Chip>
          ))}
        </div>
      </Chip.Group>
      {asked !== null && (
        <Note
          hue="parked"
          icon={IconReplace}
          role="status"
          acts={
            <>
              <Button size="xs" onClick={() => fill(asked)}>
                Replace
              </Button>
              <Button size="xs" variant="default" onClick={() => setAsked(null)}>
                Keep mine
              </Button>
            </>
          }
        >
          This replaces what you wrote.
        </Note>
      )}
    </div>
  );
}
