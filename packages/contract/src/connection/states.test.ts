import { describe, expect, test } from 'vitest';
import {
  CONNECTION_FAULTS,
  CONNECTION_STATES,
  type ConnectionFault,
  type ConnectionState,
  connectionFaultOf,
  connectionSentence,
  WHATSAPP_STATUSES,
  whatsappStatusOf,
} from './states.ts';

const states = Object.keys(CONNECTION_STATES) as ConnectionState[];

describe('connection states', () => {
  test.each(WHATSAPP_STATUSES)('the public status %s is a state that maps to itself', (status) => {
    expect(whatsappStatusOf(status)).toBe(status);
  });

  test.each(states)('%s has a public status and a complete sentence', (state) => {
    expect(WHATSAPP_STATUSES).toContain(whatsappStatusOf(state));
    expect(connectionSentence(state)).toMatch(/^[A-Z].+\.$/);
  });

  test('no two states have the same sentence', () => {
    expect(new Set(states.map(connectionSentence)).size).toBe(states.length);
  });

  test('only a state with a code to scan is called qr_ready', () => {
    expect(states.filter((state) => whatsappStatusOf(state) === 'qr_ready')).toEqual(['qr_ready']);
  });

  test('a state that needs a person is never called connecting', () => {
    const stopped: ConnectionState[] = [
      'passkey_required',
      'passkey_refused',
      'passkey_failed',
      'logged_out',
      'replaced',
      'banned',
      'client_outdated',
      'device_mismatch',
      'session_refused',
      'link_expired',
      'credentials_unreadable',
      'taken_over',
      'closed_unexplained',
    ];
    for (const state of stopped) expect(whatsappStatusOf(state)).toBe('disconnected');
  });

  test('a restriction or a sleeping phone leaves the account connected', () => {
    expect(whatsappStatusOf('time_locked')).toBe('connected');
    expect(whatsappStatusOf('phone_offline')).toBe('connected');
  });
});

describe('connection faults', () => {
  test.each(Object.values(CONNECTION_FAULTS))(
    '%o is a complete sentence and a next step',
    (one) => {
      expect(one.sentence).toMatch(/^[A-Z].+\.$/);
      expect(one.action).toMatch(/^[A-Z].+\.$/);
    },
  );

  test.each<[string | null, string, ConnectionFault | null]>([
    ['EAI_AGAIN', '', 'dns'],
    ['EPERM', '', 'refused'],
    ['EHOSTUNREACH', '', 'network'],
    ['CERT_NOT_YET_VALID', '', 'clock'],
    ['CERT_HAS_EXPIRED', '', 'clock'],
    ['SELF_SIGNED_CERT_IN_CHAIN', '', 'tls'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', '', 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', '', 'tls'],
    [null, 'Opening handshake has timed out', 'timeout'],
    ['ESOMETHING', 'who knows', null],
    [null, '', null],
  ])('%s %j is %s', (code, message, fault) => {
    expect(connectionFaultOf(code, message)).toBe(fault);
  });
});
