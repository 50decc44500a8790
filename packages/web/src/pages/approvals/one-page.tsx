// The chosen approval as a page of its own, for a phone: what it asks is the sentence, and the acts stay in reach.
import type { Approval } from '@relay/core/api/approvals';
import { IconChevronLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { approvalWords } from '../../parts/approval-words.ts';
import { Page } from '../../parts/page.tsx';
import classes from './approvals.module.css';
import { Detail } from './detail.tsx';
import { approvalQuery } from './queries.ts';
import { readApprovalsSearch } from './search.ts';

interface OnePageProps {
  readonly id: string;
  readonly listed: Approval | undefined;
  onDecided(): void;
}

export function OnePage({ id, listed, onDecided }: OnePageProps) {
  const search = readApprovalsSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const { data: approval = listed } = useQuery(approvalQuery(id));
  return (
    <Page
      title="Approvals"
      eyebrow={
        <Link to="/approvals" search={search} className={classes.back}>
          <IconChevronLeft size={16} aria-hidden /> All approvals
        </Link>
      }
      sentence={
        <span dir="auto">
          {approval === undefined ? 'What waits for your yes?' : approvalWords(approval).question}
        </span>
      }
    >
      <Detail
        key={id}
        id={id}
        listed={listed}
        isLanding={false}
        onDecided={(instead) =>
          instead === undefined
            ? onDecided()
            : void navigate({
                to: '/approvals/$id',
                params: { id: instead },
                search,
                replace: true,
              })
        }
      />
    </Page>
  );
}
