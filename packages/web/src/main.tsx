// Where the console begins.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Home } from './home.tsx';

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Home />
    </StrictMode>,
  );
}
