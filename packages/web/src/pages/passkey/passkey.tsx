// Signing in at the address for phones: with the passkey of this device, or by pairing it with the code in the address.
// Loaded only there.
import { Button, TextInput } from '@mantine/core';
import type { Assertion, Registration } from '@relay/contract/api/remote';
import { IconAlertTriangle, IconFingerprint } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { pairingCodeIn } from '../../data/passkey.ts';
import { readableError, relay } from '../../data/relay.ts';
import { t } from '../../i18n.ts';
import { Logo } from '../../parts/marks.tsx';
import { Note, Sentence } from '../../parts/page.tsx';
import { closeDialog, showDialog } from '../../shell/dialog.tsx';
import classes from '../../shell/sign-in.module.css';

export function PasskeyEntry() {
  const { hash } = useLocation();
  const code = pairingCodeIn(hash);
  return (
    <main className={classes.place}>
      <section className={classes.card}>
        <Logo />
        {code === null ? <PasskeySignIn /> : <PairDevice key={code} code={code} />}
      </section>
    </main>
  );
}

/** Everything that the page knows belongs to the session before. */
const openConsole = () => location.replace('/');

function PasskeySignIn() {
  useTitle(t('passkey.signIn.title'));
  const signIn = useMutation({ mutationFn: signInWithPasskey, onSuccess: openConsole });
  return (
    <>
      <h1>{t('passkey.signIn.title')}</h1>
      <p>{t('passkey.signIn.text')}</p>
      <PasskeyButton
        isBusy={signIn.isPending || signIn.isSuccess}
        error={signIn.error}
        onClick={() => signIn.mutate()}
      >
        {t('passkey.signIn.button')}
      </PasskeyButton>
      <p className="small dim">
        <Sentence text={t('passkey.signIn.notPaired')} />
      </p>
    </>
  );
}

function PairDevice({ code }: { readonly code: string }) {
  useTitle(t('passkey.pair.title'));
  const [name, setName] = useState(usualDeviceName);
  // The first attempt owns the code. It stays in this tab, so the owner can reload and try again.
  const [attempt] = useState(() => attemptFor(code));
  const pair = useMutation({
    mutationFn: () => pairDevice({ code, attempt, name: name.trim() }),
    onSuccess: openConsole,
  });
  return (
    <>
      <h1>{t('passkey.pair.title')}</h1>
      <p>{t('passkey.pair.text', { host: location.host })}</p>
      <TextInput
        label={t('passkey.pair.name')}
        value={name}
        maxLength={60}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <PasskeyButton
        isBusy={pair.isPending || pair.isSuccess}
        isOff={name.trim() === ''}
        error={pair.error}
        onClick={() => pair.mutate()}
      >
        {t('passkey.pair.button')}
      </PasskeyButton>
    </>
  );
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Relay`;
  }, [title]);
}

interface PasskeyButtonProps {
  readonly isBusy: boolean;
  readonly isOff?: boolean;
  readonly error: Error | null;
  readonly children: ReactNode;
  onClick(): void;
}

function PasskeyButton({ isBusy, isOff = false, error, children, onClick }: PasskeyButtonProps) {
  return (
    <>
      {error !== null && (
        <Note hue="bad" icon={IconAlertTriangle} role="alert">
          <Sentence text={passkeyFailure(error)} />
        </Note>
      )}
      <Button
        size="md"
        leftSection={<IconFingerprint size={20} aria-hidden />}
        loading={isBusy}
        disabled={isOff}
        onClick={onClick}
      >
        {children}
      </Button>
    </>
  );
}

function passkeyFailure(error: Error): string {
  if (error instanceof DOMException) return t('passkey.notUsed');
  if (error instanceof PasskeyUnsupported) return t('passkey.unsupported');
  return readableError(error);
}

// The passkey again, for an action that needs it.

export function askForPasskey(): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  showDialog({
    title: t('passkey.confirm.title'),
    children: <ConfirmWithPasskey onEnd={resolve} />,
  });
  return promise;
}

function ConfirmWithPasskey({ onEnd }: { readonly onEnd: (isConfirmed: boolean) => void }) {
  const confirm = useMutation({
    mutationFn: signInWithPasskey,
    onSuccess() {
      onEnd(true);
      closeDialog();
    },
  });
  // Closing the dialog declines; after a confirmation it is ignored.
  useEffect(() => () => onEnd(false), [onEnd]);
  return (
    <div className={classes.confirm}>
      <p>{t('passkey.confirm.text')}</p>
      <PasskeyButton
        isBusy={confirm.isPending}
        error={confirm.error}
        onClick={() => confirm.mutate()}
      >
        {t('passkey.confirm.button')}
      </PasskeyButton>
    </div>
  );
}

// The two ceremonies of WebAuthn, with what the browser brings.

class PasskeyUnsupported extends Error {}

const isSupported = (): boolean =>
  typeof PublicKeyCredential === 'function' &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential;

async function signInWithPasskey(): Promise<void> {
  if (!isSupported()) throw new PasskeyUnsupported();
  const options = await relay.post('/api/passkey/options');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await navigator.credentials.get({ publicKey });
  await relay.post('/api/passkey', { body: { credential: asJson<Assertion>(credential) } });
}

interface Pairing {
  readonly code: string;
  readonly attempt: string;
  readonly name: string;
}

async function pairDevice({ code, attempt, name }: Pairing): Promise<void> {
  if (!isSupported()) throw new PasskeyUnsupported();
  const options = await relay.post('/api/pairing/options', { body: { code, attempt } });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = await navigator.credentials.create({ publicKey });
  const made = asJson<Registration['credential']>(credential);
  await relay.post('/api/pairing', { body: { code, attempt, name, credential: made } });
}

/** Of the kind that was asked for; the daemon checks it. */
function asJson<Json>(credential: Credential | null): Json {
  if (!(credential instanceof PublicKeyCredential)) throw new PasskeyUnsupported();
  return credential.toJSON() as Json;
}

const ATTEMPT_PREFIX = 'relay.pairing.';

function attemptFor(code: string): string {
  const key = `${ATTEMPT_PREFIX}${code}`;
  const before = sessionStorage.getItem(key);
  if (before !== null) return before;
  const attempt = `${crypto.randomUUID()}-${crypto.randomUUID()}`;
  sessionStorage.setItem(key, attempt);
  return attempt;
}

const DEVICE_NAMES = ['iPhone', 'iPad', 'Android', 'Macintosh', 'Windows', 'Linux'];

/** A proposal, from what the browser says about its machine. */
function usualDeviceName(): string {
  const found = DEVICE_NAMES.find((name) => navigator.userAgent.includes(name));
  return found === 'Macintosh' ? 'Mac' : (found ?? '');
}
