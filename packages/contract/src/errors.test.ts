import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { DAEMON_ERRORS } from './errors/daemon.ts';
import {
  CONTACT_ERRORS,
  MEDIA_ERRORS,
  MEMORY_ERRORS,
  MODEL_ERRORS,
  NOTIFICATION_ERRORS,
  WEBHOOK_ERRORS,
} from './errors/features.ts';
import { REQUEST_ERRORS } from './errors/requests.ts';
import type { ErrorSpec } from './errors/spec.ts';
import { ERRORS, RelayError } from './errors.ts';

test('each code is in one part of the table', () => {
  const codes = [
    REQUEST_ERRORS,
    CONTACT_ERRORS,
    MEDIA_ERRORS,
    DAEMON_ERRORS,
    MODEL_ERRORS,
    MEMORY_ERRORS,
    NOTIFICATION_ERRORS,
    WEBHOOK_ERRORS,
  ].flatMap((part) => Object.keys(part));
  expect(codes.toSorted()).toEqual(Object.keys(ERRORS).toSorted());
});

/** Seed 000 fixes their sentences. */
const OF_THE_SEED = new Set<string>([
  'invalid_phone',
  'permission_incomplete',
  'permission_exists',
  'permission_not_found',
  'no_qr_code',
]);

test('every error says what is wrong and what to do, each in sentences of its own', () => {
  verifies('WORDS-ERROR-ACTION');
  const rows = Object.entries<ErrorSpec>(ERRORS).filter(([code]) => !OF_THE_SEED.has(code));
  for (const [code, { sentence, action }] of rows) {
    expect(sentence, code).toMatch(/[.?!}”]$/);
    // A command is something to do.
    if (!sentence.startsWith('`{command}`')) expect(sentence, code).not.toMatch(/`relay /);
    if (action !== undefined) expect(action, code).toMatch(/^[A-Z].*\.$/);
  }
});

test('an action names only what its reader can use: a command, a path of the API, or a tool', () => {
  verifies('WORDS-ERROR-ACTION');
  const of = { command: /`relay |--\w/, api: /[/]api[/]/, tools: /\bCall the tool/ };
  for (const [code, { action = '', actionFor = {} }] of Object.entries<ErrorSpec>(ERRORS)) {
    expect(action, code).not.toMatch(of.tools);
    const { command = '', api = '', tools = '' } = actionFor;
    expect(command, code).not.toMatch(of.api);
    expect(command, code).not.toMatch(/\{\w+\}/);
    expect(api, code).not.toMatch(of.command);
    expect(api, code).not.toMatch(of.tools);
    expect(tools, code).not.toMatch(of.command);
    expect(tools, code).not.toMatch(of.api);
    for (const text of Object.values(actionFor)) expect(text, code).toMatch(/^[A-Z].*\.$/);
  }
});

test('an error of a client that sees too little says what each reader can do', () => {
  const unknown = new RelayError('chat_unknown', { chat: 'Cleo' });
  expect(unknown.message).toBe('There is no chat Cleo that this client may use.');
  expect(unknown.actionFor('api', { account: 'sales' })).toBe(
    'List chats at /api/v1/accounts/sales/chats, or contacts at /api/v1/accounts/sales/contacts.',
  );
  expect(unknown.messageFor('tools')).toBe(
    'There is no chat Cleo that this client may use. Call the tool get_chats for the chats it may read.',
  );
  expect(new RelayError('daemon_not_running').actionFor('api')).toBe('Run `relay start` first.');
});
