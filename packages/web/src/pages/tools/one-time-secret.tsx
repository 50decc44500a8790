// Shows a secret once, with a button to copy it.
import { Button, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy, IconKey } from '@tabler/icons-react';
import { Note } from '../../parts/page.tsx';
import classes from './tools.module.css';

export function OneTimeSecret({
  secret,
  says,
}: {
  readonly secret: string;
  readonly says: string;
}) {
  return (
    <>
      <Note hue="agent" icon={IconKey} role="status">
        {says} It is shown this once.
      </Note>
      <div className={classes.secret}>
        <code>{secret}</code>
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              onClick={copy}
              leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </div>
    </>
  );
}
