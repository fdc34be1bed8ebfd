import { type Component, createApp } from 'vue';

/** Shows a screen. */
export function mount(screen: Component): void {
  createApp(screen).mount('#root');
}
