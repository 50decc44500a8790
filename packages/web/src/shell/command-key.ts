// The key of commands as this machine writes it.

export const COMMAND_KEY = navigator.userAgent.includes('Mac') ? '⌘ K' : 'Ctrl K';
