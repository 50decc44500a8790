// Deliberate faults: settings that the server reads as it works. Invariant: with nothing set, the network delivers
// everything promptly.
import type { PasskeyFault } from './passkey.ts';

/** A fault of the media hosts is over after so many requests; without a number it stays. */
interface MediaFaultTimes {
  times?: number;
}

/** How downloads go wrong; files, keys and messages stay as they are. */
export type MediaDownloadFault = MediaFaultTimes &
  (
    | { kind: 'status'; status: number }
    /** One byte in the middle is another. */
    | { kind: 'altered' }
    /** Half of the file, as if that were all. */
    | { kind: 'truncated' }
    /** Half of the file, then the connection breaks. */
    | { kind: 'cut' }
    /** Half of the file, then nothing. */
    | { kind: 'stalled' }
    | { kind: 'slow'; bytesPerSecond: number }
    /** The file, then other bytes for as long as the client reads. */
    | { kind: 'endless' }
    | { kind: 'redirected'; to: string }
  );

/** How uploads go wrong. */
export type MediaUploadFault = MediaFaultTimes &
  (
    | { kind: 'status'; status: number }
    /** The connection breaks before the file is read. */
    | { kind: 'cut' }
    /** No answer comes. */
    | { kind: 'stalled' }
    /** Stored, but the answer names no link. */
    | { kind: 'no_path' }
  );

/** How the phone answers a request to upload a file again. */
export const MEDIA_RETRY_FAULTS = [
  'ignored',
  'not_found',
  'decryption_error',
  'general_error',
  'altered',
] as const;
export type MediaRetryFault = (typeof MEDIA_RETRY_FAULTS)[number];

export interface FaultSettings {
  /** Delay of every stanza from the server; order is kept. */
  latencyMs: number;
  /** Messages from companions are refused with this code and not delivered (463, 429, …). */
  ackError: number | undefined;
  /** Messages from companions are neither acknowledged nor delivered. */
  swallowMessages: boolean;
  /** Messages from companions are delivered but never acknowledged. */
  withholdAcks: boolean;
  /** Logins end with `<failure reason>`. */
  refuseLogin: number | undefined;
  /** `namespace/type/child` → delay of the answer. */
  iqDelayMs: Record<string, number>;
  /** `namespace/type/child` that are never answered. */
  iqIgnore: string[];
  /** Companions get every message stanza twice. */
  duplicateDeliveries: boolean;
  /** Companions get each pair of message stanzas in swapped order. */
  reorderDeliveries: boolean;
  /** The server receives everything and sends nothing more. */
  mute: boolean;
  /** What goes wrong when an account demands its passkey. */
  passkey: PasskeyFault | undefined;
  /** Queued stanzas come in batches of the size the client requests, each only when requested. */
  offlineBatches: boolean;
  mediaDownload: MediaDownloadFault | undefined;
  mediaUpload: MediaUploadFault | undefined;
  mediaRetry: MediaRetryFault | undefined;
}

const NONE: FaultSettings = {
  latencyMs: 0,
  ackError: undefined,
  swallowMessages: false,
  withholdAcks: false,
  refuseLogin: undefined,
  iqDelayMs: {},
  iqIgnore: [],
  duplicateDeliveries: false,
  reorderDeliveries: false,
  mute: false,
  passkey: undefined,
  offlineBatches: false,
  mediaDownload: undefined,
  mediaUpload: undefined,
  mediaRetry: undefined,
};

export class Faults {
  #current: FaultSettings = NONE;

  get current(): FaultSettings {
    return this.#current;
  }

  /** Settings that are not named stay as they are. */
  set(settings: Partial<FaultSettings>): void {
    this.#current = { ...this.#current, ...settings };
  }

  clear(): void {
    this.#current = NONE;
  }

  /** The fault of the next download; counts it. */
  takeMediaDownload(): MediaDownloadFault | undefined {
    const fault = this.#current.mediaDownload;
    if (fault) this.set({ mediaDownload: onceLess(fault) });
    return fault;
  }

  /** The fault of the next upload; counts it. */
  takeMediaUpload(): MediaUploadFault | undefined {
    const fault = this.#current.mediaUpload;
    if (fault) this.set({ mediaUpload: onceLess(fault) });
    return fault;
  }
}

function onceLess<Fault extends MediaFaultTimes>(fault: Fault): Fault | undefined {
  if (fault.times === undefined) return fault;
  return fault.times > 1 ? { ...fault, times: fault.times - 1 } : undefined;
}
