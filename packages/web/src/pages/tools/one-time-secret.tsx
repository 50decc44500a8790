// Shows a secret once, with a button to copy it. Used by other pages too, so it has no texts of the tools page.
import { Button, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy, IconKey } from '@tabler/icons-react';
import { t } from '../../i18n.ts';
import { Note, Sentence } from '../../parts/page.tsx';
import classes from './tools.module.css';

interface OneTimeSecretProps {
  readonly secret: string;
  /** What it is for, and that it is shown once. */
  readonly text: string;
}

export function OneTimeSecret({ secret, text }: OneTimeSecretProps) {
  return (
    <>
      <Note hue="agent" icon={IconKey} role="status">
        <Sentence text={text} />
      </Note>
      <div className={classes.secret}>
        <code dir="ltr">{secret}</code>
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              onClick={copy}
              leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            >
              {t(copied ? 'common.action.copied' : 'common.action.copy')}
            </Button>
          )}
        </CopyButton>
      </div>
    </>
  );
}
