// An exported chat brought in, to be found by search: chosen, sent as it is, and told line by line how far it is.
// Leaving the page stops it; it can be repeated, and nothing comes in twice.
import { Button, FileButton, Progress, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconFileImport } from '@tabler/icons-react';
import { useState } from 'react';
import { useIsGone } from '../../data/use-live.ts';
import { Card } from '../../parts/card.tsx';
import { Note } from '../../parts/note.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import classes from './groups.module.css';
import { Iconed } from './iconed.tsx';
import { useImport } from './use-import.ts';
import { importedWords } from './words.ts';

export function ImportCard() {
  const [me, setMe] = useState('');
  const isGone = useIsGone();
  const { news, begin } = useImport();
  const isRunning = news?.type === 'progress';
  return (
    <Card title={<Iconed icon={IconFileImport}>An exported chat</Iconed>}>
      <div className={classes.form}>
        <p className="small dim">What WhatsApp exports (.txt or .zip) becomes findable here.</p>
        <TextInput
          label="Your name in it"
          description="Only where Relay cannot tell which is you."
          value={me}
          disabled={isRunning}
          onChange={(event) => setMe(event.currentTarget.value)}
        />
        {isRunning && (
          <Progress value={news.percent} aria-label={`${Math.round(news.percent)}% read`} />
        )}
        {news?.type === 'done' && (
          <Note hue="ok" icon={IconCheck} role="status">
            {importedWords(news.report)}
          </Note>
        )}
        {news?.type === 'failed' && (
          <Note hue="bad" icon={IconAlertTriangle} role="alert">
            <Sentence text={news.error} />
          </Note>
        )}
        <FileButton accept=".txt,.zip" onChange={(file) => file && begin(file, me.trim())}>
          {(props) => (
            <Button {...props} variant="default" fullWidth disabled={isGone} loading={isRunning}>
              Choose a file
            </Button>
          )}
        </FileButton>
      </div>
    </Card>
  );
}
