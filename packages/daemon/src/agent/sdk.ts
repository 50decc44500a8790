// The AI SDK, loaded when the first agent needs it: it is large, and the daemon starts without it.
// Its warnings would go to the console, and may quote what somebody wrote.

export function sdk(): Promise<typeof import('ai')> {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return import('ai');
}
