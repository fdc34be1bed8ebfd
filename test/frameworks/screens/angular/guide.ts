import { ChangeDetectionStrategy, Component, input } from '@angular/core';
import { injectForm, injectList } from 'repose/angular';
import { type Task, tasks } from '../tasks.js';

// The parts of the guide beside its screen.

@Component({
  selector: 'task-form',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    @let title = form.field('title')();
    @let input = form.input('title')();
    <form (submit)="form.submit($event)">
      <input [id]="input.id" [value]="input.value" (input)="input.onInput($event)" (blur)="input.onBlur()" />
      @for (issue of title.errors; track issue.message) {
        <em>{{ issue.message }}</em>
      }
      <button type="submit" [disabled]="form.state().saving">Save</button>
      <output>{{ title.errors.length > 0 ? '' : form.state().error?.userMessage }}</output>
    </form>
  `,
})
export class TaskForm {
  readonly task = input.required<Task>();
  protected readonly form = injectForm(this.task, { autosave: 500 });
}

@Component({
  selector: 'task-titles',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    @switch (list.status()) {
      @case ('loading') {
        <p>Loading</p>
      }
      @case ('error') {
        <p>{{ list.error()?.userMessage }} <button type="button" (click)="list.retry()">Try again</button></p>
      }
    }
    <ul>
      @for (task of list.value(); track task.$.key) {
        <li>{{ task.title }}</li>
      }
    </ul>
  `,
})
export class Titles {
  protected readonly list = injectList(tasks);

  constructor() {
    this.list.reload();
  }
}
