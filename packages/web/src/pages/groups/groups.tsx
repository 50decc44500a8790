// The groups page: the observed groups, and one of them with its day, its token use, and the proof that nothing was
// sent to it.
import { Button, Progress, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ObservedGroup } from '@relay/contract/api/observed-groups';
import type { RetentionGroup } from '@relay/contract/api/retention';
import {
  IconEyeOff,
  IconMessageReply,
  IconPlus,
  IconUsersGroup,
  IconVolumeOff,
  type TablerIcon,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { formatMoment } from '../../parts/format.ts';
import { Initials } from '../../parts/initials.tsx';
import { Page } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { EmptyState, LoadingLines, LoadingRows, QueryContent } from '../../parts/query-content.tsx';
import { formatPercent, formatTokens, groupsSummary, tokenTotals } from './copy.ts';
import { GroupPanel } from './group-panel.tsx';
import classes from './groups.module.css';
import { ObserveModal } from './observe.tsx';
import { observedQuery, retentionQuery } from './queries.ts';

export function GroupsScreen() {
  const observed = useQuery(observedQuery);
  const { data: kept } = useQuery(retentionQuery);
  const { id } = useParams({ strict: false });
  const [isOpen, { open, close }] = useDisclosure();
  const isGone = useIsDaemonGone();
  const former = kept?.groups.filter((group) => !group.observed) ?? [];
  const chosen = id ?? observed.data?.[0]?.chat_id ?? former[0]?.chat_id;
  const observe = (
    <Button
      variant={chosen === undefined ? 'filled' : 'default'}
      leftSection={<IconPlus size={17} />}
      disabled={isGone}
      onClick={open}
    >
      {t('groups.observe.title')}
    </Button>
  );
  return (
    <Page
      title={t('common.page.groups')}
      summary={groupsSummary(observed.data ?? [])}
      actions={chosen === undefined ? undefined : observe}
    >
      <QueryContent query={observed} subject={t('groups.subject')} loading={<LoadingGroup />}>
        {(groups) =>
          chosen === undefined ? (
            <section className={classes.none}>
              <EmptyState icon={IconUsersGroup} title={t('groups.empty')} action={observe}>
                {t('groups.emptyHint')}
              </EmptyState>
            </section>
          ) : (
            <div className={classes.page}>
              <aside className={classes.side} aria-label={t('groups.list.label')}>
                <GroupList groups={groups} former={former} chosen={chosen} />
                <GroupTotals groups={groups} />
              </aside>
              <GroupPanel
                key={chosen}
                id={chosen}
                group={groups.find(({ chat_id }) => chat_id === chosen)}
                former={former.find(({ chat_id }) => chat_id === chosen)}
              />
            </div>
          )
        }
      </QueryContent>
      <ObserveModal isOpen={isOpen} onClose={close} />
    </Page>
  );
}

// The list of groups with their state; below it the total token use.

interface GroupListProps {
  readonly groups: readonly ObservedGroup[];
  /** No longer observed; their stored data still exists. */
  readonly former: readonly RetentionGroup[];
  readonly chosen: string;
}

function GroupList({ groups, former, chosen }: GroupListProps) {
  const now = useNow(60_000);
  return (
    <ul className={classes.list}>
      {groups.map((group) => (
        <GroupListEntry
          key={group.chat_id}
          id={group.chat_id}
          name={group.name}
          chosen={chosen}
          icon={group.may_answer ? IconMessageReply : IconVolumeOff}
          status={
            group.last_digest_at === null
              ? t('groups.list.noDigest')
              : t('groups.list.digestsUpTo', { time: formatMoment(group.last_digest_at, now) })
          }
        />
      ))}
      {former.map((group) => (
        <GroupListEntry
          key={group.chat_id}
          id={group.chat_id}
          name={group.name ?? t('groups.unnamed')}
          chosen={chosen}
          icon={IconEyeOff}
          status={t('groups.list.formerlyObserved')}
        />
      ))}
    </ul>
  );
}

interface GroupListEntryProps {
  readonly id: string;
  readonly name: string;
  readonly chosen: string;
  readonly icon: TablerIcon;
  readonly status: string;
}

function GroupListEntry({ id, name, chosen, icon: Icon, status }: GroupListEntryProps) {
  return (
    <li>
      <Link
        to="/groups/$id"
        params={{ id }}
        search={{}}
        className={classes.entry}
        aria-current={id === chosen ? 'page' : undefined}
      >
        <Initials name={name} />
        <span>
          <b dir="auto">{name}</b>
          <small>{status}</small>
        </span>
        <Icon size={16} stroke={1.7} aria-hidden />
      </Link>
    </li>
  );
}

function GroupTotals({ groups }: { readonly groups: readonly ObservedGroup[] }) {
  if (groups.length === 0) return null;
  const { used, saved, percent } = tokenTotals(groups);
  const share = formatPercent(percent);
  return (
    <section className={`${parts.card} ${classes.totals}`} aria-labelledby="totals">
      <h2 id="totals">{t('groups.totals.title')}</h2>
      <p className={`${classes.figure} ${classes.saved}`}>
        <b className="num">{formatTokens(saved)}</b>
        <span>{t('groups.totals.saved')}</span>
      </p>
      <Progress value={percent} size={6} aria-label={t('groups.totals.savedShare', { share })} />
      <p className="small dim num">
        {t('groups.totals.used', { share, used: formatTokens(used) })}
      </p>
      <table className={`${classes.tally} num`}>
        <thead>
          <tr>
            <th scope="col">
              <span className="unseen">{t('groups.totals.columnGroup')}</span>
            </th>
            <th scope="col">{t('groups.totals.columnUsed')}</th>
            <th scope="col">{t('groups.totals.columnSaved')}</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group.chat_id}>
              <th scope="row" dir="auto">
                {group.name}
              </th>
              <td>{formatTokens(group.tokens_spent)}</td>
              <td className="dim">{formatTokens(group.tokens_avoided)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

// Placeholder for a group and its day while they load.

function LoadingGroup() {
  return (
    <div
      className={`${classes.page} ${parts.late}`}
      role="status"
      aria-busy="true"
      aria-label={t('common.loading')}
    >
      <div className={classes.side}>
        {[0, 1, 2].map((row) => (
          <Skeleton key={row} height={52} radius={10} mb={6} />
        ))}
      </div>
      <div className={classes.main}>
        <Skeleton width={260} height={42} mb={14} />
        <div className={`${parts.card} ${parts.cardBody}`}>
          <LoadingLines lines={2} />
        </div>
        <div className={parts.card}>
          <LoadingRows rows={3} />
        </div>
      </div>
    </div>
  );
}
