// The AI SDK, loaded when there is a model to speak to: it is large, and the daemon starts without it.
// Its warnings would go to the console, and may quote what somebody wrote.

let loaded: typeof import('ai') | null = null;

export async function sdk(): Promise<typeof import('ai')> {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  // Kept: even what is loaded would be looked up anew with every call of a model.
  loaded ??= await import('ai');
  return loaded;
}

const SOON_MS = 2_000;

/** Once the daemon has come to rest, so that the first turn need not wait for it. Without a model, never. */
export function loadSoon(models: { open(): Promise<unknown> }): () => void {
  const load = () => models.open().then(sdk);
  // What is missing is told by the turn that needs it.
  const timer = setTimeout(() => void load().catch(() => {}), SOON_MS).unref();
  return () => clearTimeout(timer);
}
