// Plays a voice message or another recording. It is decoded by the Web Audio API from bytes that the page fetches:
// the content policy then needs no source for media, and no plugin or page of a browser opens the file.
import type { MediaBody } from '@relay/contract/api/media';
import { revealHidden } from '@relay/core/messages/text';
import { IconDownload, IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../i18n.ts';
import classes from './media.module.css';
import { formatPlayTime, mediaUrl } from './media-files.ts';

interface VoicePlayerProps {
  readonly media: MediaBody;
  readonly by: string;
}

export function VoicePlayer({ media, by }: VoicePlayerProps) {
  const player = usePlayer(media);
  const { state, position, duration } = player;
  const length = duration ?? media.seconds ?? 0;
  const name =
    media.file_name === undefined || media.kind === 'voice'
      ? t(`media.${media.kind === 'voice' ? 'voice' : 'audio'}.by`, { name: by })
      : revealHidden(media.file_name);
  const isPlaying = state === 'playing';
  return (
    // Recordings run from left to right in every language.
    <div className={classes.voice} dir="ltr">
      <button
        type="button"
        className={classes.play}
        aria-label={t(isPlaying ? 'media.pause' : 'media.play', { name })}
        aria-busy={state === 'loading'}
        onClick={() => void player.toggle()}
      >
        {isPlaying ? (
          <IconPlayerPauseFilled size={18} aria-hidden />
        ) : (
          <IconPlayerPlayFilled size={18} aria-hidden />
        )}
      </button>
      <div className={classes.track}>
        {media.kind === 'audio' && media.file_name !== undefined && <b dir="auto">{name}</b>}
        <input
          type="range"
          min={0}
          max={Math.max(length, 0.1)}
          step={0.1}
          value={Math.min(position, length)}
          disabled={state === 'failed'}
          aria-label={t('media.position', { name })}
          aria-valuetext={t('media.positionValue', {
            at: formatPlayTime(position),
            of: formatPlayTime(length),
          })}
          onChange={(event) => void player.seek(Number(event.currentTarget.value))}
        />
        <span className={classes.time}>
          {formatPlayTime(state === 'idle' || position === 0 ? length : position)}
        </span>
        {state === 'failed' && <span role="alert">{t('media.voice.failed')}</span>}
      </div>
      <a
        className={classes.round}
        href={mediaUrl(media.id)}
        download=""
        aria-label={t('media.download', { name })}
        title={t('media.download', { name })}
      >
        <IconDownload size={18} aria-hidden />
      </a>
    </div>
  );
}

type PlayerState = 'idle' | 'loading' | 'playing' | 'paused' | 'failed';

const TICK_MS = 100;

/** The pause of what plays: one at a time on a page. */
let pauseOther: (() => void) | undefined;
let sharedContext: AudioContext | undefined;

/** Speech needs no more, and a decoded minute takes 6 MB instead of 12. */
const SAMPLE_RATE = 24_000;
const audioContext = () => {
  sharedContext ??= new AudioContext({ sampleRate: SAMPLE_RATE });
  return sharedContext;
};

function usePlayer({ id }: MediaBody) {
  const [state, setState] = useState<PlayerState>('idle');
  const [position, setPosition] = useState(0);
  const [duration, setDuration] = useState<number | null>(null);
  const decoded = useRef<AudioBuffer | null>(null);
  /** What plays, and the clock's time at which it would have begun at 0. */
  const playing = useRef<{ source: AudioBufferSourceNode; began: number } | null>(null);

  const stop = () => {
    const now = playing.current;
    playing.current = null;
    if (now === null) return;
    now.source.onended = null;
    now.source.stop();
  };
  const pause = () => {
    stop();
    setState((before) => (before === 'playing' ? 'paused' : before));
  };
  const playFrom = (start: number) => {
    const buffer = decoded.current;
    if (buffer === null) return;
    stop();
    if (pauseOther !== undefined && pauseOther !== pauseThis.current) pauseOther();
    pauseOther = pauseThis.current;
    const context = audioContext();
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(context.destination);
    source.onended = () => {
      playing.current = null;
      setState('paused');
      setPosition(0);
    };
    source.start(0, start);
    playing.current = { source, began: context.currentTime - start };
    setState('playing');
  };
  const pauseThis = useRef(pause);

  useEffect(() => {
    if (state !== 'playing') return;
    const timer = setInterval(() => {
      const now = playing.current;
      if (now !== null) setPosition(audioContext().currentTime - now.began);
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [state]);
  useEffect(
    () => () => {
      playing.current?.source.stop();
      if (pauseOther === pauseThis.current) pauseOther = undefined;
    },
    [],
  );

  const load = async (): Promise<boolean> => {
    if (decoded.current !== null) return true;
    setState('loading');
    try {
      const response = await fetch(mediaUrl(id));
      if (!response.ok) throw new Error(`status ${response.status}`);
      decoded.current = await audioContext().decodeAudioData(await response.arrayBuffer());
      setDuration(decoded.current.duration);
      setState('paused');
      return true;
    } catch {
      setState('failed');
      return false;
    }
  };
  return {
    state,
    position,
    duration,
    async toggle() {
      if (state === 'playing') {
        pause();
        return;
      }
      // Resumed within the click: a browser lets a page make sound only then.
      await audioContext().resume();
      if (await load()) playFrom(position);
    },
    async seek(to: number) {
      // At once: the field would fall back to the old position, and report that as another change.
      setPosition(to);
      if (!(await load())) return;
      if (playing.current !== null) playFrom(to);
    },
  };
}
