// What linking does not do.
import { IconLock } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Note } from '../../parts/note.tsx';

export function OpensNobody() {
  return (
    <Note hue="parked" icon={IconLock}>
      Linking opens nobody. Everyone stays closed until you allow them under{' '}
      <Link to="/people">People & grants</Link>.
    </Note>
  );
}
