// The queue: one line for each, with whom it is for, who asked and when it runs out. More come page by page.
import { Button } from '@mantine/core';
import type { Approval } from '@relay/core/api/approvals';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useNow } from '../../data/use-now.ts';
import { approvalWords } from '../../parts/approval-words.ts';
import { Tile } from '../../parts/marks.tsx';
import { ago, moment, span } from '../../parts/times.ts';
import { KeyHint } from '../../shell/keys.tsx';
import { useLettersAreOn } from '../../shell/use-letters.ts';
import classes from './approvals.module.css';
import type { ApprovalsSearch } from './search.ts';
import { CHANGED, STATES } from './states.ts';
import { askedBy, brieflyWhy, titleOf } from './words.ts';

interface QueueProps {
  readonly approvals: readonly Approval[];
  readonly pages: Pick<
    UseInfiniteQueryResult,
    'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
  >;
  readonly chosen: string | undefined;
  readonly search: ApprovalsSearch;
}

export function Queue({ approvals, pages, chosen, search }: QueueProps) {
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
                <b dir="auto">{titleOf(approval)}</b>
                <small dir="auto">
                  {askedBy(approval)} · {brieflyWhy(approval)}
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

const shownAs = ({ state, replaced_by }: Approval) =>
  replaced_by === null ? STATES[state] : CHANGED;

function ItemTile({ approval }: { readonly approval: Approval }) {
  if (approval.state === 'pending') return <Tile hue="you" icon={approvalWords(approval).icon} />;
  const { hue, icon } = shownAs(approval);
  return <Tile hue={hue} icon={icon} />;
}

function ItemTime({ approval }: { readonly approval: Approval }) {
  const now = useNow(30_000);
  const { state, expires_at, decided_at } = approval;
  const at = state === 'pending' ? expires_at : (decided_at ?? expires_at);
  const says = state === 'pending' ? 'Expires' : shownAs(approval).word;
  return (
    <time dateTime={at} title={`${says} ${moment(at, now)}`}>
      <span className="unseen">{says} </span>
      {state === 'pending' ? `in ${span(Date.parse(at) - now)}` : ago(at, now)}
    </time>
  );
}

function Hints() {
  if (!useLettersAreOn()) return null;
  return (
    <p className={classes.hints} aria-hidden>
      <KeyHint>J</KeyHint> <KeyHint>K</KeyHint> move <KeyHint>A</KeyHint> approve{' '}
      <KeyHint>E</KeyHint> edit <KeyHint>D</KeyHint> decline
    </p>
  );
}

/** So much of an id is enough to answer with. */
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
