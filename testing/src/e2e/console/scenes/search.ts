// Messages to search for: with and without the query's words, and from somebody without a read grant.
import type { Demo } from '../../demo.ts';
import { eventually } from '../../gateway.ts';

const SAID = [
  ['14155550101', 'The agency gives the bond back within 14 days if the keys are returned.'],
  ['14155550104', 'Did you ever get the déposit back from the old flat?'],
  ['447700900417', 'I can pay the deposit today, by transfer.'],
] as const;

export async function sayToFind(demo: Demo, owner: string): Promise<void> {
  for (const [phone, text] of SAID) await demo.phones.send(phone, owner, text);
  await eventually('it to be found', async () => {
    const { hits } = await demo.relay.ok<{ hits: unknown[] }>('GET', '/api/search?q=transfer');
    return hits.length > 0 || undefined;
  });
}
