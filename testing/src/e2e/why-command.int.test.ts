// `relay why` with the shipped command: the id from `relay messages`, the sentence, the ledger, and what `relay doctor`
// says about an altered ledger.
import { expect, test } from 'vitest';
import { eventually } from './gateway.ts';
import { BEN, ME, startLinkedRelay } from './linked.ts';

test('relay why explains a message in one command, and an altered ledger is detected', async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  const { phones } = linked.demo;
  const id = await phones.send(BEN, ME, 'Do you have a minute?');
  const knock = `Stored and not answered: nobody granted reading Ben (+${BEN}); it was counted as a knock.\n`;
  await eventually('the router', async () => {
    const { out } = await linked.command('why', id);
    return out === knock || undefined;
  });

  const shown = (await linked.command('messages')).out;
  const [, short = ''] = /\s([0-9A-F]{12})\s+Ben → you\s+Do you have a minute\?/.exec(shown) ?? [];
  expect(id.startsWith(short) && short !== '', shown).toBe(true);
  expect(await linked.command('why', short)).toEqual({ exit: 0, out: knock, err: '' });
  const { out } = await linked.command('why', id, '--json');
  expect(JSON.parse(out)).toMatchObject({
    way: 'in',
    reason: 'no_grant',
    chat: { kind: 'direct' },
    rows: [{ action: 'route_message', who: 'router', outcome: 'stored' }],
  });
  expect(await linked.command('why', 'nothing-like-it')).toMatchObject({
    exit: 4,
    err: expect.stringContaining('`relay messages` shows the ids'),
  });

  const ledger = (await linked.command('ledger')).out.split('\n');
  expect(ledger[0]).toMatch(/^TIME +WHO +WHAT +ABOUT +OUTCOME +WHY$/);
  expect(ledger.at(-2)).toMatch(
    /router +a message came in +Ben \(\+\d+\) +stored +You have granted nothing here\./,
  );
  expect((await linked.command('ledger', '--denied')).out).toBe('');
  expect(
    JSON.parse((await linked.command('ledger', '--json', '--actor', 'router')).out),
  ).toMatchObject({
    entries: [{ actor: 'router' }],
    more: false,
  });

  expect((await linked.command('doctor')).out).toMatch(
    /✓ ledger +The chain of decisions is whole: /,
  );
  await linked.query('ALTER TABLE relay.ledger DISABLE TRIGGER ledger_append_only');
  await linked.query("UPDATE relay.ledger SET reason = 'owner' WHERE seq = 1");
  const found = await linked.command('doctor', '--full');
  expect(found.out).toMatch(/✗ ledger +Row 1 of the ledger was altered\./);
  expect(found.exit).toBe(1);
});
