// The approvals page: the queue, and the selected approval in full. Invariant: only a text whose end was on screen can
// be approved. On a phone the selected approval is a separate page.
import { Button, SegmentedControl } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { Approval, ApprovalState } from '@relay/contract/api/approvals';
import { IconChevronLeft, IconCircleCheck, IconClipboardCheck } from '@tabler/icons-react';
import { type UseInfiniteQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useNow } from '../../data/use-now.ts';
import { approvalCopy } from '../../parts/approval-copy.ts';
import { formatAgo, formatMoment, formatSpan } from '../../parts/format.ts';
import { Tile } from '../../parts/marks.tsx';
import { Page } from '../../parts/page.tsx';
import { EmptyState, LoadingLines, LoadingRows, QueryContent } from '../../parts/query-content.tsx';
import { type ApprovalsSearch, readApprovalsSearch } from '../../search-params.ts';
import { useAreLetterKeysOn } from '../../shell/keyboard.ts';
import { KeyHint, useKeys } from '../../shell/keys.tsx';
import { ApprovalPanel } from './approval-panel.tsx';
import classes from './approvals.module.css';
import {
  APPROVAL_CHANGED,
  APPROVAL_STATE_DISPLAY,
  approvalsSentence,
  approvalTitle,
  requesterName,
  shortReason,
} from './copy.ts';
import { approvalPagesQuery, approvalQuery } from './queries.ts';

