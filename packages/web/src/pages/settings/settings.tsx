// Settings: how fast, how much, how long, and where it is kept. Each card saves what it holds; what cannot be changed
// here says why and what to do.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { settingsQuery, statusQuery } from '../../data/queries.ts';
import { Page } from '../../parts/page.tsx';
import { Asked } from '../../parts/places.tsx';
import { AboutCard } from './about.tsx';
import { BackupCard } from './backup.tsx';
import { InstructionsCard } from './instructions.tsx';
import { KeysCard } from './keys.tsx';
import { LoadingCards } from './loading.tsx';
import { MemoryCard } from './memory.tsx';
import { OutsideCard } from './outside.tsx';
import { QuietCard } from './quiet.tsx';
import { RestCard } from './rest.tsx';
import { SectionCard } from './section-card.tsx';
import { SECTIONS } from './sections.ts';
import { SessionsCard } from './sessions.tsx';
import classes from './settings.module.css';
import { Standing } from './standing.tsx';
import { settingsSentence } from './words.ts';

export function Settings() {
  const settings = useQuery(settingsQuery);
  const { data: status } = useQuery(statusQuery);
  return (
    <Page
      title="Settings"
      sentence={
        settings.data === undefined
          ? notKnown(settings.isPending)
          : settingsSentence(settings.data, status)
      }
      lead={
        settings.data && (
          <>
            Kept in <code>{settings.data.file}</code>. Changes count at once unless it says
            otherwise.
          </>
        )
      }
    >
      <Asked query={settings} what="The settings" loading={<LoadingCards />}>
        {(shown) => (
          <>
            <div className={classes.cards}>
              {SECTIONS.map((section) => (
                <SectionCard key={section.id} section={section} shown={shown}>
                  {section.id === 'pacing' && status && <Standing status={status} />}
                  {section.id === 'retention' && (
                    <p className={`${classes.below} small`}>
                      <Link to="/groups">What is kept, and when it was deleted</Link>
                    </p>
                  )}
                </SectionCard>
              ))}
              <QuietCard shown={shown} />
              <InstructionsCard shown={shown} />
              <MemoryCard />
              <OutsideCard />
              <BackupCard shown={shown} />
              <SessionsCard />
              <KeysCard />
              <AboutCard />
            </div>
            <RestCard shown={shown} />
          </>
        )}
      </Asked>
    </Page>
  );
}

const notKnown = (isPending: boolean): string =>
  isPending ? 'Asking Relay how it is set up …' : 'How Relay is set up cannot be said right now.';
