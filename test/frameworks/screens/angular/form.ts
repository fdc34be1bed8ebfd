import { ChangeDetectionStrategy, Component, computed, input, signal } from '@angular/core';
import type { FormOptions } from 'repose';
import { injectForm } from 'repose/angular';
import { loose, type Task } from '../tasks.js';

@Component({
  selector: 'task-form',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    @let title = form.field('title')();
    <form (submit)="form.submit($event)">
      <input
        aria-label="Title"
        [attr.aria-invalid]="title.errors.length > 0"
        [value]="title.value"
        (input)="form.set('title', $any($event.target).value)"
        (blur)="form.touch('title')"
      />
      @for (issue of title.errors; track issue.message) {
        <em>{{ issue.message }}</em>
      }
      <button type="submit">Save</button>
      <button type="button" (click)="form.reject()">Reset</button>
      <output>{{ summary() }}</output>
    </form>
  `,
})
export class Form {
  readonly task = input.required<Task>();
  readonly options = input.required<FormOptions>();
  protected readonly form = injectForm(this.task, this.options);
  protected readonly summary = computed(() => {
    const { dirty, valid, saving, submitted, error } = this.form.state();
    return Object.entries({ dirty, valid, saving, submitted, [error?.code ?? '']: error })
      .flatMap(([name, value]) => (value ? [name] : []))
      .join(' ');
  });
}

/** A form over a record; its autosave can be switched on. */
@Component({
  selector: '#root',
  imports: [Form],
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    @if (shown()) {
      <task-form [task]="loose" [options]="options()" />
    }
  `,
})
export default class FormScreen {
  protected readonly loose = loose;
  protected readonly options = signal<FormOptions>({});
  protected readonly shown = signal(true);

  constructor() {
    window.swap = () => this.options.set({ autosave: 1_000_000 });
    window.leave = () => this.shown.set(false);
  }
}
