// What the file of settings is called. Invariant: one home has one such file; the former name is read and written where
// it is what somebody has, and never beside the other. Pure.
export const SETTINGS_FILE = 'relay.config.json';
export const FORMER_SETTINGS_FILE = 'config.json';

export interface SettingsFile {
  readonly name: string;
  /** Why neither can be taken, as the end of a sentence. */
  readonly fault: string | null;
}

export function settingsFileAmong(isThere: (name: string) => boolean): SettingsFile {
  if (!isThere(FORMER_SETTINGS_FILE)) return { name: SETTINGS_FILE, fault: null };
  if (!isThere(SETTINGS_FILE)) return { name: FORMER_SETTINGS_FILE, fault: null };
  const fault = `${FORMER_SETTINGS_FILE}, its former name, is in the same folder, and only one of the two can count`;
  return { name: SETTINGS_FILE, fault };
}
