// The version of everything that is published together. The build refuses to run when the
// package's own version differs.
export const VERSION = '0.1.0';

// Tells one process from a later one that was given the same pid. Daemon and command both read the
// operating system's answer and compare what this makes of it, so they can never disagree.

/** From Linux's `/proc/<pid>/stat` and boot id. Null when the text is not one. */
export function linuxProcessStart(stat: string, bootId: string): string | null {
  // The command's name stands in parentheses and may hold spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const ticks = fields[19];
  if (state === undefined || ticks === undefined || !/^\d+$/.test(ticks)) return null;
  // A zombie holds its pid, and nothing else.
  if (state === 'Z' || state === 'X') return null;
  return `${bootId.trim().slice(0, 8)}:${ticks}`;
}

/** From `ps -o stat=,lstart= -p <pid>`. Null when there is no such process. */
export function psProcessStart(output: string): string | null {
  const [state, ...start] = output.trim().split(/\s+/);
  if (state === undefined || start.length === 0 || state.startsWith('Z')) return null;
  return start.join(' ');
}

// What the file of settings is called. Invariant: one home has one such file; the former name is read and written where
// it is what somebody has, and never beside the other. Pure.
const SETTINGS_FILE = 'relay.config.json';
const FORMER_SETTINGS_FILE = 'config.json';

interface SettingsFile {
  readonly name: string;
  /** Why neither can be taken, as the end of a sentence. */
  readonly fault: string | null;
}

export function chooseSettingsFile(isThere: (name: string) => boolean): SettingsFile {
  if (!isThere(FORMER_SETTINGS_FILE)) return { name: SETTINGS_FILE, fault: null };
  if (!isThere(SETTINGS_FILE)) return { name: FORMER_SETTINGS_FILE, fault: null };
  const fault = `${FORMER_SETTINGS_FILE}, its former name, is in the same folder, and only one of the two can count`;
  return { name: SETTINGS_FILE, fault };
}
