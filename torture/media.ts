// Kills the daemon while it downloads received files, transcribes voice messages, takes uploads, sends files and erases
// a contact with their files, at named points and at random moments. At the end every file is there once, byte for byte,
// what was said is written and found once, none is on the disk that no row knows, and after an erasure nothing of it is
// left.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { wordsInFile } from '@relay/simulator/model/media';
import type { MediaDownloadFault } from '@relay/simulator/whatsapp/faults';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import type { Demo } from '@relay/testing/e2e/demo';
import { scanFolder } from '@relay/testing/erase/scan';
import { onServer } from '@relay/testing/postgres';
import { thenClose } from '@relay/testing/then-close';
import { OWNER, openTortureHarness, type TortureHarness } from './harness.ts';
import { FILING, FORGETTING, type Point, SENDING, TRANSCRIBING } from './points.ts';
import { randomFrom } from './random.ts';

interface MediaTorture {
  readonly kills: number;
  readonly seed: number;
}

export interface MediaReport {
  readonly seed: number;
  readonly kills: Readonly<Record<Way, number>>;
  readonly atPoints: Readonly<Record<string, number>>;
  readonly received: number;
  readonly transcribed: number;
  readonly uploaded: number;
  readonly sent: number;
  readonly forgotten: number;
  readonly lost: number;
  readonly doubled: number;
  readonly orphanedFiles: number;
  /** Files and places in home and database that still have something of an erased contact. */
  readonly leftAfterForget: readonly string[];
  readonly faults: readonly string[];
  readonly seconds: number;
}

const WAYS = ['downloading', 'transcribing', 'uploading', 'sending', 'forgetting'] as const;
type Way = (typeof WAYS)[number];

const POINTS: Readonly<Record<Way, readonly Point[]>> = {
  downloading: FILING,
  transcribing: TRANSCRIBING,
  uploading: FILING.filter((point) => !point.startsWith('media')),
  sending: SENDING,
  forgetting: FORGETTING,
};

const FAILPOINTS = new URL('./failpoints.ts', import.meta.url).href;
const POINT_MS = 2_500;
const SETTLE_MS = 180_000;
const BOB = '15550000001';

/** Each for one request: the next attempt succeeds. */
const FAULTS: readonly (MediaDownloadFault | null)[] = [
  null,
  null,
  { kind: 'slow', bytesPerSecond: 200_000, times: 1 },
  { kind: 'cut', times: 1 },
  { kind: 'altered', times: 1 },
  { kind: 'status', status: 404, times: 1 },
];

export async function tortureMedia({ kills, seed }: MediaTorture): Promise<MediaReport> {
  const began = performance.now();
  const harness = await openTortureHarness(
    [FAILPOINTS],
    (demo) => {
      const { network } = demo.simulator;
      return {
        owner: network.addAccount({ phone: OWNER, name: 'Owner' }),
        bob: network.addAccount({ phone: BOB, name: 'Bob' }),
      };
    },
    // Otherwise the kept copies of what was erased would be found again.
    { log_level: 'info', transcription: { by: 'endpoint', model: 'whisper-1' } },
  );
  return thenClose(harness, async () => {
    const torture = new Torture(harness, randomFrom(seed));
    await torture.begin();
    for (let n = 0; n < kills; n++) {
      await torture.cycle(WAYS[n % WAYS.length] as Way);
      if ((n + 1) % 10 === 0) console.log(`${n + 1} of ${kills} kills, ${torture.soFar}`);
    }
    const report = await torture.end();
    return { seed, ...report, seconds: Math.round((performance.now() - began) / 1_000) };
  });
}

interface People {
  readonly owner: SimulatedAccount;
  readonly bob: SimulatedAccount;
}

interface ReceivedFile {
  /** WhatsApp's id of the message. */
  readonly id: string;
  readonly sha256: string;
}

/** A contact who is erased, with their files, in one cycle. */
interface Victim {
  readonly account: SimulatedAccount;
  readonly words: string;
  /** The hash of their file. */
  readonly sha256: string;
}

