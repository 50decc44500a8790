// The version, the flags and the identity of a process, and the name of the settings file. The build fails if the
// package's own version differs from this one.
export const VERSION = '0.1.0';

/**
 * For Node in every process of the daemon. By itself V8 reserves up to 128 MB for new objects, of which nearly all are
 * gone a moment later; with 16 MB it collects more often and needs no more processor time.
 */
export const DAEMON_NODE_FLAGS = ['--max-semi-space-size=8'] as const;

// Distinguishes a process from a later one with the same pid. Daemon and command both use these functions, so they
// always agree.

/** From Linux's `/proc/<pid>/stat` and boot id. Null if the text is malformed. */
export function linuxProcessStart(stat: string, bootId: string): string | null {
  // The command's name is in parentheses and may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const ticks = fields[19];
  if (state === undefined || ticks === undefined || !/^\d+$/.test(ticks)) return null;
  // A zombie process only occupies its pid.
  if (state === 'Z' || state === 'X') return null;
  return `${bootId.trim().slice(0, 8)}:${ticks}`;
}

/** From `ps -o stat=,lstart= -p <pid>`. Null if there is no such process. */
export function psProcessStart(output: string): string | null {
  const [state, ...start] = output.trim().split(/\s+/);
  if (state === undefined || start.length === 0 || state.startsWith('Z')) return null;
  return start.join(' ');
}

// The settings file's name. A home has one such file: the former name is read and written if only that exists, and
// never besides the other.
const SETTINGS_FILE = 'relay.config.json';
const FORMER_SETTINGS_FILE = 'config.json';

interface SettingsFile {
  readonly name: string;
  /** Why neither file can be used, as the end of a sentence. */
  readonly fault: string | null;
}

export function chooseSettingsFile(isThere: (name: string) => boolean): SettingsFile {
  if (!isThere(FORMER_SETTINGS_FILE)) return { name: SETTINGS_FILE, fault: null };
  if (!isThere(SETTINGS_FILE)) return { name: FORMER_SETTINGS_FILE, fault: null };
  const fault = `${FORMER_SETTINGS_FILE}, its former name, is in the same folder; keep only one of the two`;
  return { name: SETTINGS_FILE, fault };
}