export function ApprovalsScreen() {
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
    return <ApprovalPhonePage id={id} listed={listed[at]} onDecided={() => choose(undefined)} />;
  }
  return (
    <Page
      title="Approvals"
      sentence={
        pages.data
          ? approvalsSentence(state, listed.length, pages.hasNextPage)
          : 'What waits for your yes?'
      }
      summary={
        state === 'pending'
          ? 'Nothing here happens until you say so. Each yes counts once, for exactly the text shown.'
          : 'What was asked stays here with its reason and its answer, the newest first.'
      }
      actions={<StateFilter state={state} />}
    >
      <QueryContent query={pages} subject="The approvals" loading={<LoadingApprovals />}>
        {(approvals) => (
          <div className={classes.columns} data-alone={chosen === undefined || undefined}>
            {approvals.length === 0 ? (
              <NoneListed state={state} />
            ) : (
              <ApprovalQueue approvals={approvals} pages={pages} chosen={chosen} search={search} />
            )}
            {chosen !== undefined && (
              <ApprovalPanel
                key={chosen}
                id={chosen}
                placeholder={listed[at]}
                takesFocus={id !== undefined}
                onDecided={(instead) => choose(instead ?? beside(1) ?? beside(-1))}
              />
            )}
          </div>
        )}
      </QueryContent>
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

function StateFilter({ state }: { readonly state: ApprovalState }) {
  const navigate = useNavigate();
  const names = Object.keys(APPROVAL_STATE_DISPLAY) as ApprovalState[];
  return (
    <SegmentedControl
      className={classes.filter}
      aria-label="Which approvals"
      value={state}
      data={names.map((value) => ({ value, label: APPROVAL_STATE_DISPLAY[value].word }))}
      onChange={(value) =>
        void navigate({
          to: '/approvals',
          search: value === 'pending' ? {} : { state: value },
        })
      }
    />
  );
}

const NONE_SENTENCES: Readonly<Record<Exclude<ApprovalState, 'pending'>, string>> = {
  approved: 'You have approved nothing yet.',
  rejected: 'You have declined nothing.',
  expired: 'Nothing ran out unanswered.',
};

function NoneListed({ state }: { readonly state: Approval['state'] }) {
  if (state !== 'pending') {
    return (
      <div className={classes.none}>
        <EmptyState icon={IconClipboardCheck} title={NONE_SENTENCES[state]}>
          What you answer stays here with its reason, the newest first.
        </EmptyState>
      </div>
    );
  }
  return (
    <div className={classes.none}>
      <EmptyState
        icon={IconCircleCheck}
        hue="ok"
        title="Nothing waits for you."
        action={<Link to="/people">Whom Relay answers, and how</Link>}
      >
        Relay will ask here when it needs a yes.
      </EmptyState>
    </div>
  );
}

// The selected approval as a separate page, for a phone; the buttons stay in reach.

interface ApprovalPhonePageProps {
  readonly id: string;
  readonly listed: Approval | undefined;
  onDecided(): void;
}

function ApprovalPhonePage({ id, listed, onDecided }: ApprovalPhonePageProps) {
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
          {approval === undefined ? 'What waits for your yes?' : approvalCopy(approval).question}
        </span>
      }
    >
      <ApprovalPanel
        key={id}
        id={id}
        placeholder={listed}
        takesFocus={false}
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

// The queue: one line per approval with recipient, requester and expiry, loaded page by page.

interface ApprovalQueueProps {
  readonly approvals: readonly Approval[];
  readonly pages: Pick<
    UseInfiniteQueryResult,
    'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
  >;
  readonly chosen: string | undefined;
  readonly search: ApprovalsSearch;
}

function ApprovalQueue({ approvals, pages, chosen, search }: ApprovalQueueProps) {
  const isWaiting = search.state === undefined;
  const [first] = approvals;
  return (
    <div className={classes.queue}>
      <ul aria-label={isWaiting ? 'Waiting for you' : 'Answered'}>
        {approvals.map((approval) => (
          <li key={approval.id}>
            <Link
              to="/approvals/$id"
              params={{ id: approval.id }}
              search={search}
              className={classes.item}
              aria-current={approval.id === chosen || undefined}
            >
              <ItemTile approval={approval} />
              <span>
                <b dir="auto">{approvalTitle(approval)}</b>
                <small dir="auto">
                  {requesterName(approval)} · {shortReason(approval)}
                </small>
              </span>
              <ItemTime approval={approval} />
            </Link>
          </li>
        ))}
      </ul>
      {pages.hasNextPage && (
        <Button
          variant="default"
          fullWidth
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          Show more
        </Button>
      )}
      {isWaiting && <Hints />}
      {isWaiting && first !== undefined && <AlsoOnWhatsApp id={first.id} />}
    </div>
  );
}

const stateDisplayOf = ({ state, replaced_by }: Approval) =>
  replaced_by === null ? APPROVAL_STATE_DISPLAY[state] : APPROVAL_CHANGED;

function ItemTile({ approval }: { readonly approval: Approval }) {
  if (approval.state === 'pending') return <Tile hue="you" icon={approvalCopy(approval).icon} />;
  const { hue, icon } = stateDisplayOf(approval);
  return <Tile hue={hue} icon={icon} />;
}

function ItemTime({ approval }: { readonly approval: Approval }) {
  const now = useNow(30_000);
  const { state, expires_at, decided_at } = approval;
  const at = state === 'pending' ? expires_at : (decided_at ?? expires_at);
  const says = state === 'pending' ? 'Expires' : stateDisplayOf(approval).word;
  return (
    <time dateTime={at} title={`${says} ${formatMoment(at, now)}`}>
      <span className="unseen">{says} </span>
      {state === 'pending' ? `in ${formatSpan(Date.parse(at) - now)}` : formatAgo(at, now)}
    </time>
  );
}

function Hints() {
  if (!useAreLetterKeysOn()) return null;
  return (
    <p className={classes.hints} aria-hidden>
      <KeyHint>J</KeyHint> <KeyHint>K</KeyHint> move <KeyHint>A</KeyHint> approve{' '}
      <KeyHint>E</KeyHint> edit <KeyHint>D</KeyHint> decline
    </p>
  );
}

/** Characters of an id that are enough to answer with. */
const SHORT_ID = 8;

function AlsoOnWhatsApp({ id }: { readonly id: string }) {
  const short = id.slice(0, SHORT_ID);
  return (
    <section className={classes.also} aria-label="Also on WhatsApp">
      <h3>Also on WhatsApp</h3>
      <p className="small dim">
        In your own chat, <code>/approve {short}</code> says yes to the first and{' '}
        <code>/reject {short}</code> says no. The first answer counts.
      </p>
    </section>
  );
}
