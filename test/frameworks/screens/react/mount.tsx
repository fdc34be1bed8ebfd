import type { ComponentType } from 'react';
import { createRoot } from 'react-dom/client';

/** Shows a screen. */
export function mount(Screen: ComponentType): void {
  createRoot(document.getElementById('root') as HTMLElement).render(<Screen />);
}
