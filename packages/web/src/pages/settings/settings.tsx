// The settings page. Each card saves its own settings; one that cannot be changed here says why and what to do.

import { Button, Switch } from '@mantine/core';
import type { ListedSetting, SettingsOverview } from '@relay/contract/api/settings';
import type { DaemonStatus } from '@relay/contract/api/status';
import { IconDownload } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useIsDaemonGone, useLiveStream } from '../../data/live-stream.ts';
import { settingsQuery, statusQuery } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { formatMoment, formatSpan } from '../../parts/format.ts';
import { Light } from '../../parts/marks.tsx';
import { Card, Page, Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import { askToConfirm } from '../../shell/dialog.tsx';
import { COMMAND_KEY, setLetterKeysOn, useAreLetterKeysOn } from '../../shell/keyboard.ts';
import {
  otherSettings,
  SETTINGS_SECTIONS,
  settingChangeText,
  settingCopy,
  settingSourceText,
  settingsSentence,
  settingValueText,
} from './copy.ts';
import { DigestExportSettingsCard } from './digest-export-card.tsx';
import { EmbeddingsCard } from './embeddings-card.tsx';
import { InstructionsCard, QuietHoursCard, SectionCard } from './setting-cards.tsx';
import classes from './settings.module.css';

export function SettingsScreen() {
  const settings = useQuery(settingsQuery);
  const { data: status } = useQuery(statusQuery);
  return (
    <Page
      title="Settings"
      sentence={
        settings.data === undefined
          ? notLoadedSentence(settings.isPending)
          : settingsSentence(settings.data, status)
      }
      summary={
        settings.data && (
          <>
            Kept in <code>{settings.data.file}</code>. Changes count at once unless it says
            otherwise.
          </>
        )
      }
    >
      <QueryContent query={settings} subject="The settings" loading={<LoadingSettingCards />}>
        {(shown) => (
          <>
            <div className={classes.cards}>
              {SETTINGS_SECTIONS.map((section) => (
                <SectionCard key={section.id} section={section} shown={shown}>
                  {section.id === 'pacing' && status && <SendingStanding status={status} />}
                  {section.id === 'retention' && (
                    <p className={`${classes.below} small`}>
                      <Link to="/groups">What is kept, and when it was deleted</Link>
                    </p>
                  )}
                </SectionCard>
              ))}
              <QuietHoursCard shown={shown} />
              <InstructionsCard shown={shown} />
              <EmbeddingsCard />
              <DigestExportSettingsCard />
              <BackupCard shown={shown} />
              <SessionsCard />
              <LetterKeysCard />
              <AboutCard />
            </div>
            <OtherSettingsCard shown={shown} />
          </>
        )}
      </QueryContent>
    </Page>
  );
}

const notLoadedSentence = (isPending: boolean): string =>
  isPending ? 'Asking Relay how it is set up …' : 'How Relay is set up cannot be said right now.';

// The account's standing with WhatsApp, below the limits that protect it.

const LIGHT_HUES = { green: 'ok', amber: 'held', red: 'bad' } as const;

function SendingStanding({ status: { sending } }: { readonly status: DaemonStatus }) {
  return (
    <div className={classes.standing}>
      <Light hue={LIGHT_HUES[sending.light]} />
      <p className="small dim">
        <Sentence text={sending.sentence} /> {sending.sent_today} of {sending.caps.per_day} sent and{' '}
        {sending.first_contacts_today} of {sending.caps.first_contacts_per_day} new people in 24
        hours.
      </p>
    </div>
  );
}

// Backup: downloads everything as one archive. Restoring is shown as a command, because it needs an empty home folder.

/** By then the archive is being sent, or complete. */
const LOOK_AGAIN_MS = [2_000, 10_000];

function BackupCard({ shown }: { readonly shown: SettingsOverview }) {
  const now = useNow(60_000);
  const isGone = useIsDaemonGone();
  const queries = useQueryClient();
  const lookAgain = () => {
    for (const ms of LOOK_AGAIN_MS)
      setTimeout(() => void queries.invalidateQueries({ queryKey: ['settings'] }), ms);
  };
  return (
    <Card title="Backup">
      <p>
        {shown.exported_at === null
          ? 'Nothing was backed up from here yet.'
          : `Last backed up ${formatMoment(shown.exported_at, now)}.`}
      </p>
      <p className="small dim">
        One archive with everything but keys and the link to WhatsApp, in lines that can be read. It
        goes where your browser saves files; <code>relay export</code> saves it from a terminal.
      </p>
      <div className={classes.acts}>
        <Button
          component="a"
          href="/api/export"
          download
          variant="default"
          leftSection={<IconDownload size={16} />}
          data-disabled={isGone}
          onClick={(event) => (isGone ? event.preventDefault() : lookAgain())}
        >
          Back up now
        </Button>
      </div>
      <p className="small dim">
        To restore it, start Relay with an empty home and run <code>relay import relay.tar.gz</code>
        .
      </p>
    </Card>
  );
}

// Sessions: this browser and all others. Signing out everywhere asks first.

function SessionsCard() {
  const isGone = useIsDaemonGone();
  const live = useLiveStream();
  const onSuccess = () => live.markSignedOut();
  const leave = useAction({ run: () => relay.post('/api/logout'), invalidates: [], onSuccess });
  const leaveAll = useAction({
    run: () => relay.post('/api/logout/everywhere'),
    invalidates: [],
    onSuccess,
  });
  const askFirst = () =>
    askToConfirm({
      title: 'Sign out everywhere?',
      body: 'Every browser has to be let in again with relay open, this one too. Programs keep their tokens, and Relay goes on.',
      confirmLabel: 'Sign out everywhere',
      cancelLabel: 'Stay signed in',
      isDestructive: true,
      onConfirm: () => leaveAll.mutate(),
    });
  return (
    <Card title="Signed-in browsers">
      <p className="small dim">
        <code>relay open</code> signs a browser in for a week. Programs have tokens of their own,
        under Tools.
      </p>
      <div className={classes.acts}>
        <Button
          variant="default"
          disabled={isGone}
          loading={leave.isPending}
          onClick={() => leave.mutate()}
        >
          Sign out here
        </Button>
        <Button
          variant="outline"
          color="red"
          disabled={isGone}
          loading={leaveAll.isPending}
          onClick={askFirst}
        >
          Sign out everywhere
        </Button>
      </div>
    </Card>
  );
}

// Letter keys in this browser: on by default; people who use voice control or a screen reader can switch them off.

function LetterKeysCard() {
  const isOn = useAreLetterKeysOn();
  return (
    <Card title="Letter keys">
      <Switch
        label="Single letters do something"
        description={`Each is also a button; ? lists them. Kept in this browser, and ${COMMAND_KEY} works either way.`}
        checked={isOn}
        onChange={({ currentTarget }) => setLetterKeysOn(currentTarget.checked)}
      />
    </Card>
  );
}

// About: version, database, home folder.

function AboutCard() {
  const status = useQuery(statusQuery);
  return (
    <Card title="About">
      <QueryContent query={status} subject="What runs" loading={<LoadingLines lines={5} />}>
        {({ version, database, home, uptime_seconds, pid }) => (
          <dl className={`${parts.facts} num`}>
            <dt>Relay</dt>
            <dd>{version}</dd>
            <dt>Running for</dt>
            <dd>
              {formatSpan(uptime_seconds * 1_000)} (PID {pid})
            </dd>
            <dt>Database</dt>
            <dd>
              {database.kind === 'private' ? 'its own' : 'yours'}, PostgreSQL{' '}
              {database.server_version}
            </dd>
            <dt>Schema</dt>
            <dd>{database.schema_version}</dd>
            <dt>Home</dt>
            <dd>
              <code>{home}</code>
            </dd>
          </dl>
        )}
      </QueryContent>
    </Card>
  );
}

// All other settings, so that none is hidden: value, source, and how to change it.

function OtherSettingsCard({ shown }: { readonly shown: SettingsOverview }) {
  return (
    <Card title="Everything else">
      <p className="small dim">
        Changed in <code>{shown.file}</code> or where it says; then <code>relay stop</code> and{' '}
        <code>relay start</code>.
      </p>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Value</th>
            <th scope="col">From</th>
            <th scope="col">To change it</th>
          </tr>
        </thead>
        <tbody>
          {otherSettings(shown.settings).map((setting) => (
            <OtherSettingRow key={setting.name} setting={setting} />
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function OtherSettingRow({ setting }: { readonly setting: ListedSetting }) {
  const { label, help, unit } = settingCopy(setting.name);
  return (
    <tr>
      <th scope="row">
        {label}
        <small>
          <code>{setting.name}</code> {help}
        </small>
      </th>
      <td className="num">{settingValueText(setting.value, unit)}</td>
      <td>{settingSourceText(setting)}</td>
      <td className="dim">
        {setting.changes === 'elsewhere' && setting.from !== 'environment' ? (
          <ChangedElsewhere name={setting.name} />
        ) : (
          settingChangeText(setting)
        )}
      </td>
    </tr>
  );
}

function ChangedElsewhere({ name }: { readonly name: string }) {
  if (name.startsWith('model_')) return <Link to="/tools">Under Tools, Model</Link>;
  return <>On its card above.</>;
}

// Placeholder for the cards while they load.

function LoadingSettingCards() {
  return (
    <div className={classes.cards}>
      {['pacing', 'answers', 'budget', 'groups'].map((card) => (
        <div key={card} className={`${parts.card} ${classes.loading}`}>
          <LoadingLines lines={5} />
        </div>
      ))}
    </div>
  );
}
