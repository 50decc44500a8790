import { expect, test } from 'vitest';
import { freshBed } from './testing/bed.ts';

const bed = await freshBed();

test('who may be read and written to is answered by the model, through the gate, and both are kept', async () => {
  const mom = await bed.contact();
  const message = await bed.writes(mom, 'Are you coming?');
  await bed.rest();
  expect(await bed.said(mom)).toEqual(['user: Are you coming?', 'assistant: Re: Are you coming?']);
  expect(await bed.sent(mom)).toEqual(['Re: Are you coming?']);
  expect(await bed.decided(message)).toEqual(['answered: answered']);
  expect(await bed.session(mom)).toMatchObject({ title: 'WhatsApp: Mom' });
});
