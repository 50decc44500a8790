// What a new owner has to do before Relay is of use: link, model, first grant, first message. The card is gone once all
// of it is done.
import { Button } from '@mantine/core';
import type { DaemonStatus } from '@relay/contract/api/status';
import { IconCheck } from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import { t } from '../../i18n.ts';
import { Card } from '../../parts/page.tsx';
import classes from './home.module.css';

type Setup = DaemonStatus['setup'];

const STEPS = [
  { step: 'linked', to: '/tools' },
  { step: 'model', to: '/tools' },
  { step: 'granted', to: '/people' },
  { step: 'sent', to: '/assistant' },
] as const satisfies readonly { step: keyof Setup; to: LinkProps['to'] }[];

export const isSetUp = (setup: Setup): boolean => STEPS.every(({ step }) => setup[step]);

export function GetStartedCard({ setup }: { readonly setup: Setup }) {
  const next = STEPS.find(({ step }) => !setup[step])?.step;
  const done = STEPS.filter(({ step }) => setup[step]).length;
  return (
    <Card
      title={t('home.start.title')}
      className={classes.start ?? ''}
      aside={
        <span className="small dim">{t('home.start.progress', { done, all: STEPS.length })}</span>
      }
    >
      <p className="small dim">{t('home.start.text')}</p>
      <ol className={classes.steps}>
        {STEPS.map(({ step, to }, index) => (
          <li
            key={step}
            data-is={setup[step] ? 'done' : step === next ? 'now' : 'later'}
            aria-current={step === next ? 'step' : undefined}
          >
            <span className={classes.stepMark}>
              {setup[step] ? (
                <IconCheck size={14} stroke={2.4} aria-label={t('home.start.done')} />
              ) : (
                <span aria-hidden>{index + 1}</span>
              )}
            </span>
            <div>
              <b>{t(`home.start.${step}`)}</b>
              {!setup[step] && <p className="small dim">{t(`home.start.${step}.text`)}</p>}
            </div>
            {!setup[step] && (
              <Button
                component={Link}
                to={to}
                size="xs"
                variant={step === next ? 'filled' : 'default'}
              >
                {t(`home.start.${step}.action`)}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}
