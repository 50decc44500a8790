import { randomUUID } from 'node:crypto';
import { type InstanceId, instanceId } from '@relay/contract/ids';
import { freshDaemonHarness, newPhone } from '@relay/testing/daemon-harness';
import { expect, test } from 'vitest';
import { quotesPrivateWords } from './load-facts.ts';

const harness = await freshDaemonHarness();
const { account, database, sql } = harness;

const CODES = {
  objective: 'OBJ-7f3a-99bc-1d2e',
  todo: 'TODO-51ce-0b9a-44d7',
  summary: 'SUM-83aa-17fe-90c1',
  instructions: 'INS-2b6d-c35f-71e8',
  fact: 'FACT-64d0-8e1b-a9f2',
  result: 'RES-90ab-3c7d-e1f2',
};

async function made(): Promise<{ id: InstanceId; phone: string }> {
  harness.agent(() => ({ messages: ['Hello'] }));
  const phone = newPhone();
  const { id } = await harness.service.create({
    objective: `Sell the bicycle to ${phone} under ${CODES.objective} and ${CODES.fact}`,
    target_contact: phone,
    todos: [{ text: `Mention ${CODES.todo}` }],
    facts: [`The frame is ${CODES.fact}.`],
    result_schema: {
      type: 'object',
      properties: { price: { type: 'number', description: `See ${CODES.result}` } },
    },
  });
  await harness.reaches(instanceId(id), 'WAITING_FOR_REPLY');
  await sql('UPDATE instances SET summary = $2 WHERE id = $1', [id, `They know ${CODES.summary}.`]);
  return { id: instanceId(id), phone };
}

const quotes = (id: InstanceId, text: string) =>
  database.kysely.transaction().execute((tx) =>
    quotesPrivateWords(tx, text, {
      account,
      instance: id,
      instructions: `Sign as ${CODES.instructions}.`,
      earlierInTurn: [],
    }),
  );

test('treats objective, todos, summary, schema and instructions as private, but not facts and the number', async () => {
  const { id, phone } = await made();
  for (const [what, code] of Object.entries(CODES)) {
    expect([what, await quotes(id, `It is ${code}.`)]).toEqual([what, what !== 'fact']);
  }
  expect(await quotes(id, `Your number is ${phone}.`)).toBe(false);
  expect(await quotes(id, 'Is Tuesday good for you?')).toBe(false);
});

test('treats the agent’s own text as private, but not what the contact or the owner said', async () => {
  for (const [role, told] of [
    ['contact', true],
    ['manual', true],
    ['agent', false],
    ['system', false],
  ] as const) {
    const { id } = await made();
    const other = await made();
    await sql(
      'INSERT INTO instance_messages (account_id, instance_id, role, content) VALUES ($1, $2, $3, $4)',
      [account, id, role, `I have ${CODES.objective} here.`],
    );
    expect([role, await quotes(id, CODES.objective)]).toEqual([role, !told]);
    expect([role, await quotes(other.id, CODES.objective)]).toEqual([role, true]);
  }
});

test('finds nothing private for an unknown conversation', async () => {
  expect(await quotes(instanceId(randomUUID()), CODES.objective)).toBe(false);
});
