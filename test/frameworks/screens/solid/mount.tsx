import type { Component } from 'solid-js';
import { render } from 'solid-js/web';

/** Shows a screen. */
export function mount(Screen: Component): void {
  render(() => <Screen />, document.getElementById('root') as HTMLElement);
}
