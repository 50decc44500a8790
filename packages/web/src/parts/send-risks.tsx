// The risks of a send for the account, beside the question whether to approve it. Nothing where there is no risk.
import type { Approval } from '@relay/contract/api/approvals';
import { IconShieldExclamation } from '@tabler/icons-react';
import { t } from '../i18n.ts';
import { riskText } from './approval-copy.ts';
import { Note } from './page.tsx';
import classes from './parts.module.css';

export function SendRisks({ risks }: Pick<Approval, 'risks'>) {
  if (risks.length === 0) return null;
  return (
    <Note hue="held" icon={IconShieldExclamation}>
      <b>{t('common.risk.title')}</b>
      <ul className={classes.risks} aria-label={t('common.risk.title')}>
        {risks.map((risk) => (
          <li key={risk.code}>{riskText(risk)}</li>
        ))}
      </ul>
      {t('common.risk.safer')}
    </Note>
  );
}
