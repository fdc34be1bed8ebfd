import { type ComponentType, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

/** Shows a screen. Built for development, it is rendered twice and its effects run twice. */
export function mount(Screen: ComponentType): void {
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <Screen />
    </StrictMode>,
  );
}
