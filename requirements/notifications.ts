// Requirements for notifications on the owner’s devices.
export const NOTIFICATIONS = {
  'NOTIFY-APPROVE-ONCE':
    'An approval answered from a notification at phone width sends exactly what was shown, once, also across a restart.',
  'NOTIFY-APPROVE-WHOLE':
    'A notification can approve only what it shows in full, bound to the hash of it; otherwise it opens the approval in the console.',
  'NOTIFY-CHANNELS':
    'ntfy and a webhook get the notification with a link to the console, and their token, which is sealed in the settings file.',
  'NOTIFY-CLOSES':
    'An approval that was answered closes its notification, and one that has expired is not notified.',
  'NOTIFY-DURABLE':
    'A notification is a stored delivery: it survives failures and restarts, and one subscription shows it once.',
  'NOTIFY-NO-TEXT':
    'Without `notifications.show_text` no notification contains a name, a number or a text.',
  'NOTIFY-OWN-CHAT': 'Approvals are announced in the owner’s own chat by default.',
  'NOTIFY-PRIVATE-ADDRESS':
    'Notifications go to no address inside the network unless the settings file allows it.',
  'NOTIFY-PUSH-SIGNED':
    'A push message is signed with the daemon’s key and encrypted for one browser.',
  'NOTIFY-SIGNED-OUT':
    'A browser that signed out is not notified, and one whose session expired gets no text and cannot answer.',
  'NOTIFY-WORKER':
    'The service worker caches nothing, handles no request of a page, and is served without a long-lived cache.',
} as const;
