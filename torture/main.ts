// Runs a torture: causes failures on purpose and then checks the results; USAGE lists all. Exits 1 when a guarantee was
// violated.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const USAGE = `Usage: npm run torture -- engine [--daemon-kills N] [--postgres-kills N] [--seed N]
       npm run torture -- wire [--kills N] [--seed N]
       npm run torture -- turns [--kills N] [--seed N]
       npm run torture -- passkeys [--kills N] [--seed N]
       npm run torture -- crowd [--contacts N] [--model-ms N]
       npm run torture -- loops [--hours N]
       npm run torture -- failover [--workers N] [--accounts N] [--kills N] [--seed N]
       npm run torture -- faults [--schedules N] [--seed N] [--only FAULT]…
       npm run torture -- attacks [--only ID|GOAL]… [--field FIELD] [--limit N] [--calls N] [--seed N]
       npm run torture -- flood [--times N] [--tokens N]
       npm run torture -- stranger [--messages N] [--only KIND]…
       npm run torture -- partition [--only ID|GOAL]… [--field FIELD] [--limit N]
       npm run torture -- silence [--messages N] [--attacks N] [--kills N] [--cuts N] [--minutes N] [--seed N]
       npm run torture -- month [--days N] [--from YYYY-MM-DD] [--messages N] [--seed N]
       npm run torture -- week [--days N] [--messages N] [--seed N] [--pictures FOLDER --console FOLDER]
       npm run torture -- why [--messages N] [--seed N]
       npm run torture -- forget [--people N] [--messages N] [--kills N] [--seed N]
       npm run torture -- media [--kills N] [--seed N]
       npm run torture -- mcp [--calls N] [--seed N]
       npm run torture -- demos [--rounds N]
       npm run torture -- restore [--rounds N] [--seed N]
       npm run torture -- nonsense [--turns N] [--seed N]
       npm run torture -- inspector --inspector FOLDER
       npm run torture -- races [--interleavings N] [--seed N] [--only RACE]…`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    'daemon-kills': { type: 'string', default: '100' },
    'postgres-kills': { type: 'string', default: '30' },
    kills: { type: 'string' },
    workers: { type: 'string', default: '3' },
    accounts: { type: 'string', default: '6' },
    contacts: { type: 'string', default: '500' },
    hours: { type: 'string', default: '24' },
    days: { type: 'string', default: '30' },
    from: { type: 'string' },
    'model-ms': { type: 'string', default: '2000' },
    schedules: { type: 'string', default: '1000' },
    interleavings: { type: 'string', default: '1000' },
    seed: { type: 'string' },
    limit: { type: 'string' },
    field: { type: 'string' },
    calls: { type: 'string' },
    times: { type: 'string', default: '200' },
    messages: { type: 'string' },
    attacks: { type: 'string', default: '300' },
    cuts: { type: 'string', default: '60' },
    minutes: { type: 'string', default: '60' },
    tokens: { type: 'string', default: '300000' },
    people: { type: 'string', default: '40' },
    rounds: { type: 'string', default: '20' },
    turns: { type: 'string', default: '2000' },
    inspector: { type: 'string' },
    pictures: { type: 'string' },
    console: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
  },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);

const TORTURES: Readonly<Record<string, () => Promise<boolean>>> = {
  async engine() {
    const { tortureEngine } = await import('./engine.ts');
    return tortureEngine({
      daemonKills: Number(values['daemon-kills']),
      postgresKills: Number(values['postgres-kills']),
      seed,
    });
  },
  async wire() {
    const { tortureWire } = await import('./wire.ts');
    return report(await tortureWire({ kills: Number(values.kills ?? 300), seed }));
  },
  async media() {
    const { tortureMedia } = await import('./media.ts');
    return report(await tortureMedia({ kills: Number(values.kills ?? 200), seed }));
  },
  async turns() {
    const { tortureTurns } = await import('./turns.ts');
    return report(await tortureTurns({ kills: Number(values.kills ?? 200), seed }));
  },
  async crowd() {
    const { tortureCrowd } = await import('./crowd.ts');
    const contacts = Number(values.contacts);
    const crowd = await tortureCrowd({ contacts, modelMs: Number(values['model-ms']) });
    return report(crowd) && crowd.fair;
  },
  async passkeys() {
    const { torturePasskeys } = await import('./passkeys.ts');
    return report(await torturePasskeys({ kills: Number(values.kills ?? 100), seed }));
  },
  async loops() {
    const { tortureLoops } = await import('./loops.ts');
    return report(await tortureLoops({ hours: Number(values.hours) }));
  },
  async restore() {
    const { tortureRestore } = await import('./restore.ts');
    return report(await tortureRestore({ rounds: Number(values.rounds), seed }));
  },
  async nonsense() {
    const { tortureNonsense } = await import('./nonsense.ts');
    return report(await tortureNonsense({ turns: Number(values.turns), seed }));
  },
  async failover() {
    const { tortureFailover } = await import('./failover.ts');
    const workers = Number(values.workers);
    const accounts = Number(values.accounts);
    return report(
      await tortureFailover({
        ...{ workers, accounts, kills: Number(values.kills ?? 10), seed },
        slack: 1,
      }),
    );
  },
  async faults() {
    const { tortureFaults } = await import('./faults.ts');
    return report(
      await tortureFaults({ schedules: Number(values.schedules), seed, only: values.only }),
    );
  },
  async attacks() {
    const { tortureAttacks } = await import('./attacks/attacks.ts');
    const { FIELDS } = await import('./attacks/data.ts');
    const limit = values.limit === undefined ? undefined : Number(values.limit);
    return report(
      await tortureAttacks({
        only: values.only,
        limit,
        field: FIELDS.find((field) => field === values.field),
        harmless: limit,
        randomCalls: Number(values.calls ?? 2_000),
        seed,
      }),
    );
  },
  async flood() {
    const { tortureFlood } = await import('./attacks/flood.ts');
    return report(
      await tortureFlood({ times: Number(values.times), tokens: Number(values.tokens) }),
    );
  },
  async stranger() {
    const { tortureStranger } = await import('./stranger.ts');
    return report(
      await tortureStranger({ messages: Number(values.messages ?? 1000), only: values.only }),
    );
  },
  async partition() {
    const { torturePartition } = await import('./partition.ts');
    const { FIELDS } = await import('./attacks/data.ts');
    const limit = values.limit === undefined ? undefined : Number(values.limit);
    const field = FIELDS.find((known) => known === values.field);
    return report(await torturePartition({ only: values.only, limit, field, harmless: limit }));
  },
  async month() {
    const { tortureMonth } = await import('./month.ts');
    const messages = Number(values.messages ?? 2_000);
    const { from } = values;
    return report(await tortureMonth({ days: Number(values.days), messages, seed, from }));
  },
  async week() {
    const { tortureWeek } = await import('./week.ts');
    const days = Math.min(7, Number(values.days));
    const messages = Number(values.messages ?? 200);
    const { pictures: folder, console: built } = values;
    const pictures =
      folder === undefined || built === undefined
        ? null
        : { folder: resolve(folder), console: resolve(built) };
    const week = await tortureWeek({ days, messages, seed, pictures });
    console.table(week.days);
    return report(week);
  },
  async silence() {
    const { tortureSilence } = await import('./silence.ts');
    return report(
      await tortureSilence({
        messages: values.messages === undefined ? undefined : Number(values.messages),
        attacks: Number(values.attacks),
        kills: Number(values.kills ?? 20),
        faults: Number(values.cuts),
        minutes: Number(values.minutes),
        seed,
      }),
    );
  },
  async why() {
    const { tortureWhy } = await import('./why.ts');
    return report(await tortureWhy({ messages: Number(values.messages ?? 1000), seed }));
  },
  async forget() {
    const { tortureForget } = await import('./forget.ts');
    const messages = Number(values.messages ?? 100_000);
    const kills = Number(values.kills ?? 10);
    return report(await tortureForget({ people: Number(values.people), messages, kills, seed }));
  },
  async mcp() {
    const { tortureMcp } = await import('./mcp.ts');
    return report(await tortureMcp({ calls: Number(values.calls ?? 100_000), seed }));
  },
  async demos() {
    const { tortureDemos } = await import('./demos.ts');
    return report(await tortureDemos({ rounds: Number(values.rounds), sceneEvery: 5 }));
  },
  async inspector() {
    const { tortureInspector } = await import('./inspector.ts');
    return report(await tortureInspector(resolve(values.inspector ?? '.')));
  },
  async races() {
    const { tortureRaces } = await import('./races.ts');
    const interleavings = Number(values.interleavings);
    return report(await tortureRaces({ interleavings, seed, only: values.only }));
  },
};

function report(figures: { readonly faults: readonly string[] }): boolean {
  console.log(JSON.stringify({ ...figures, faults: figures.faults.slice(0, 20) }, null, 2));
  return figures.faults.length === 0;
}

const torture = TORTURES[positionals[0] ?? ''];
if (torture === undefined) {
  console.error(USAGE);
  process.exit(2);
}
process.exit((await torture()) ? 0 : 1);
