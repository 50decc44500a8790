// What waits for the owner's yes: the queue, and the chosen one whole. Invariant: a yes is given to what was on the
// screen to its end, and to nothing else. On a phone the chosen one is a page of its own.
import { SegmentedControl } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { Approval, ApprovalState } from '@relay/core/api/approvals';
import { IconCircleCheck, IconClipboardCheck } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Page } from '../../parts/page.tsx';
import { Asked, Empty, LoadingLines, LoadingRows } from '../../parts/places.tsx';
import { useKeys } from '../../shell/keys.tsx';
import classes from './approvals.module.css';
import { Detail } from './detail.tsx';
import { OnePage } from './one-page.tsx';
import { approvalPagesQuery } from './queries.ts';
import { Queue } from './queue.tsx';
import { readApprovalsSearch } from './search.ts';
import { STATES } from './states.ts';
import { approvalsSentence } from './words.ts';

export function Approvals() {
  const { id } = useParams({ strict: false });
  const search = readApprovalsSearch(useSearch({ strict: false }));
  const { state = 'pending' } = search;
  const isPhone = useMediaQuery('(max-width: 860px)', false, { getInitialValueInEffect: false });
  const pages = useInfiniteQuery(approvalPagesQuery(state));
  const listed = pages.data ?? [];
  const chosen = id ?? (isPhone ? undefined : listed[0]?.id);
  const navigate = useNavigate();
  const choose = (next: string | undefined) =>
    void (next === undefined
      ? navigate({ to: '/approvals', search, replace: true })
      : navigate({ to: '/approvals/$id', params: { id: next }, search, replace: true }));
  const at = listed.findIndex((approval) => approval.id === chosen);
  const beside = (step: number) => listed[at + step]?.id;
  const move = (step: number) => () => choose(beside(step) ?? chosen);
  useKeys(
    listed.length > 1 ? { j: move(1), k: move(-1) } : {},
    'The next approval, and the one before',
  );

  if (isPhone && id !== undefined) {
    return <OnePage id={id} listed={listed[at]} onDecided={() => choose(undefined)} />;
  }
  return (
    <Page
      title="Approvals"
      sentence={
        pages.data
          ? approvalsSentence(state, listed.length, pages.hasNextPage)
          : 'What waits for your yes?'
      }
      lead={
        state === 'pending'
          ? 'Nothing here happens until you say so. Each yes counts once, for exactly the text shown.'
          : 'What was asked stays here with its reason and its answer, the newest first.'
      }
      acts={<Filter state={state} />}
    >
      <Asked query={pages} what="The approvals" loading={<LoadingApprovals />}>
        {(approvals) => (
          <div className={classes.columns} data-alone={chosen === undefined || undefined}>
            {approvals.length === 0 ? (
              <NoneListed state={state} />
            ) : (
              <Queue approvals={approvals} pages={pages} chosen={chosen} search={search} />
            )}
            {chosen !== undefined && (
              <Detail
                key={chosen}
                id={chosen}
                listed={listed[at]}
                isLanding={id !== undefined}
                onDecided={(instead) => choose(instead ?? beside(1) ?? beside(-1))}
              />
            )}
          </div>
        )}
      </Asked>
    </Page>
  );
}

const LoadingApprovals = () => (
  <div className={classes.columns}>
    <LoadingRows />
    <div className={classes.loadingDetail}>
      <LoadingLines lines={9} />
    </div>
  </div>
);

function Filter({ state }: { readonly state: ApprovalState }) {
  const navigate = useNavigate();
  const names = Object.keys(STATES) as ApprovalState[];
  return (
    <SegmentedControl
      className={classes.filter}
      aria-label="Which approvals"
      value={state}
      data={names.map((value) => ({ value, label: STATES[value].word }))}
      onChange={(value) =>
        void navigate({
          to: '/approvals',
          search: value === 'pending' ? {} : { state: value },
        })
      }
    />
  );
}

const NONE: Readonly<Record<Exclude<ApprovalState, 'pending'>, string>> = {
  approved: 'You have approved nothing yet.',
  rejected: 'You have declined nothing.',
  expired: 'Nothing ran out unanswered.',
};

function NoneListed({ state }: { readonly state: Approval['state'] }) {
  if (state !== 'pending') {
    return (
      <div className={classes.none}>
        <Empty icon={IconClipboardCheck} title={NONE[state]}>
          What you answer stays here with its reason, the newest first.
        </Empty>
      </div>
    );
  }
  return (
    <div className={classes.none}>
      <Empty
        icon={IconCircleCheck}
        hue="ok"
        title="Nothing waits for you."
        act={<Link to="/people">Whom Relay answers, and how</Link>}
      >
        Relay will ask here when it needs a yes.
      </Empty>
    </div>
  );
}
