import { type Component, mount as mountComponent } from 'svelte';

/** Shows a screen. */
export function mount(screen: Component): void {
  mountComponent(screen, { target: document.getElementById('root') as HTMLElement });
}
