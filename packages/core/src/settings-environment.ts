// Variables of the environment that stand for a setting: whatever they say wins over the file. Pure: the environment
// is handed in by whoever may look at it.
type Environment = Readonly<Record<string, string | undefined>>;

interface Variable {
  readonly setting: string;
  read(text: string): unknown;
}

export const VARIABLES = {
  RELAY_PORT: { setting: 'daemon_port', read: Number },
  RELAY_LOG_LEVEL: { setting: 'log_level', read: String },
  ADMIN_PHONE_NUMBERS: { setting: 'admin_phone_numbers', read: phoneNumbers },
  RELAY_MODEL_PROVIDER: { setting: 'model_provider', read: String },
  RELAY_MODEL: { setting: 'model_name', read: String },
  RELAY_MODEL_API_KEY: { setting: 'model_api_key', read: String },
  RELAY_MODEL_BASE_URL: { setting: 'model_base_url', read: String },
  RELAY_TRACES_ENDPOINT: { setting: 'traces.endpoint', read: String },
  RELAY_TRACES_HEADERS: { setting: 'traces.headers', read: String },
  BRAVE_API_KEY: { setting: 'brave_api_key', read: String },
} satisfies Readonly<Record<string, Variable>>;

/** Settings that the environment sets, with the name of the variable. */
export const givenIn = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(VARIABLES).flatMap(([variable, { setting }]) =>
      env[variable] ? [[setting, variable]] : [],
    ),
  );

/** Between commas, as people write numbers: an address of WhatsApp is as good. */
function phoneNumbers(text: string): string[] {
  return text
    .split(/[,;\n]/)
    .map((number) => number.replace(/@.*$/, '').replace(/\D/g, ''))
    .filter((digits) => digits !== '');
}
