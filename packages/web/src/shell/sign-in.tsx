// Shown without a session: how to sign in. It notices a new session by itself.
import { Button, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useLiveStream } from '../data/live-stream.ts';
import { relay } from '../data/relay.ts';
import { Logo } from '../parts/marks.tsx';
import classes from './sign-in.module.css';

const LOOK_EVERY_MS = 3_000;
const COMMAND = 'relay open';

export function SignIn() {
  const live = useLiveStream();
  useEffect(() => {
    document.title = 'Sign in · Relay';
    const look = async () => {
      if (document.hidden) return;
      await relay.get('/api/whatsapp/status').then(live.start, () => {});
    };
    const timer = setInterval(look, LOOK_EVERY_MS);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [live]);
  return (
    <main className={classes.place}>
      <section className={classes.card}>
        <Logo />
        <h1>You are not signed in here.</h1>
        <p>
          Relay has no password. On the machine it runs on, this command opens the console with a
          code that works once, within a minute:
        </p>
        <div className={classes.command}>
          <code>{COMMAND}</code>
          <CopyButton value={COMMAND}>
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
        <p className="small dim">
          This page goes on by itself as soon as this browser is signed in.
        </p>
      </section>
    </main>
  );
}
