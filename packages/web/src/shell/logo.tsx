// Relay's mark: a contact about to close.

export function Logo() {
  return (
    <svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="7" fill="var(--brand)" />
      <g stroke="var(--on-brand)" strokeWidth="2" strokeLinecap="round" fill="none">
        <path d="M4.5 15.5h2.4M17.1 15.5h2.4" />
        <path d="M8.6 14.4l6.6-6" />
      </g>
      <circle cx="8.2" cy="15.5" r="1.7" fill="var(--on-brand)" />
      <circle cx="15.9" cy="15.5" r="1.7" fill="var(--on-brand)" />
    </svg>
  );
}