interface MediaRow extends ReceivedFile {
  readonly state: string;
  readonly reason: string | null;
  readonly media: string | null;
  readonly understood: string | null;
  readonly transcript: string | null;
  /** In how many documents search finds it. */
  readonly found: number;
}

class Torture {
  readonly #demo: Demo;
  readonly #people: People;
  readonly #url: string;
  readonly #random: () => number;
  readonly #kills: Record<Way, number> = {
    downloading: 0,
    transcribing: 0,
    uploading: 0,
    sending: 0,
    forgetting: 0,
  };
  readonly #atPoints = new Map<string, number>();
  readonly #received: ReceivedFile[] = [];
  /** What was said, by the id of its message. */
  readonly #voices = new Map<string, string>();
  readonly #uploads: { readonly id: string; readonly sha256: string }[] = [];
  readonly #sent = new Map<string, string>();
  readonly #victims: Victim[] = [];
  readonly #faults: string[] = [];
  #count = 0;
  /** The daemon that got an altered or missing file last. */
  #altered: Demo['daemon'] = null;

  constructor({ demo, people, url }: TortureHarness<People>, random: () => number) {
    this.#demo = demo;
    this.#people = people;
    this.#url = url;
    this.#random = random;
  }

  get soFar(): string {
    const sent = this.#sent.size;
    return `${this.#received.length} received (${this.#voices.size} voice), ${this.#uploads.length} uploaded, ${sent} sent, ${this.#victims.length} erased`;
  }

  async begin(): Promise<void> {
    await this.#grant(BOB);
  }

  async cycle(way: Way): Promise<void> {
    const victim = way === 'forgetting' ? await this.#meetVictim() : null;
    const point = this.#choosePoint(way);
    const alive = await this.#resume(point);
    if (alive) {
      this.#demo.daemon?.child.kill('SIGUSR2');
      const work = this.#work(way, victim).catch(() => {});
      await Promise.race([this.#gone(), this.#patience(point)]);
      await this.#end(point);
      await work;
    }
    this.#kills[way] += 1;
  }

  async end() {
    await this.#resume(null);
    const { network } = this.#demo.simulator;
    network.faults.clear();
    for (const { account } of this.#victims) await this.#forget(account.phone);
    await this.#settle();
    const rows = await this.#rows();
    const lost = await this.#lost(rows);
    const doubled = await this.#doubled(rows);
    // A look that finds nothing more to do comes before the files are compared.
    const orphaned = await this.#orphans();
    return {
      kills: { ...this.#kills },
      atPoints: Object.fromEntries([...this.#atPoints].sort()),
      received: this.#received.length,
      transcribed: this.#voices.size,
      uploaded: this.#uploads.length,
      sent: this.#sent.size,
      forgotten: this.#victims.length,
      lost: lost.length,
      doubled: doubled.length,
      orphanedFiles: orphaned.length,
      leftAfterForget: await this.#left(),
      faults: [...this.#faults, ...lost, ...doubled, ...orphaned],
    };
  }

  // What is done while the daemon is killed.

  async #work(way: Way, victim: Victim | null): Promise<void> {
    const { daemon } = this.#demo;
    do {
      if (way === 'downloading') await this.#bobSends();
      else if (way === 'transcribing') await this.#bobSpeaks();
      else if (way === 'uploading') await this.#upload();
      else if (way === 'sending') await this.#send();
      else if (victim !== null) await this.#forget(victim.account.phone);
      await sleep(30);
    } while (way !== 'forgetting' && daemon !== null && daemon === this.#demo.daemon);
  }

  #file(): Buffer {
    const size = 1_000 + Math.floor(this.#random() * 400_000);
    this.#count += 1;
    return Buffer.concat([Buffer.from(`file ${this.#count} `), randomBytes(size)]);
  }

  /** Some files come twice, some at hosts that fail once. */
  async #bobSends(): Promise<void> {
    const { bob, owner } = this.#people;
    const { network } = this.#demo.simulator;
    const fault = FAULTS[Math.floor(this.#random() * FAULTS.length)] ?? null;
    const isGivenUp = fault?.kind === 'altered' || fault?.kind === 'status';
    // Relay asks its sender once for such a file and then gives it up: no file may meet two of these faults.
    if (!isGivenUp || this.#altered !== this.#demo.daemon) {
      network.faults.set({ mediaDownload: fault ?? undefined });
      if (isGivenUp) this.#altered = this.#demo.daemon;
    }
    const file = this.#file();
    const times = this.#random() < 0.2 ? 2 : 1;
    for (let n = 0; n < times; n++) {
      const id = await bob.send(owner, {
        document: file,
        mimetype: 'application/octet-stream',
        fileName: `file-${this.#count}.bin`,
      });
      this.#received.push({ id, sha256: hashOf(file) });
    }
  }

  async #bobSpeaks(): Promise<void> {
    const { bob, owner } = this.#people;
    this.#demo.simulator.network.faults.clear();
    this.#count += 1;
    const words = `spoken${this.#count} ${randomBytes(8).toString('hex')}`;
    const file = Buffer.concat([Buffer.from('OggS\0\x02'), wordsInFile(words)]);
    const recording = {
      audio: file,
      ptt: true,
      seconds: 3,
      waveform: new Uint8Array(64),
      mimetype: 'audio/ogg; codecs=opus',
    };
    const id = await bob.send(owner, recording);
    this.#received.push({ id, sha256: hashOf(file) });
    this.#voices.set(id, words);
  }

  async #upload(): Promise<{ id: string; sha256: string } | null> {
    const file = this.#file();
    const body = await this.#call('POST', '/api/media', file, 'application/octet-stream');
    if (body.status !== 201) return null;
    const { id, sha256 } = JSON.parse(body.bytes.toString()) as { id: string; sha256: string };
    if (sha256 !== hashOf(file)) this.#faults.push(`the upload ${id} has another hash`);
    this.#uploads.push({ id, sha256 });
    return { id, sha256 };
  }

  async #send(): Promise<void> {
    const upload = await this.#upload();
    if (upload === null) return;
    const message = { to: BOB, media: { id: upload.id, kind: 'document' } };
    const key = `torture-${upload.id}`;
    const body = Buffer.from(JSON.stringify(message));
    const answer = await this.#call('POST', '/api/whatsapp/messages', body, 'application/json', {
      'idempotency-key': key,
    });
    if (answer.status < 300) this.#sent.set(upload.id, upload.sha256);
  }

  /** They have a grant, and their file is stored before the daemon is killed. */
  async #meetVictim(): Promise<Victim> {
    await this.#resume(null);
    const n = this.#victims.length + 1;
    const phone = `1555100${String(n).padStart(4, '0')}`;
    const words = `victim-${n}-${randomBytes(16).toString('hex')}`;
    const { network } = this.#demo.simulator;
    network.faults.clear();
    const account = network.addAccount({ phone, name: words });
    const file = Buffer.concat([Buffer.from(words), randomBytes(20_000)]);
    await account.send(this.#people.owner, 'hello');
    await this.#grant(phone);
    const document = { document: file, mimetype: 'application/pdf', fileName: `${words}.pdf` };
    const id = await account.send(this.#people.owner, document);
    await eventually(
      async () => (await this.#rows()).find((row) => row.id === id)?.state === 'stored',
    );
    const victim = { account, words, sha256: hashOf(file) };
    this.#victims.push(victim);
    return victim;
  }

  async #grant(phone: string): Promise<void> {
    await this.#demo.relay.ok('POST', '/api/whatsapp/permissions', {
      phoneNumber: phone,
      displayName: phone,
      canRead: true,
      canReply: false,
    });
  }

  async #forget(phone: string): Promise<void> {
    const { relay } = this.#demo;
    const found = await relay.ok<{ contacts: { id: string; phone_number: string }[] }>(
      'GET',
      `/api/contacts?query=${phone}`,
    );
    const contact = found.contacts.find((one) => one.phone_number === phone);
    if (contact !== undefined) await relay.ok('POST', '/api/forget', { id: contact.id });
  }

  // The end: what must be there, and what must not.

  async #settle(): Promise<void> {
    const end = performance.now() + SETTLE_MS;
    for (;;) {
      await this.#query(
        "UPDATE relay_jobs.job SET start_after = now() WHERE name IN ('media', 'understand')",
      );
      const rows = await this.#rows();
      const stored = new Set(rows.flatMap(({ id, state }) => (state === 'stored' ? [id] : [])));
      const isThere = this.#received.every(({ id }) => stored.has(id));
      const isUnderstood = rows.every(({ understood }) => understood !== 'waiting');
      const [open] = await this.#query<{ count: number }>(
        "SELECT count(*)::int AS count FROM relay.outbox WHERE state = 'pending' OR in_doubt",
      );
      if (isThere && isUnderstood && open?.count === 0) return;
      if (performance.now() > end) {
        this.#faults.push('not everything settled');
        return;
      }
      await sleep(500);
    }
  }

  #rows(): Promise<MediaRow[]> {
    return this.#query<MediaRow>(`SELECT k.message_id AS id, coalesce(m.state, 'none') AS state, m.reason, m.id AS media,
        m.understood, m.transcript, encode(m.sha256, 'hex') AS sha256, (SELECT count(*)::int
          FROM relay.search_documents d WHERE d.account_id = k.account_id AND d.source_kind = 'media'
            AND split_part(d.source_id, '.', 1) = k.id::text) AS found
      FROM relay.message_keys k LEFT JOIN relay.media m ON m.account_id = k.account_id AND m.message = k.id`);
  }

  async #lost(rows: readonly MediaRow[]): Promise<string[]> {
    const byId = new Map(rows.map((row) => [row.id, row]));
    const lost: string[] = [];
    for (const { id, sha256 } of this.#received) {
      const row = byId.get(id);
      if (row?.state !== 'stored' || row.media === null)
        lost.push(`${id} is ${row?.state} (${row?.reason})`);
      else if ((await this.#download(row.media)) !== sha256) lost.push(`${id} has other bytes`);
    }
    for (const [id, words] of this.#voices) {
      const { transcript = null, found } = byId.get(id) ?? {};
      if (transcript !== words) lost.push(`${id} says ${transcript} instead of ${words}`);
      else if (found !== 1) lost.push(`${id} is found ${found} times`);
    }
    for (const { id, sha256 } of this.#uploads) {
      if ((await this.#download(id)) !== sha256) lost.push(`the upload ${id} has other bytes`);
    }
    const shown = await this.#shown();
    for (const [id, sha256] of this.#sent) {
      if (!shown.includes(sha256)) lost.push(`${id} was not sent`);
    }
    return lost;
  }

  async #doubled(rows: readonly MediaRow[]): Promise<string[]> {
    const ids = rows.flatMap(({ id, media }) => (media === null ? [] : [id]));
    const shown = await this.#shown();
    return [
      ...repeated(ids).map((id) => `${id} has several files`),
      ...repeated(shown.filter((sha256) => [...this.#sent.values()].includes(sha256))).map(
        (sha256) => `${sha256} was sent twice`,
      ),
    ];
  }

  /** Hashes of the files that Bob's phone shows. */
  async #shown(): Promise<string[]> {
    const { bob, owner } = this.#people;
    const messages = bob
      .shown({ with: owner })
      .filter(({ from, media }) => from === OWNER && media);
    return Promise.all(messages.map(async ({ id }) => hashOf(await bob.download(id))));
  }

  async #orphans(): Promise<string[]> {
    const orphans = async () => {
      const known = await this.#query<{ object: string }>('SELECT object FROM relay.media_objects');
      const objects = new Set(known.map(({ object }) => object));
      return (await this.#files()).filter((name) => !objects.has(name));
    };
    // The daemon removes at its start what an earlier one left, and is not done at once.
    await eventually(async () => (await orphans()).length === 0).catch(() => {});
    return (await orphans()).map((name) => `${name} has no row`);
  }

  async #files(): Promise<string[]> {
    const all = await readdir(join(this.#demo.home, 'media'), {
      recursive: true,
      withFileTypes: true,
    }).catch(() => []);
    return all.filter((entry) => entry.isFile()).map(({ name }) => name);
  }

  /** What is left of erased contacts: in every table, and in every file of the home. */
  async #left(): Promise<string[]> {
    const left: string[] = [];
    const tables = await this.#query<{ name: string }>(
      `SELECT quote_ident(nspname) || '.' || quote_ident(relname) AS name FROM pg_class c JOIN pg_namespace n
         ON n.oid = c.relnamespace WHERE nspname IN ('relay', 'relay_jobs') AND relkind = 'r'`,
    );
    for (const { words, sha256 } of this.#victims) {
      for (const { name } of tables) {
        const [found] = await this.#query<{ count: number }>(
          `SELECT count(*)::int AS count FROM ${name} t WHERE t::text LIKE '%${words}%' OR t::text LIKE '%${sha256}%'`,
        );
        if ((found?.count ?? 0) > 0) left.push(`${words} in ${name}`);
      }
      for (const { file } of await scanFolder(this.#demo.home, words))
        left.push(`${words} in ${file}`);
    }
    return left;
  }

  async #download(media: string): Promise<string> {
    const { status, bytes } = await this.#call('GET', `/api/media/${media}`);
    return status === 200 ? hashOf(bytes) : `status ${status}`;
  }

  async #call(
    method: string,
    path: string,
    body?: Buffer,
    type?: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; bytes: Buffer }> {
    const sent = request(`${this.#demo.api}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#demo.token}`,
        ...(type === undefined ? {} : { 'content-type': type }),
        ...(body === undefined ? {} : { 'content-length': body.length }),
        ...headers,
      },
    });
    sent.end(body);
    const [response] = await once(sent, 'response');
    return { status: response.statusCode ?? 0, bytes: await buffer(response) };
  }

  #query<Row extends object>(text: string): Promise<Row[]> {
    return onServer(this.#url, async (client) => (await client.query(text)).rows);
  }

  // Starting and killing.

  #choosePoint(way: Way): Point | null {
    const points = POINTS[way];
    const turn = this.#kills[way];
    if (turn % 3 === 2) return null;
    return points[(turn - Math.floor(turn / 3)) % points.length] ?? null;
  }

  /** False if the point was reached before the daemon was connected again. */
  async #resume(point: Point | null): Promise<boolean> {
    await this.#demo.kill();
    const nth = 1 + Math.floor(this.#random() * 2);
    await this.#demo.restart({
      RELAY_FAILPOINT_MODEL: this.#demo.model.url,
      ...(point === null ? {} : { RELAY_FAILPOINT: `${point}:${nth}` }),
    });
    const connected = this.#demo.relay.connected(60_000).then(() => true);
    return Promise.race([connected, this.#gone().then(() => false)]);
  }

  #patience(point: Point | null): Promise<void> {
    return sleep(point === null ? 100 + this.#random() * 900 : POINT_MS);
  }

  async #gone(): Promise<void> {
    const child = this.#demo.daemon?.child;
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }

  async #end(point: Point | null): Promise<void> {
    const child = this.#demo.daemon?.child;
    const reached = child === undefined || child.signalCode !== null;
    if (child && child.exitCode !== null) throw new Error('the daemon ended by itself');
    await this.#demo.kill();
    const name = point === null || !reached ? 'any moment' : point;
    this.#atPoints.set(name, (this.#atPoints.get(name) ?? 0) + 1);
  }
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const repeated = (all: readonly string[]): string[] => [
  ...new Set(all.filter((one, n) => all.indexOf(one) !== n)),
];

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`never came true: ${holds}`);
    await sleep(100);
  }
}
