// Packages of Angular are published half compiled; their rest is compiled in the page.
import '@angular/compiler';
import type { Type } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';

/** Shows a screen, whose selector is `#root`. Angular 21 works without zones. */
export function mount(screen: Type<unknown>): void {
  bootstrapApplication(screen).catch((error: unknown) => console.error(error));
}
