// The settings page. Each card saves its own settings; one that cannot be changed here says why and what to do.

import { Button, Select, Switch } from '@mantine/core';
import type { BackupStatus } from '@relay/contract/api/backups';
import type { ListedSetting, SettingsOverview } from '@relay/contract/api/settings';
import type { DaemonStatus } from '@relay/contract/api/status';
import { IconDownload } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useIsDaemonGone, useLiveStream } from '../../data/live-stream.ts';
import { confirmPasskey, IS_REMOTE } from '../../data/passkey.ts';
import { settingsQuery, statusQuery } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { chooseLocale, chosenLocale, LOCALES, type Locale, t } from '../../i18n.ts';
import { formatMoment, formatSpan } from '../../parts/format.ts';
import { Light } from '../../parts/marks.tsx';
import { Card, Page, Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import { sendingSentence } from '../../parts/sentences.ts';
import { askToConfirm } from '../../shell/dialog.tsx';
import { COMMAND_KEY, setLetterKeysOn, useAreLetterKeysOn } from '../../shell/keyboard.ts';
import {
  otherSettings,
  SETTINGS_SECTIONS,
  settingChangeText,
  settingCopy,
  settingSourceLabel,
  settingsSummary,
  settingValueText,
} from './copy.ts';
import { DevicesCard } from './devices-card.tsx';
import { DigestExportSettingsCard } from './digest-export-card.tsx';
import { EmbeddingsCard } from './embeddings-card.tsx';
import { NotificationPlaces } from './notification-places.tsx';
import { InstructionsCard, QuietHoursCard, SectionCard } from './setting-cards.tsx';
import classes from './settings.module.css';
import { WorkersCard } from './workers-card.tsx';

export function SettingsScreen() {
  const settings = useQuery(settingsQuery);
  const { data: status } = useQuery(statusQuery);
  return (
    <Page
      title={t('common.page.settings')}
      summary={settings.data && settingsSummary(settings.data, status)}
    >
      <QueryContent
        query={settings}
        subject={t('common.page.settings')}
        loading={<LoadingSettingCards />}
      >
        {(shown) => (
          <>
            <div className={classes.cards}>
              {SETTINGS_SECTIONS.map((section) => (
                <SectionCard key={section.id} section={section} shown={shown}>
                  {section.id === 'notifications' && <NotificationPlaces />}
                  {section.id === 'pacing' && status && <SendingStatus status={status} />}
                  {section.id === 'backup' && status?.backup && (
                    <BackupSafety backup={status.backup} />
                  )}
                  {section.id === 'retention' && (
                    <p className={`${classes.below} small`}>
                      <Link to="/groups">{t('settings.retention.link')}</Link>
                    </p>
                  )}
                </SectionCard>
              ))}
              <QuietHoursCard shown={shown} />
              <InstructionsCard shown={shown} />
              <EmbeddingsCard />
              <DigestExportSettingsCard />
              <BackupCard shown={shown} />
              <WorkersCard />
              <DevicesCard />
              <SessionsCard />
              <LetterKeysCard />
              <AppearanceCard />
              <AboutCard />
            </div>
            <OtherSettingsCard shown={shown} />
          </>
        )}
      </QueryContent>
    </Page>
  );
}

// How sending is going, below the limits.

const LIGHT_HUES = { green: 'ok', amber: 'held', red: 'bad' } as const;

function SendingStatus({ status: { sending } }: { readonly status: DaemonStatus }) {
  return (
    <div className={classes.sending}>
      <Light hue={LIGHT_HUES[sending.light]} />
      <p className="small dim">
        <Sentence text={sendingSentence(sending)} />{' '}
        {t('settings.sending', {
          sent: sending.sent_today,
          cap: sending.caps.per_day,
          first: sending.first_contacts_today,
          firstCap: sending.caps.first_contacts_per_day,
        })}
      </p>
    </div>
  );
}

/** Whether backups are encrypted and leave this machine. Both are set outside the console. */
function BackupSafety({ backup }: { readonly backup: BackupStatus }) {
  const now = useNow(60_000);
  const { encrypted, copy, trouble } = backup;
  return (
    <div className={`${classes.below} small`}>
      <p>
        <Sentence text={t(encrypted ? 'settings.backup.encrypted' : 'settings.backup.plain')} />
      </p>
      <p>
        <Sentence
          text={
            copy === null
              ? t('settings.backup.noCopy')
              : copy.last_at === null
                ? t('settings.backup.copyNever', { to: copy.to })
                : t('settings.backup.copied', {
                    to: copy.to,
                    time: formatMoment(copy.last_at, now),
                  })
          }
        />
      </p>
      {trouble !== null && (
        <p>
          <Sentence text={trouble} />
        </p>
      )}
    </div>
  );
}

// Backup: downloads everything as one archive. Restoring is shown as a command, because it needs an empty home folder.

const EXPORT = '/api/export?backup=true';
/** By then the archive is being sent, or complete. */
const REFETCH_AFTER_MS = [2_000, 10_000];

function BackupCard({ shown }: { readonly shown: SettingsOverview }) {
  const now = useNow(60_000);
  const isGone = useIsDaemonGone();
  const queries = useQueryClient();
  const refetchLater = () => {
    for (const ms of REFETCH_AFTER_MS)
      setTimeout(() => void queries.invalidateQueries({ queryKey: ['settings'] }), ms);
  };
  return (
    <Card title={t('settings.backup.title')}>
      <p>
        {shown.exported_at === null
          ? t('settings.backup.never')
          : t('settings.backup.last', { time: formatMoment(shown.exported_at, now) })}
      </p>
      <p className="small dim">
        <Sentence text={t('settings.backup.summary')} />
      </p>
      <div className={classes.acts}>
        <Button
          component="a"
          href={EXPORT}
          download
          variant="default"
          leftSection={<IconDownload size={16} />}
          data-disabled={isGone}
          onClick={(event) => {
            if (isGone || IS_REMOTE) event.preventDefault();
            if (isGone) return;
            refetchLater();
            // A link is not a request that could wait for the passkey.
            if (IS_REMOTE) void confirmPasskey().then((isYes) => isYes && location.assign(EXPORT));
          }}
        >
          {t('settings.backup.download')}
        </Button>
      </div>
      <p className="small dim">
        <Sentence text={t('settings.backup.restore')} />
      </p>
    </Card>
  );
}

// Sessions: this browser and all others. Signing out everywhere asks first.

function SessionsCard() {
  const isGone = useIsDaemonGone();
  const live = useLiveStream();
  const onSuccess = () => live.markSignedOut();
  const signOut = useAction({ run: () => relay.post('/api/logout'), invalidates: [], onSuccess });
  const signOutAll = useAction({
    run: () => relay.post('/api/logout/everywhere'),
    invalidates: [],
    onSuccess,
  });
  const askFirst = () =>
    askToConfirm({
      title: t('settings.sessions.confirm.title'),
      body: (
        <Sentence
          text={t(
            IS_REMOTE ? 'settings.sessions.confirm.device' : 'settings.sessions.confirm.text',
          )}
        />
      ),
      confirmLabel: t('settings.sessions.signOutAll'),
      cancelLabel: t('settings.sessions.confirm.cancel'),
      isDestructive: true,
      onConfirm: () => signOutAll.mutate(),
    });
  return (
    <Card title={t('settings.sessions.title')}>
      <p className="small dim">
        <Sentence
          text={t(IS_REMOTE ? 'settings.sessions.summary.device' : 'settings.sessions.summary')}
        />
      </p>
      <div className={classes.acts}>
        <Button
          variant="default"
          disabled={isGone}
          loading={signOut.isPending}
          onClick={() => signOut.mutate()}
        >
          {t('settings.sessions.signOut')}
        </Button>
        <Button
          variant="outline"
          color="red"
          disabled={isGone}
          loading={signOutAll.isPending}
          onClick={askFirst}
        >
          {t('settings.sessions.signOutAll')}
        </Button>
      </div>
    </Card>
  );
}

// Letter keys in this browser: on by default; people who use voice control or a screen reader can switch them off.

function LetterKeysCard() {
  const isOn = useAreLetterKeysOn();
  return (
    <Card title={t('settings.keys.title')}>
      <Switch
        label={t('settings.keys.switch')}
        description={t('settings.keys.help', { key: COMMAND_KEY })}
        checked={isOn}
        onChange={({ currentTarget }) => setLetterKeysOn(currentTarget.checked)}
      />
    </Card>
  );
}

// The language of the console in this browser. A choice reloads the page.

const SAME_AS_BROWSER = 'browser';

function AppearanceCard() {
  const chosen: string = chosenLocale() ?? SAME_AS_BROWSER;
  const languages = Object.entries(LOCALES).map(([value, label]) => ({ value, label }));
  return (
    <Card title={t('settings.appearance.title')}>
      <Select
        id="language"
        label={t('settings.appearance.language')}
        description={t('settings.appearance.languageHelp')}
        data={[
          { value: SAME_AS_BROWSER, label: t('settings.appearance.sameAsBrowser') },
          ...languages,
        ]}
        value={chosen}
        allowDeselect={false}
        onChange={(value) =>
          chooseLocale(value === null || value === SAME_AS_BROWSER ? null : (value as Locale))
        }
      />
    </Card>
  );
}

// About: version, database, home folder.

function AboutCard() {
  const status = useQuery(statusQuery);
  return (
    <Card title={t('settings.about.title')}>
      <QueryContent
        query={status}
        subject={t('settings.about.subject')}
        loading={<LoadingLines lines={5} />}
      >
        {({ version, database, home, uptime_seconds, pid }) => (
          <dl className={`${parts.facts} num`}>
            <dt>{t('settings.about.version')}</dt>
            <dd>{version}</dd>
            <dt>{t('settings.about.uptime')}</dt>
            <dd>
              {t('settings.about.uptimeValue', { time: formatSpan(uptime_seconds * 1_000), pid })}
            </dd>
            <dt>{t('settings.about.database')}</dt>
            <dd>
              {t(
                database.kind === 'private'
                  ? 'settings.about.databasePrivate'
                  : 'settings.about.databaseExternal',
                { version: database.server_version },
              )}
            </dd>
            <dt>{t('settings.about.schema')}</dt>
            <dd>{database.schema_version}</dd>
            {home !== null && (
              <>
                <dt>{t('settings.about.home')}</dt>
                <dd>
                  <code>{home}</code>
                </dd>
              </>
            )}
          </dl>
        )}
      </QueryContent>
    </Card>
  );
}

// All other settings, so that none is hidden: value, source, and how to change it.

function OtherSettingsCard({ shown }: { readonly shown: SettingsOverview }) {
  return (
    <Card title={t('settings.other.title')}>
      <p className="small dim">
        <Sentence text={t('settings.other.summary', { file: shown.file })} />
      </p>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t('settings.other.setting')}</th>
            <th scope="col">{t('settings.other.value')}</th>
            <th scope="col">{t('settings.other.source')}</th>
            <th scope="col">{t('settings.other.change')}</th>
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
  const { label, help } = settingCopy(setting.name);
  return (
    <tr>
      <th scope="row">
        {label}
        <small>
          <code>{setting.name}</code> {help}
        </small>
      </th>
      <td className="num">{settingValueText(setting.name, setting.value)}</td>
      <td>{settingSourceLabel(setting)}</td>
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
  if (name.startsWith('model_')) return <Link to="/tools">{t('settings.change.tools')}</Link>;
  return t('settings.change.card');
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
