// `relay why` with the shipped command: the id from `relay messages`, the sentence, the ledger, and what `relay doctor`
// says about an altered ledger.
import { expect, test } from 'vitest';
import { eventually } from './gateway.ts';
import { BEN, ME, startLinkedRelay } from './linked.ts';

test('relay why explains a message in one command, and an altered ledger is detected', async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  const { phones } = linked.demo;
  const id = await phones.send(BEN, ME, 'Do you have a minute?');
  const request = `Stored, not answered: Ben (+${BEN}) had no grant; it was counted as a message request.\n`;
  await eventually('the router', async () => {
    const { out } = await linked.command('why', id);
    return out === request || undefined;
  });

  const shown = (await linked.command('messages')).out;
  const [, short = ''] = /\s([0-9A-F]{12})\s+Ben → you\s+Do you have a minute\?/.exec(shown) ?? [];
  expect(id.startsWith(short) && short !== '', shown).toBe(true);
  expect(await linked.command('why', short)).toEqual({ exit: 0, out: request, err: '' });
  const { out } = await linked.command('why', id, '--json');
  expect(JSON.parse(out)).toMatchObject({
    way: 'in',
    reason: 'no_grant',
    chat: { kind: 'direct' },
    rows: [{ action: 'route_message', who: 'router', outcome: 'stored' }],
  });
  expect(await linked.command('why', 'nothing-like-it')).toMatchObject({
    exit: 4,
    err: expect.stringContaining('See the ids with `relay messages`.'),
  });

  const ledger = (await linked.command('ledger')).out.split('\n');
  expect(ledger[0]).toMatch(/^TIME +ACTOR +ACTION +CONTACT +OUTCOME +REASON$/);
  expect(ledger.at(-2)).toMatch(
    /router +receive a message +Ben \(\+\d+\) +stored only +This contact has no grant\./,
  );
  expect((await linked.command('ledger', '--denied')).out).toBe('');
  expect(
    JSON.parse((await linked.command('ledger', '--json', '--actor', 'router')).out),
  ).toMatchObject({
    entries: [{ actor: 'router' }],
    more: false,
  });

  expect((await linked.command('doctor')).out).toMatch(
    /✓ ledger +The chain of decisions is intact: /,
  );
  await linked.query('ALTER TABLE relay.ledger DISABLE TRIGGER ledger_append_only');
  await linked.query("UPDATE relay.ledger SET reason = 'owner' WHERE seq = 1");
  const found = await linked.command('doctor', '--full');
  expect(found.out).toMatch(/✗ ledger +Row 1 of the ledger was changed\./);
  expect(found.exit).toBe(1);
});
