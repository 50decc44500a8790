// Where a digest came from: the way to its messages as long as they are kept; and what stands where there is none.
import { IconNotes } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Empty } from '../../parts/places.tsx';

export function Nothing({ says }: { readonly says: string }) {
  return <Empty icon={IconNotes} title={says.replace(/:$/, '.')} />;
}

interface OriginProps {
  readonly chat: string;
  readonly from: string;
  readonly oldest: string | null;
}

/** The way to the messages themselves, as long as they are kept. */
export function Origin({ chat, from, oldest }: OriginProps) {
  const isKept = oldest !== null && Date.parse(oldest) < Date.parse(from) + 3_600_000;
  if (!isKept) return <p className="small dim">The messages themselves are deleted.</p>;
  return (
    <p className="small">
      <Link to="/chats/$id" params={{ id: chat }}>
        The messages
      </Link>
    </p>
  );
}
