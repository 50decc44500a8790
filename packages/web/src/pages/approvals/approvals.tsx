// The approvals page: the queue, and the selected approval in full. Invariant: only a text whose end was on screen can
// be approved. On a phone the selected approval is a separate page.
import { Button, SegmentedControl } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { Approval, ApprovalState } from '@relay/contract/api/approvals';
import { IconChevronLeft, IconCircleCheck, IconClipboardCheck } from '@tabler/icons-react';
import { type UseInfiniteQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { approvalCopy } from '../../parts/approval-copy.ts';
import { formatAgo, formatMoment, formatSpan } from '../../parts/format.ts';
import { Tile } from '../../parts/marks.tsx';
import { Page } from '../../parts/page.tsx';
import { EmptyState, LoadingLines, LoadingRows, QueryContent } from '../../parts/query-content.tsx';
import { RichText } from '../../parts/rich-text.tsx';
import { type ApprovalsSearch, readApprovalsSearch } from '../../search-params.ts';
import { useAreLetterKeysOn } from '../../shell/keyboard.ts';
import { KeyHint, useKeys } from '../../shell/keys.tsx';
import { ApprovalPanel } from './approval-panel.tsx';
import classes from './approvals.module.css';
import {
  APPROVAL_STATE_DISPLAY,
  approvalsSummary,
  approvalTitle,
  requesterName,
  shortReason,
  shownState,
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
  useKeys(listed.length > 1 ? { j: move(1), k: move(-1) } : {}, t('approvals.keys.move'));

  if (isPhone && id !== undefined) {
    return <ApprovalPhonePage id={id} listed={listed[at]} onDecided={() => choose(undefined)} />;
  }
  return (
    <Page
      title={t('common.page.approvals')}
      summary={
        pages.data
          ? approvalsSummary(state, listed.length, pages.hasNextPage)
          : pages.isPending
            ? t('common.loading')
            : undefined
      }
      actions={<StateFilter state={state} />}
    >
      <QueryContent
        query={pages}
        subject={t('common.page.approvals')}
        loading={<LoadingApprovals />}
      >
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

const STATES = [
  'pending',
  'approved',
  'rejected',
  'expired',
] as const satisfies readonly ApprovalState[];

function StateFilter({ state }: { readonly state: ApprovalState }) {
  const navigate = useNavigate();
  return (
    <SegmentedControl
      className={classes.filter}
      aria-label={t('approvals.filter')}
      value={state}
      data={STATES.map((value) => ({ value, label: t(APPROVAL_STATE_DISPLAY[value].label) }))}
      onChange={(value) =>
        void navigate({
          to: '/approvals',
          search: value === 'pending' ? {} : { state: value },
        })
      }
    />
  );
}

function NoneListed({ state }: { readonly state: Approval['state'] }) {
  if (state !== 'pending') {
    return (
      <div className={classes.none}>
        <EmptyState icon={IconClipboardCheck} title={t(`approvals.empty.${state}`)} />
      </div>
    );
  }
  return (
    <div className={classes.none}>
      <EmptyState
        icon={IconCircleCheck}
        hue="ok"
        title={t('approvals.empty.pending')}
        action={<Link to="/people">{t('common.page.people')}</Link>}
      >
        {t('approvals.empty.pending.hint')}
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
  const { data: approval = listed, isError } = useQuery(approvalQuery(id));
  return (
    <Page
      title={t('common.page.approvals')}
      eyebrow={
        <Link to="/approvals" search={search} className={classes.back}>
          <IconChevronLeft size={16} className="mirrored" aria-hidden /> {t('approvals.all')}
        </Link>
      }
      summary={
        <span dir="auto">
          {approval === undefined
            ? !isError && t('common.loading')
            : approvalCopy(approval).question}
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
      <ul aria-label={t(isWaiting ? 'approvals.queue.pending' : 'approvals.queue.past')}>
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
                <small>
                  <bdi>{requesterName(approval)}</bdi> · {shortReason(approval)}
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
          {t('common.action.more')}
        </Button>
      )}
      {isWaiting && <Hints />}
      {isWaiting && first !== undefined && <AnswerOnWhatsApp id={first.id} />}
    </div>
  );
}

function ItemTile({ approval }: { readonly approval: Approval }) {
  if (approval.state === 'pending') return <Tile hue="you" icon={approvalCopy(approval).icon} />;
  const { hue, icon } = APPROVAL_STATE_DISPLAY[shownState(approval)];
  return <Tile hue={hue} icon={icon} />;
}

function ItemTime({ approval }: { readonly approval: Approval }) {
  const now = useNow(30_000);
  const { expires_at, decided_at } = approval;
  if (approval.state === 'pending') {
    const span = formatSpan(Date.parse(expires_at) - now);
    const time = formatMoment(expires_at, now);
    return (
      <time dateTime={expires_at} title={t('approvals.time.expiresAt', { time })}>
        <span className="unseen">{t('approvals.time.expiresIn', { span })}</span>
        <span aria-hidden>{t('approvals.time.in', { span })}</span>
      </time>
    );
  }
  const at = decided_at ?? expires_at;
  const state = shownState(approval);
  const ago = formatAgo(at, now);
  const time = formatMoment(at, now);
  return (
    <time dateTime={at} title={t('approvals.time.decided', { state, time })}>
      <span className="unseen">{t('approvals.time.decided', { state, time: ago })}</span>
      <span aria-hidden>{ago}</span>
    </time>
  );
}

function Hints() {
  if (!useAreLetterKeysOn()) return null;
  return (
    <p className={classes.hints} aria-hidden>
      <RichText
        id="approvals.hints"
        components={{
          j: <KeyHint>J</KeyHint>,
          k: <KeyHint>K</KeyHint>,
          a: <KeyHint>A</KeyHint>,
          e: <KeyHint>E</KeyHint>,
          d: <KeyHint>D</KeyHint>,
        }}
      />
    </p>
  );
}

/** Characters of an id that are enough to answer with. */
const SHORT_ID = 8;

function AnswerOnWhatsApp({ id }: { readonly id: string }) {
  return (
    <section className={classes.whatsapp} aria-label={t('approvals.whatsapp.title')}>
      <h3>{t('approvals.whatsapp.title')}</h3>
      <p className="small dim">
        <RichText
          id="approvals.whatsapp.text"
          values={{ id: id.slice(0, SHORT_ID) }}
          components={{ code: <code /> }}
        />
      </p>
    </section>
  );
}
