// Linking as in seed 000: connect, then follow the stream of codes until the phone is linked. The stream takes
// precedence over the poll. Invariant: the stream is closed when the page is left and when the phone is linked.
import { streamWhatsAppQR } from '@relay/contract/client/qr-stream';
import type { WhatsAppStatus } from '@relay/contract/connection/states';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useDaemonConnection } from '../../data/live-stream.ts';
import { whatsappStatusQuery } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';

export interface WhatsAppLinking {
  readonly status: WhatsAppStatus;
  readonly phone: string | null;
  /** A PNG as a data URL. */
  readonly qr: string | null;
  readonly isBusy: boolean;
  /** With a number: links by a code to type on that phone. */
  link(phone?: string): void;
  stop(): void;
  disconnect(clearSession: boolean): void;
}

export function useWhatsAppLinking(): WhatsAppLinking {
  const queries = useQueryClient();
  const connection = useDaemonConnection();
  const { data: polled } = useQuery(whatsappStatusQuery);
  const [streamStatus, setStreamStatus] = useState<WhatsAppStatus | null>(null);
  const [streamPhone, setStreamPhone] = useState<string | null>(null);
  const [qr, setQr] = useState<string | null>(null);
  const stream = useRef<AbortController | null>(null);

  const close = useCallback(() => {
    stream.current?.abort();
    stream.current = null;
    setQr(null);
  }, []);
  const forget = useCallback(() => {
    close();
    setStreamStatus(null);
    setStreamPhone(null);
  }, [close]);

  const follow = useCallback(() => {
    close();
    stream.current = streamWhatsAppQR(
      {
        onQr: setQr,
        onStatus(status, phone) {
          setStreamStatus(status as WhatsAppStatus);
          setStreamPhone(phone);
          if (status !== 'qr_ready') setQr(null);
        },
        onConnected(phone) {
          close();
          setStreamStatus('connected');
          setStreamPhone(phone);
          // From here on the poll has the state, and notices if the link ends.
          void queries.invalidateQueries({ queryKey: whatsappStatusQuery.queryKey }).then(forget);
        },
        onClose: forget,
        onError: forget,
      },
      relay,
    );
  }, [close, forget, queries]);

  useEffect(() => close, [close]);

  // Linking that was started elsewhere, or before the daemon restarted, is shown here too.
  const isWaiting = polled?.status === 'qr_ready' && connection.state === 'live';
  useEffect(() => {
    if (isWaiting && stream.current === null) follow();
  }, [isWaiting, follow]);

  const connect = useAction({
    run: (phone: string | undefined) =>
      relay.post('/api/whatsapp/connect', { body: phone === undefined ? {} : { phone } }),
    invalidates: ['link', 'whatsapp-status'],
    onSuccess: follow,
  });
  const end = useAction({
    run: (clearSession: boolean) =>
      relay.post('/api/whatsapp/disconnect', { body: { clearSession } }),
    invalidates: ['link', 'whatsapp-status', 'status'],
    onSuccess: forget,
  });

  return {
    status: streamStatus ?? polled?.status ?? 'disconnected',
    phone: streamPhone ?? polled?.phoneNumber ?? null,
    qr,
    isBusy: connect.isPending || end.isPending,
    link: (phone) => connect.mutate(phone),
    stop: () => end.mutate(false),
    disconnect: (clearSession) => end.mutate(clearSession),
  };
}
