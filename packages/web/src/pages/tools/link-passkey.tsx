// Linking with the passkey of a WhatsApp account: through the extension, or by hand in a tab of WhatsApp Web. It has
// nothing to do with the passkeys with which phones sign in to the console.
import { Button, CopyButton, Textarea } from '@mantine/core';
import type { LinkAssertion, LinkBody } from '@relay/contract/api/whatsapp';
import { passkeySnippet } from '@relay/core/connection/passkey-snippet';
import { IconAlertTriangle, IconCheck, IconCopy, IconShieldLock } from '@tabler/icons-react';
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { formatPhoneNumber, formatSpan } from '../../parts/format.ts';
import { Note, Sentence } from '../../parts/page.tsx';
import { RichText } from '../../parts/rich-text.tsx';
import classes from './tools.module.css';

type LinkPasskey = NonNullable<LinkBody['passkey']>;

export function LinkPasskeyStep({ passkey }: { readonly passkey: LinkPasskey }) {
  if (passkey.code !== null) {
    return (
      <Note hue="agent" icon={IconShieldLock} role="status">
        <RichText
          id="tools.linkPasskey.code"
          values={{ code: passkey.code }}
          components={{ code: <b dir="ltr" className="num" /> }}
        />
      </Note>
    );
  }
  return <LinkPasskeyRequest passkey={passkey} />;
}

function LinkPasskeyRequest({ passkey }: { readonly passkey: LinkPasskey }) {
  const isGone = useIsDaemonGone();
  const now = useNow();
  const [fault, setFault] = useState<string | null>(null);
  const send = useAction({
    run: (assertion: LinkAssertion) =>
      relay.post('/api/whatsapp/passkey', { body: { attempt: passkey.attempt, assertion } }),
    invalidates: ['link', 'whatsapp-status'],
    showsErrorInPlace: true,
  });
  const { mutate } = send;
  const onAnswer = useCallback(
    (answer: ExtensionAnswer) => {
      if (answer.attempt !== undefined && answer.attempt !== passkey.attempt) return;
      if (answer.assertion === undefined) setFault(t('tools.linkPasskey.notConfirmed'));
      else {
        setFault(null);
        mutate(answer.assertion);
      }
    },
    [passkey.attempt, mutate],
  );
  const ask = useExtension(passkey, onAnswer);
  const left = Date.parse(passkey.expiresAt) - now;
  const wrong = send.error ? readableError(send.error) : fault;
  return (
    <div className={classes.linkPasskey}>
      <h3>{t('tools.linkPasskey.title')}</h3>
      <p>
        {passkey.phone === null
          ? t('tools.linkPasskey.whyScanned')
          : t('tools.linkPasskey.why', { phone: formatPhoneNumber(passkey.phone) })}
      </p>
      {left > 0 && (
        <p className="small dim num" aria-hidden>
          {t('tools.linkPasskey.left', { time: formatSpan(left) })}
        </p>
      )}
      <Note hue="you" icon={IconAlertTriangle}>
        {t('tools.linkPasskey.warning')}
      </Note>
      {wrong !== null && (
        <Note hue="bad" icon={IconAlertTriangle} role="alert">
          <Sentence text={wrong} />
        </Note>
      )}
      {ask === null ? (
        <p className="small dim">
          <RichText
            id="tools.linkPasskey.noExtension"
            components={{ folder: <code dir="ltr" /> }}
          />
        </p>
      ) : (
        <div className={classes.acts}>
          <Button onClick={ask} disabled={isGone} loading={send.isPending}>
            {t('tools.linkPasskey.confirm')}
          </Button>
        </div>
      )}
      <ByHand passkey={passkey} isOpen={ask === null} isBusy={send.isPending} onAnswer={mutate} />
    </div>
  );
}

interface ByHandProps {
  readonly passkey: LinkPasskey;
  readonly isOpen: boolean;
  readonly isBusy: boolean;
  onAnswer(assertion: LinkAssertion): void;
}

/** For a browser without the extension. */
function ByHand({ passkey, isOpen, isBusy, onAnswer }: ByHandProps) {
  const isGone = useIsDaemonGone();
  const [pasted, setPasted] = useState('');
  const [isWrong, setWrong] = useState(false);
  const snippet = passkeySnippet(passkey);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    try {
      onAnswer(JSON.parse(pasted) as LinkAssertion);
      setWrong(false);
    } catch {
      setWrong(true);
    }
  };
  const steps = [
    'tools.linkPasskey.hand.open',
    'tools.linkPasskey.hand.run',
    'tools.linkPasskey.hand.paste',
  ] as const;
  return (
    <details className={classes.byHand} open={isOpen}>
      <summary>{t('tools.linkPasskey.hand')}</summary>
      <ol>
        {steps.map((step) => (
          <li key={step}>
            <RichText
              id={step}
              components={{
                link: (
                  // biome-ignore lint/a11y/useAnchorContent: RichText gives it its content.
                  <a href="https://web.whatsapp.com/" target="_blank" rel="noreferrer" />
                ),
              }}
            />
          </li>
        ))}
      </ol>
      <div className={classes.secret}>
        <code dir="ltr">{snippet}</code>
        <CopyButton value={snippet}>
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
      <form onSubmit={submit} className={classes.pairingForm}>
        <Textarea
          label={t('tools.linkPasskey.answer')}
          dir="ltr"
          rows={3}
          value={pasted}
          error={isWrong ? t('tools.linkPasskey.answerInvalid') : null}
          onChange={(event) => setPasted(event.currentTarget.value)}
        />
        <div className={classes.acts}>
          <Button
            type="submit"
            variant="default"
            disabled={isGone || pasted === ''}
            loading={isBusy}
          >
            {t('tools.linkPasskey.send')}
          </Button>
        </div>
      </form>
    </details>
  );
}

// The extension runs beside this page and answers through it; it has no access to Relay.

interface ExtensionAnswer {
  readonly attempt?: string;
  readonly assertion?: LinkAssertion;
}

const MARK = { relay: 'link-passkey' } as const;

/** Asks the extension to confirm; null while there is none. */
function useExtension(
  { attempt, phone, options }: LinkPasskey,
  onAnswer: (answer: ExtensionAnswer) => void,
): (() => void) | null {
  const [isHere, setHere] = useState(false);
  const latest = useRef(onAnswer);
  useEffect(() => {
    latest.current = onAnswer;
  }, [onAnswer]);
  useEffect(() => {
    const hear = ({ data, origin, source }: MessageEvent) => {
      if (source !== window || origin !== location.origin) return;
      if (data?.relay !== MARK.relay || data.from !== 'extension') return;
      if (data.kind === 'here') setHere(true);
      if (data.kind === 'answer') latest.current(data);
    };
    window.addEventListener('message', hear);
    tell({ kind: 'ping' });
    return () => window.removeEventListener('message', hear);
  }, []);
  if (!isHere) return null;
  return () => tell({ kind: 'ask', request: { attempt, phone, options } });
}

const tell = (message: object): void =>
  window.postMessage({ ...MARK, from: 'page', ...message }, location.origin);
