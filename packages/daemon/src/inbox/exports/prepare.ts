// What has to be known of an exported chat before any of it is stored: how its dates are written, which chat it
// is, who of those in it is the owner. Read from the whole of it; what cannot be told is asked, by refusing.
import type { ImportQuery } from '@relay/core/api/imports';
import { folded } from '@relay/core/contacts/find';
import { RelayError } from '@relay/core/errors';
import type { AccountId } from '@relay/core/ids';
import { type DateOrder, DateOrderFinder } from '@relay/core/import/dates';
import { whoIsMe } from '@relay/core/import/me';
import { type ExportedMessage, ExportReader, type Skip } from '@relay/core/import/whatsapp-export';
import type { Named } from '@relay/core/ingest/named';
import { type Zone, zoneNamed } from '@relay/core/schedule/zone';
import { sql } from 'kysely';
import type { Reader } from '../../store/database.ts';
import { fenced } from '../../store/fenced.ts';
import type { Lease } from '../../store/lease.ts';
import { namedIn } from '../../store/told/people.ts';
import type { HeldFile } from './file.ts';
import { type ExportPlace, findPlace, makePlace } from './place.ts';

export interface ImportWorld {
  readonly db: Reader;
  readonly lease: Lease;
  readonly now: () => Date;
  /** The owner's zone. */
  readonly zone: string;
  readonly home: string;
  /** Throws while the disk is nearly full. */
  readonly refuseWhenFull?: () => void;
  /** After a commit that stored something. */
  readonly stored: () => void;
}

const MOST_NAMES = 5_000;
const SHOWN_NAMES = 12;

interface Learnt {
  readonly order: DateOrder | null;
  readonly senders: ReadonlySet<string>;
  readonly lines: number;
}

async function learn(file: HeldFile, now: number): Promise<Learnt> {
  const finder = new DateOrderFinder(now);
  const senders = new Set<string>();
  const reader = new ExportReader();
  let lines = 0;
  for await (const reading of readings(file, reader)) {
    lines += reading.lines;
    if (reading.message === null) continue;
    finder.add({ ...reading.message.head, rest: '' });
    if (senders.size < MOST_NAMES) senders.add(reading.message.sender);
  }
  if (!reader.begun) throw new RelayError('export_invalid', { what: 'no line begins with a date' });
  return { order: finder.found(), senders, lines };
}

export interface Step {
  readonly lines: number;
  readonly message: ExportedMessage | null;
  readonly skipped: Skip | null;
}

export async function* readings(
  file: HeldFile,
  reader: ExportReader,
  read?: (share: number) => void,
): AsyncGenerator<Step> {
  const step = (lines: number, reading: ReturnType<ExportReader['push']>): Step => ({
    lines,
    message: reading === null || 'skipped' in reading ? null : reading,
    skipped: reading !== null && 'skipped' in reading ? reading.skipped : null,
  });
  for await (const line of file.lines(read)) yield step(1, reader.push(line));
  yield step(0, reader.end());
}

export interface Prepared {
  readonly place: ExportPlace;
  readonly order: DateOrder;
  readonly me: ReadonlySet<string>;
  readonly who: Named;
  readonly zone: Zone;
  readonly lines: number;
  readonly latest: number;
}

/** Everything that is asked is asked here. */
export async function prepare(
  world: ImportWorld,
  file: HeldFile,
  { file: name, chat, me: given, date_order, zone: named }: ImportQuery,
): Promise<Prepared> {
  const { db, lease } = world;
  const { account } = lease;
  const zone = zoneNamed(named ?? world.zone) ?? (zoneNamed('UTC') as Zone);
  const latest = zone.localAt(+world.now());
  const { order: found, senders, lines } = await learn(file, latest);
  const order = date_order ?? found;
  if (order === null) throw new RelayError('export_date_order');
  const files = [name, file.name ?? ''];
  const where = await findPlace(db, account, { given: chat ?? null, files });
  const several =
    'known' in where ? where.known.kind === 'group' : !('number' in where) && senders.size > 2;
  const called = 'known' in where ? where.known.name : where.name;
  const me = whoIsMe({
    senders: [...senders],
    given: given ?? null,
    own: await ownNames(db, account),
    isOther: several ? null : (one) => folded(one) === folded(called ?? ''),
  });
  if (me === null) {
    const shown = [...senders].slice(0, SHOWN_NAMES).join(', ');
    throw new RelayError('export_me', {
      names: senders.size > SHOWN_NAMES ? `${shown}, …` : shown,
    });
  }
  return fenced(db, lease, async (tx) => {
    const place = await makePlace(tx, account, where, several);
    const who = await namedIn(tx, account, place.chat);
    return { place, order, me, who, zone, lines, latest };
  });
}

async function ownNames(db: Reader, account: AccountId): Promise<readonly string[]> {
  const { rows } = await sql<{ names: string[] }>`
    SELECT array_remove(ARRAY[p.display_name, p.push_name], NULL) AS names FROM accounts o
      JOIN contact_aliases s ON s.account_id = o.id AND s.value = CASE s.kind WHEN 'phone' THEN o.phone ELSE o.lid END
      JOIN contacts p ON p.account_id = o.id AND p.id = s.contact_id
    WHERE o.id = ${account}`.execute(db);
  return rows.flatMap(({ names }) => names);
}
