// Shown without a session: how to sign in. On the machine of the daemon it notices a new session by itself; at the address
// for phones a passkey is used.
import { Button, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { lazy, Suspense, useEffect } from 'react';
import { loadWhenReachable } from '../data/lazy-load.ts';
import { useLiveStream } from '../data/live-stream.ts';
import { IS_REMOTE, onPasskeyNeeded } from '../data/passkey.ts';
import { relay } from '../data/relay.ts';
import { loadMessages, t } from '../i18n.ts';
import { Logo } from '../parts/marks.tsx';
import classes from './sign-in.module.css';

const LOOK_EVERY_MS = 3_000;
const COMMAND = 'relay open';

export function SignIn() {
  return IS_REMOTE ? (
    <Suspense>
      <PasskeyEntry />
    </Suspense>
  ) : (
    <SignInOnThisMachine />
  );
}

const loadPasskey = async () => {
  const [part] = await Promise.all([
    loadWhenReachable(() => import('../pages/passkey/passkey.tsx')),
    loadMessages('passkey', 'errors'),
  ]);
  return part;
};
const PasskeyEntry = lazy(async () => ({ default: (await loadPasskey()).PasskeyEntry }));
onPasskeyNeeded(async () => (await loadPasskey()).askForPasskey());

function SignInOnThisMachine() {
  const live = useLiveStream();
  useEffect(() => {
    document.title = `${t('common.signIn.title')} · Relay`;
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
        <h1>{t('common.signIn.title')}</h1>
        <p>{t('common.signIn.text')}</p>
        <div className={classes.command}>
          <code>{COMMAND}</code>
          <CopyButton value={COMMAND}>
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
        <p className="small dim">{t('common.signIn.waiting')}</p>
      </section>
    </main>
  );
}
